import { z } from 'zod';
import type { Route } from '../../../adapters/forms/form.ts';
import { forms } from '../../../adapters/forms/forms.ts';
import { factsOfForm } from '../../../src/domain/form-facts.ts';
import { type Json, textAt } from '../../../src/domain/json.ts';
import { openApiPath } from '../../../src/domain/path-template.ts';
import { byForm, type ComparedForm, comparedForms } from '../../migration/mapping/forms.ts';
import { problemRows } from '../../migration/mapping/problem-rows.ts';
import { pathRowOf, quotaRows } from '../../migration/mapping/request-rows.ts';
import type { ErrorEntry, ProblemRow } from '../../migration/mapping/rows.ts';
import type { CaseSide, ComparisonCase } from '../cases/cases.ts';
import { type CaseResponses, pathBelow, type SideResponse } from '../cases/send-request.ts';
import { type ComparedLine, type ComparedMember, memberOf, toSides, violation } from './lines.ts';
import { problemRowId, rowInBody } from './row-ids.ts';

export interface ExpectedOutcome {
  readonly served: ComparedForm;
  readonly row: ProblemRow | undefined;
  readonly error: ErrorEntry | undefined;
  readonly status: number;
}

export type ExpectedOutcomes = Readonly<Record<ComparedForm, ExpectedOutcome>>;

const codePaths: Readonly<Record<ComparedForm, string>> = {
  current: 'error.code',
  variant: 'error',
};

const expectedOutcome = (form: ComparedForm, side: CaseSide): ExpectedOutcome => {
  const { ask, problem, notModified, served = form } = side;
  if (problem === undefined)
    return { served, row: undefined, error: undefined, status: notModified ? 304 : 200 };
  const row = problemRows.find((one) => one.problem === problem);
  const error = row?.[served];
  if (error === undefined) throw new Error(`${ask}: the ${served} form never says ${problem}`);
  return { served, row, error, status: error.status };
};

/**
 * The outcomes that a case expects. Throws when a form cannot have the problem that the case names.
 */
export const expectedOutcomes = (comparisonCase: ComparisonCase): ExpectedOutcomes =>
  byForm((form) => expectedOutcome(form, comparisonCase[form]));

const routeOf = (form: ComparedForm, path: string): Route | undefined => {
  const template = `/api/v1${pathRowOf(form, path)?.[form]}`;
  return factsOfForm(forms, form).routes.find((one) => openApiPath(one.path) === template);
};

/**
 * The schema that the contract of the served form has for a body. Throws when it has none: no check
 * may be skipped.
 */
const bodySchemaOf = (answer: SideResponse, { served, error }: ExpectedOutcome): z.ZodType => {
  const { contract } = factsOfForm(forms, served);
  const route = routeOf(served, pathBelow(answer));
  const name = error === undefined ? route?.contract.success[0] : contract.errors[0];
  const schema = contract.schemas[name ?? ''];
  if (schema === undefined)
    throw new Error(`${answer.path}: the contract of the ${served} form has no schema for it`);
  return schema;
};

const schemaLines = (
  form: ComparedForm,
  schema: z.ZodType,
  { served, error }: ExpectedOutcome,
  items: ComparisonCase['items'],
  body: Json | undefined,
): ComparedLine[] =>
  (schema.safeParse(body).error?.issues ?? []).map(({ path, message }) => {
    const at = z.core.toDotPath(path); // as answers are quoted: `data[3].songs[1].name`
    return violation(
      `Every body of the ${form} form matches its schema.`,
      `${form} ${at}: ${message}`,
      rowInBody(served, items, error !== undefined, at),
      { type: 'schema' },
    );
  });

const bodyLines = (
  form: ComparedForm,
  comparisonCase: ComparisonCase,
  answer: SideResponse,
  expected: ExpectedOutcome,
): ComparedLine[] => {
  if (expected.status === 304) {
    const reason = 'A 304 has no body.';
    return answer.replies.at(-1)?.text ? [violation(reason, `The ${form} form sent one.`)] : [];
  }
  if (comparisonCase.items === 'nothing' && expected.error === undefined) return [];
  const schema = bodySchemaOf(answer, expected);
  return answer.bodies.flatMap((body) =>
    schemaLines(form, schema, expected, comparisonCase.items, body),
  );
};

type CheckSide = (
  answer: SideResponse,
  expected: ExpectedOutcome,
  form: ComparedForm,
) => {
  readonly member: ComparedMember | undefined;
  readonly error: string | false | undefined;
  readonly change: string;
};

const checkStatus: CheckSide = ({ replies }, { status }, form) => {
  const odd = replies.find((reply) => reply.status !== status);
  const error = odd && `The ${form} form answered ${odd.status} instead of ${status}.`;
  return {
    member: memberOf('status', replies.at(-1)?.status ?? 0),
    error,
    change: `${status} ${odd?.status}`,
  };
};

const checkCode: CheckSide = ({ bodies }, { served, error }) => {
  const path = codePaths[served];
  const code = textAt(bodies.at(-1), path);
  const isWrong = error !== undefined && code !== error.code;
  return {
    member: memberOf(path, code),
    error:
      isWrong &&
      `The ${served} form has the code ${JSON.stringify(code)} instead of ${error.code}.`,
    change: code === undefined ? 'no code' : `${error?.code} ${code}`,
  };
};

/** What is also missing without the expected status. */
const missingWith = ({ current }: ComparisonCase, row: ProblemRow | undefined) => {
  if (row?.problem === 'invalid-cursor') return 'pages';
  if (current.notModified) return { headers: 'header.ETag' };
  const spent = row?.problem === 'day-spent' && quotaRows.find(({ window }) => window === 'day');
  return spent ? { headers: `header.${spent.header}-` } : undefined;
};

/**
 * Checks that both sides of a case have the status, the code and the schema that the case expects.
 */
export const outcomeLines = (
  comparisonCase: ComparisonCase,
  responses: CaseResponses,
  expected: ExpectedOutcomes,
): ComparedLine[] => {
  const row = expected.current.row ?? expected.variant.row;
  const { kind, reason } =
    row ?? ({ kind: 'same', reason: 'An answer is 200 in both forms.' } as const);
  const toLine = (check: CheckSide): ComparedLine => {
    const sides = byForm((form) => check(responses[form], expected[form], form));
    return {
      kind,
      row: row && problemRowId(row),
      reason,
      ...toSides(byForm((form) => sides[form].member)),
      unexpected: sides.current.error || sides.variant.error || undefined,
      violates: {
        type: 'status',
        change: (sides.current.error ? sides.current : sides.variant).change,
        alsoMissing: missingWith(comparisonCase, row),
      },
    };
  };
  return [
    toLine(checkStatus),
    ...(row === undefined ? [] : [toLine(checkCode)]),
    ...comparedForms.flatMap((form) =>
      bodyLines(form, comparisonCase, responses[form], expected[form]),
    ),
  ];
};
