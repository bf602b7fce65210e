import { isDeepStrictEqual } from 'node:util';
import type {
  ZodOpenApiHeadersObject,
  ZodOpenApiResponseObject,
  ZodOpenApiResponsesObject,
} from 'zod-openapi';
import type { Form, Route } from '../../adapters/forms/form.ts';
import type {
  ExampleNames,
  FormContract,
  HeaderContracts,
} from '../../adapters/forms/form-contract.ts';
import type { ProblemKind } from '../../src/domain/problem.ts';
import { allHeaders, answersUnknownKeys, headerObjects } from './headers.ts';
import {
  type RecordedExample,
  type RecordedExamples,
  recordedExample,
} from './recorded-examples.ts';

/** Problems of routes without a key, too. */
const universal: readonly ProblemKind[] = ['method-not-allowed', 'bug'];

interface DocumentedProblem {
  readonly status: number;
  /** Markdown. */
  readonly text: string;
}

/** The problems of a route. A problem that any route lists in `raises` belongs to these routes. */
const problemsOf = (form: Form, { access, contract }: Route): readonly DocumentedProblem[] => {
  const isKind = (kind: string): kind is ProblemKind => Object.hasOwn(form.problems, kind);
  const canRaise = (kind: ProblemKind): boolean =>
    form.routes.some((route) => route.contract.raises.includes(kind))
      ? contract.raises.includes(kind)
      : access !== 'public' || universal.includes(kind);
  return Object.entries(form.problems).flatMap(([kind, { status, code, text }]) =>
    text === undefined || !isKind(kind) || !canRaise(kind)
      ? []
      : [{ status, text: `\`${code}\`: ${text}` }],
  );
};

/** Refers to equal headers of `components.headers`. */
const referTo = (headers: HeaderContracts, all: HeaderContracts): ZodOpenApiHeadersObject =>
  Object.fromEntries(
    Object.entries(headers).map(([name, header]) => [
      name,
      isDeepStrictEqual(header, all[name])
        ? { $ref: `#/components/headers/${name}` }
        : { ...header },
    ]),
  );

const prefixed = ({ name }: Form, schema: string): string =>
  name.charAt(0).toUpperCase() + name.slice(1) + schema;

/** The error schemas of another form: `CurrentError`. */
export const errorSchemas = (other: Form): FormContract['schemas'] =>
  Object.fromEntries(
    Object.entries(other.contract.schemas)
      .filter(([name]) => other.contract.errors.includes(name))
      .map(([name, schema]) => [prefixed(other, name), schema]),
  );

/**
 * Describes the responses of a route. Throws if an example is not recorded. `unknownKeyForm` is
 * `undefined` if it is this form.
 */
export const describeResponses = (
  form: Form,
  route: Route,
  recorded: RecordedExamples,
  unknownKeyForm: Form | undefined,
): ZodOpenApiResponsesObject => {
  const { contract, access } = route;
  const all = allHeaders(form);
  const names: ExampleNames = { ...contract.examples, ...form.contract.examples };
  // An example of every route may be of one with more headers: `Retry-After` is not on health.
  const fits = ({ status, headers }: RecordedExample): boolean => {
    const declared = headerObjects(form, route, status, unknownKeyForm);
    const isOfForm = [form, unknownKeyForm].some(
      (one) => one?.name === headers['X-Envelope-Served'],
    );
    return (
      isOfForm &&
      Object.keys(headers).every((header) => header === 'Content-Type' || header in declared)
    );
  };
  const examplesOf = (status: number) =>
    Object.entries(names)
      .map(([name, summary]) => ({ name, summary, exchange: recordedExample(recorded, name) }))
      .filter(({ exchange }) => exchange.status === status && fits(exchange))
      .map(({ name, summary, exchange }) => [name, { summary, value: exchange.body }] as const);

  const respond = (
    status: number,
    description: string,
    ...schemas: string[]
  ): ZodOpenApiResponseObject => {
    const headers = referTo(headerObjects(form, route, status, unknownKeyForm), all);
    const [schema, ...others] = schemas.map((name) => ({ $ref: `#/components/schemas/${name}` }));
    if (schema === undefined) return { description, headers };
    const examples = examplesOf(status);
    const content = {
      schema: others.length === 0 ? schema : { oneOf: [schema, ...others] },
      ...(examples.length > 0 && { examples: Object.fromEntries(examples) }),
    };
    return { description, headers, content: { 'application/json': content } };
  };

  const [schema, meaning] = contract.success;
  const unchanged =
    'Nothing has changed since the response whose `ETag` you sent as `If-None-Match`. No body.';
  const problems = problemsOf(form, route);
  const errors = [...new Set(problems.map(({ status }) => status))]
    .sort((a, b) => a - b)
    .map((status) => {
      const texts = new Set(
        problems.filter((problem) => problem.status === status).map(({ text }) => text),
      );
      const [error] = form.contract.errors;
      const ofUnknownKeys =
        unknownKeyForm && answersUnknownKeys(route, status)
          ? [prefixed(unknownKeyForm, unknownKeyForm.contract.errors[0])]
          : [];
      const text = [...texts].join('\n\n');
      const note =
        status < 500 &&
        ofUnknownKeys.map((name) => ` Without a known key the body is \`${name}\`.`);
      return [status, respond(status, `${text}${note || ''}`, error, ...ofUnknownKeys)] as const;
    });
  return Object.fromEntries([
    [200, respond(200, meaning, schema)],
    ...(form.conditional && access !== 'public' ? [[304, respond(304, unchanged)] as const] : []),
    ...errors,
  ]);
};
