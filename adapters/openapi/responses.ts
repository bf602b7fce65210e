import type { ZodOpenApiHeadersObject, ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import type { ProblemKind } from '../../src/domain/problem.ts';
import type { Form, Route } from '../forms/form.ts';
import type { ExampleNames, HeaderContracts } from '../forms/form-contract.ts';
import { allHeaders, headerObjects } from './headers.ts';
import { type RecordedExamples, recordedExample } from './recorded-examples.ts';

/** Problems that only some routes have: these say so themselves. */
const ofSomeRoutes: readonly ProblemKind[] = ['invalid-parameter', 'invalid-cursor', 'not-found'];
/** Problems that even a route without a key has. */
const ofAnyRoute: readonly ProblemKind[] = ['method-not-allowed', 'bug'];

interface ToldProblem {
  readonly status: number;
  /** The code, and what it means to a partner. */
  readonly text: string;
}

/** The problems of a route, as the form's table and its contract tell them. */
const problemsOf = (form: Form, { access, contract }: Route): readonly ToldProblem[] => {
  const isKind = (kind: string): kind is ProblemKind => Object.hasOwn(form.problems, kind);
  const isHere = (kind: ProblemKind): boolean =>
    ofSomeRoutes.includes(kind) ? contract.raises.includes(kind) : access !== 'public' || ofAnyRoute.includes(kind);
  return Object.entries(form.contract.problems).flatMap(([kind, meaning]) => {
    if (!isKind(kind) || !isHere(kind)) return [];
    const { status, code } = form.problems[kind];
    return [{ status, text: `\`${code}\`: ${meaning}` }];
  });
};

/** Headers by reference, except where one that elsewhere always comes does not. */
const referTo = (headers: HeaderContracts, all: HeaderContracts): ZodOpenApiHeadersObject =>
  Object.fromEntries(
    Object.entries(headers).map(([name, header]) => [
      name,
      header.required === all[name]?.required ? { $ref: `#/components/headers/${name}` } : { ...header },
    ]),
  );

/** Every response that a route can give, by status, with its headers, its body and its examples. */
export const describeResponses = (form: Form, route: Route, golden: RecordedExamples): ZodOpenApiResponsesObject => {
  const { contract, access } = route;
  const all = allHeaders(form);
  const names: ExampleNames = { ...contract.examples, ...form.contract.examples };
  const examplesOf = (status: number) =>
    Object.entries(names)
      .map(([name, summary]) => ({ name, summary, exchange: recordedExample(golden, name) }))
      .filter(({ exchange }) => exchange.status === status)
      .map(({ name, summary, exchange }) => [name, { summary, value: exchange.body }] as const);

  const respond = (status: number, description: string, schema: string | undefined): ZodOpenApiResponseObject => {
    const examples = Object.fromEntries(examplesOf(status));
    const content = {
      'application/json': {
        schema: { $ref: `#/components/schemas/${schema}` },
        ...(Object.keys(examples).length > 0 && { examples }),
      },
    };
    return {
      description,
      headers: referTo(headerObjects(form, route, status), all),
      ...(schema !== undefined && { content }),
    };
  };

  const [schema, meaning] = contract.success;
  const unchanged = 'Nothing has changed since the answer whose `ETag` was sent as `If-None-Match`. No body.';
  const problems = problemsOf(form, route);
  const refusals = [...new Set(problems.map(({ status }) => status))]
    .sort((a, b) => a - b)
    .map((status) => {
      const texts = new Set(problems.filter((problem) => problem.status === status).map(({ text }) => text));
      return [status, respond(status, [...texts].join('\n\n'), form.contract.error)] as const;
    });
  return Object.fromEntries([
    [200, respond(200, meaning, schema)],
    ...(form.conditional && access !== 'public' ? [[304, respond(304, unchanged, undefined)] as const] : []),
    ...refusals,
  ]);
};
