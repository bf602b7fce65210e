import fc from 'fast-check';
import { z } from 'zod';
import type { Form } from '../../../adapters/forms/form.ts';
import { contractOf } from '../contract.ts';

/** The members of an OpenAPI parameter that a request is built from. */
const parameter = z.object({
  in: z.string(),
  name: z.string(),
  schema: z.object({
    type: z.enum(['string', 'integer', 'boolean']),
    enum: z.array(z.string()).optional(),
    format: z.literal('date').optional(),
    minimum: z.int().optional(),
    maximum: z.int().optional(),
    minLength: z.int().optional(),
    maxLength: z.int().optional(),
  }),
});

type Parameter = z.infer<typeof parameter>;
type Schema = Parameter['schema'];

const contract = z.object({
  paths: z.record(z.string(), z.object({ get: z.object({ parameters: z.array(parameter).default([]) }) })),
});

interface Operation {
  /** Template with `{name}` parameters. */
  readonly path: string;
  readonly query: readonly Parameter[];
}

/** The operations of a form's contract, with named schemas in place. */
export const operationsOf = (form: Form): readonly Operation[] => {
  const published = contractOf(form);
  const resolved: unknown = JSON.parse(JSON.stringify(published.paths), (_name, value) => {
    const name = /^#\/components\/schemas\/(.+)$/.exec(value?.$ref)?.[1];
    return name === undefined ? value : published.components?.schemas?.[name];
  });
  return Object.entries(contract.parse({ paths: resolved }).paths).map(([path, { get }]) => ({
    path,
    query: get.parameters.filter((given) => given.in === 'query'),
  }));
};

/** Text of whole code points. */
const text = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc
    .string({ unit: 'grapheme', minLength, maxLength })
    .filter((value) => !/\p{Cs}/u.test(value) && [...value].length <= maxLength);

const day = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

/** Values that a schema allows. */
const allowed = ({ type, minimum = 0, maximum = 100_000, ...schema }: Schema): fc.Arbitrary<string> => {
  if (type === 'integer') return fc.integer({ min: minimum, max: maximum }).map(String);
  if (type === 'boolean') return fc.constantFrom('true', 'false');
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.format === 'date') return day;
  return fc.oneof(fc.constantFrom('art_7rf1ly', 'legacy:0007', 'echo'), text(1, schema.maxLength ?? 10));
};

/** Values that a schema does not allow; none where it allows every text. */
const forbidden = ({ type, minimum = 0, maximum, ...schema }: Schema): readonly string[] => {
  if (type === 'integer') {
    return [minimum - 1, ...(maximum === undefined ? [] : [maximum + 1, maximum * 10]), '1.5', 'x', '', '0x1'].map(
      String,
    );
  }
  if (type === 'boolean') return ['maybe', '1', ''];
  if (schema.enum !== undefined) return [`${schema.enum[0]}x`, `${schema.enum[0]?.toUpperCase()}`, ''];
  if (schema.format === 'date') return ['2026-02-30', '2026-1-1', 'today', '', '2026-08-22T00:00:00Z'];
  return schema.maxLength === undefined ? [] : ['x'.repeat(schema.maxLength + 1)];
};

type Pair = readonly [name: string, value: string];

const buildTarget = (path: string, id: string, pairs: readonly Pair[]): string => {
  const query = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return path.replace('{id}', encodeURIComponent(id)) + (query === '' ? '' : `?${query}`);
};

/** Some of an operation's parameters, each with an allowed value. Never a cursor: only a gateway makes a valid one. */
const someAllowed = (query: readonly Parameter[]): fc.Arbitrary<readonly Pair[]> =>
  fc
    .tuple(
      ...query
        .filter(({ name }) => name !== 'cursor')
        .map(({ name, schema }) => fc.option(allowed(schema).map((value): Pair => [name, value]))),
    )
    .map((pairs) => pairs.filter((pair) => pair !== null));

const id = fc.oneof(fc.constantFrom('art_7rf1ly', 'art_3wz4gc'), text(1, 40));

/** Targets that a form's contract allows. */
export const allowedTargets = (form: Form): fc.Arbitrary<string> =>
  fc.oneof(
    ...operationsOf(form).map(({ path, query }) =>
      fc.tuple(id, someAllowed(query)).map(([someId, pairs]) => buildTarget(path, someId, pairs)),
    ),
  );

/** Targets in which exactly one parameter has a value that the contract does not allow. */
export const brokenTargets = (form: Form): fc.Arbitrary<string> =>
  fc.oneof(
    ...operationsOf(form).flatMap(({ path, query }) =>
      query.flatMap(({ name, schema }) =>
        forbidden(schema).map((value) =>
          someAllowed(query.filter((other) => other.name !== name)).map((pairs) =>
            buildTarget(path, 'art_7rf1ly', [...pairs, [name, value]]),
          ),
        ),
      ),
    ),
  );
