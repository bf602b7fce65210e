import { z } from 'zod';
import { isObjectId, type ObjectId } from './document-id.ts';

// Schemas of the members of stored documents. A stored `null` is read as absent.

/** Characters. */
export const maxTextLength = 100_000;

export const text = z.string().min(1).max(maxTextLength);
export const day = z.iso.date();

/** The largest number that the contracts promise: whole numbers up to it are exact. */
export const maxMetric = 2 ** 53;

/** The value of a metric: a finite number. */
export const metric = z.number().min(-maxMetric).max(maxMetric);

/** ISO 3166-1 alpha-2, in the stored case. */
export const countryCode = z.string().regex(/^[A-Za-z]{2}$/, 'must be two letters');

/**
 * An HTTP or HTTPS address. The first schema checks the scheme with a pattern: zod's option `protocol` parses every address
 * as a `URL`, which takes three times as long. The second schema parses what the first refuses, because an optimised
 * `URL.canParse` of Node 20 and 22 refuses valid addresses that are not ASCII.
 */
export const url = z.union(
  [
    z
      .url()
      .regex(/^https?:\/\//i)
      .max(maxTextLength),
    z.url({ protocol: /^https?$/ }).max(maxTextLength),
  ],
  { error: 'Invalid URL' },
);

const instantSchema = z.iso.datetime({ offset: true });

/** An instant as epoch milliseconds, from an ISO 8601 text or a BSON date. */
export const instant = z
  .union([z.date(), instantSchema.transform((value) => new Date(value))])
  .transform((date) => date.getTime());

const normalLength = '2026-08-22T11:00:00.000Z'.length;

/** An instant's text in UTC with milliseconds. Most are stored so; formatting one costs more than all other checks. */
const normalise = (value: string): string =>
  value.length === normalLength && value.endsWith('Z') ? value : new Date(value).toISOString();

/** A day or an instant that the gateway only shows, with instants normalised to UTC with milliseconds. */
export const dayOrInstant = z.union([
  z.date().transform((date) => date.toISOString()),
  instantSchema.transform(normalise),
  text,
]);

/** A member that may be absent. */
export const maybe = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);

/** A document identifier as text; MongoDB may have generated it as an ObjectId. */
export const documentId = z.union([text, z.custom<ObjectId>(isObjectId).transform((id) => id.toHexString())]);

/** The members of a map with these keys, in their order, that have a value. */
const pick =
  (keys: readonly string[]) =>
  (map: Readonly<Record<string, unknown>>): Record<string, unknown> => {
    const picked: Record<string, unknown> = {};
    for (const key of keys) if ((map[key] ?? null) !== null) picked[key] = map[key];
    return picked;
  };

/** A map with these keys only: other keys are dropped, and a key without a value is absent. */
export const known = <Key extends string, Schema extends z.ZodType>(keys: readonly Key[], schema: Schema) =>
  z
    .record(z.string(), z.unknown())
    .transform(pick(keys))
    .pipe(z.object(Object.fromEntries(keys.map((key) => [key, schema.optional()]))));
