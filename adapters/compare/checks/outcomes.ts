import type { z } from 'zod';
import { type ComparedForm, comparedForms } from '../../../src/crosswalk/forms.ts';
import { type Json, textAt } from '../../../src/crosswalk/json.ts';
import { problemRows } from '../../../src/crosswalk/problem-rows.ts';
import type { ErrorMapping, ProblemRow } from '../../../src/crosswalk/rows.ts';
import * as current from '../../forms/current/wire.ts';
import * as variant from '../../forms/variant/wire.ts';
import type { CaseSide, ComparisonCase } from '../cases/cases.ts';
import type { CaseResponses, SideResponse } from '../cases/send-request.ts';
import { type ComparedLine, type ComparedMember, violation } from './members.ts';

/** The outcome that one side of a case must have. */
export interface ExpectedOutcome {
  readonly served: ComparedForm;
  readonly row: ProblemRow | undefined;
  /** The problem of `row` in the form that is served. */
  readonly error: ErrorMapping | undefined;
  readonly status: number;
}

export type ExpectedOutcomes = Readonly<Record<ComparedForm, ExpectedOutcome>>;

const codePaths: Readonly<Record<ComparedForm, string>> = { current: 'error.code', variant: 'error' };

const expectedOutcome = (form: ComparedForm, { ask, problem, notModified, served = form }: CaseSide) => {
  if (problem === undefined) return { served, row: undefined, error: undefined, status: notModified ? 304 : 200 };
  const row = problemRows.find((one) => one.problem === problem);
  const error = row?.[served];
  if (error === undefined) throw new Error(`${ask}: the ${served} form never says ${problem}`);
  return { served, row, error, status: error.status };
};

/** The outcomes that a case expects. Throws when a form cannot have the problem that the case names. */
export const expectedOutcomes = (asked: ComparisonCase): ExpectedOutcomes => ({
  current: expectedOutcome('current', asked.current),
  variant: expectedOutcome('variant', asked.variant),
});

type BodySchema = 'artists' | 'artist' | 'spikes' | 'signings' | 'health' | 'error';

const bodySchemas: Readonly<Record<ComparedForm, Readonly<Record<BodySchema, z.ZodType>>>> = {
  current: {
    artists: current.artistListWire,
    artist: current.artistDetailWire,
    spikes: current.spikeListWire,
    signings: current.signingListWire,
    health: current.healthWire,
    error: current.errorWire,
  },
  variant: {
    artists: variant.artistListWire,
    artist: variant.artistListWire,
    spikes: variant.spikeListWire,
    signings: variant.signingListWire,
    health: variant.healthWire,
    error: variant.errorWire,
  },
};

const bodySchemaOf = ({ items, detail }: ComparisonCase, { error }: ExpectedOutcome): BodySchema | undefined => {
  if (error !== undefined) return 'error';
  if (items === 'artists') return detail ? 'artist' : 'artists';
  return items === 'nothing' ? undefined : items;
};

/** What a schema does not allow in a body, as `path: what is wrong`. */
const schemaErrors = (schema: z.ZodType, body: Json | undefined): readonly string[] =>
  schema.safeParse(body).error?.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`) ?? [];

const bodyLines = (
  form: ComparedForm,
  asked: ComparisonCase,
  { replies, bodies }: SideResponse,
  expected: ExpectedOutcome,
): ComparedLine[] => {
  const reason = `Every body of the ${form} form is as its schema says.`;
  if (expected.status === 304) return replies.at(-1)?.text ? [violation(reason, 'A 304 has no body.')] : [];
  const schema = bodySchemaOf(asked, expected);
  if (schema === undefined) return [];
  return bodies
    .flatMap((body) => schemaErrors(bodySchemas[expected.served][schema], body))
    .map((error) => violation(reason, `${form} ${error}`));
};

const statusMember = ({ replies }: SideResponse): ComparedMember => ({
  path: 'status',
  value: replies.at(-1)?.status ?? 0,
});

const codeMember = ({ bodies }: SideResponse, { served }: ExpectedOutcome): ComparedMember | undefined => {
  const path = codePaths[served];
  const value = textAt(bodies.at(-1), path);
  return value === undefined ? undefined : { path, value };
};

const statusError = (form: ComparedForm, { replies }: SideResponse, { status }: ExpectedOutcome) => {
  const odd = replies.find((reply) => reply.status !== status);
  return odd && `The ${form} form must answer ${status}, and answered ${odd.status}.`;
};

const codeError = (answer: SideResponse, expected: ExpectedOutcome): string | undefined => {
  const { served, error } = expected;
  const code = codeMember(answer, expected)?.value;
  return error === undefined || code === error.code
    ? undefined
    : `The ${served} form must say ${error.code}, and says ${JSON.stringify(code)}.`;
};

/** Checks that both sides of a case have the status, the code and the schema that the case expects. */
export const outcomeLines = (
  asked: ComparisonCase,
  responses: CaseResponses,
  expected: ExpectedOutcomes,
): ComparedLine[] => {
  const row = expected.current.row ?? expected.variant.row;
  const { kind, reason } = row ?? ({ kind: 'same', reason: 'An answer is 200 in both forms.' } as const);
  const statusLine: ComparedLine = {
    kind,
    reason,
    current: statusMember(responses.current),
    variant: statusMember(responses.variant),
    unexpected: comparedForms.map((form) => statusError(form, responses[form], expected[form])).find(Boolean),
  };
  const codeLine: ComparedLine = {
    kind,
    reason,
    current: codeMember(responses.current, expected.current),
    variant: codeMember(responses.variant, expected.variant),
    unexpected: comparedForms.map((form) => codeError(responses[form], expected[form])).find(Boolean),
  };
  return [
    statusLine,
    ...(row === undefined ? [] : [codeLine]),
    ...comparedForms.flatMap((form) => bodyLines(form, asked, responses[form], expected[form])),
  ];
};
