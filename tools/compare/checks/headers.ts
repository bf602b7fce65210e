import { isObject, textAt } from '../../../src/domain/json.ts';
import { byForm, type ComparedForm, comparedForms } from '../../migration/mapping/forms.ts';
import { headerRows } from '../../migration/mapping/header-rows.ts';
import { pathRowOf } from '../../migration/mapping/request-rows.ts';
import type { HeaderRow, ReplyFacts } from '../../migration/mapping/rows.ts';
import type { CaseSide, ComparisonCase } from '../cases/cases.ts';
import {
  type CaseResponses,
  itemsIn,
  pathBelow,
  type SideResponse,
} from '../cases/send-request.ts';
import type { KeyKind } from '../targets/ephemeral-keys.ts';
import { type ComparedLine, memberOf, toSides, type ViolationType } from './lines.ts';
import type { ExpectedOutcome, ExpectedOutcomes } from './outcomes.ts';
import { type QuotaClock, quotaLines } from './quota-headers.ts';
import { headerRowId } from './row-ids.ts';

type KeyFacts = Pick<ReplyFacts, 'pinned' | 'deprecated' | 'expires'>;

/** What decides the headers of replies: keys, proxies and the clock. */
export interface HeaderKnowledge {
  readonly keyFacts: (form: ComparedForm, key: KeyKind) => KeyFacts;
  readonly allowsProxy: boolean;
  readonly clock: QuotaClock;
}

interface SideHeaders {
  readonly headers: Readonly<Record<string, string>>;
  readonly facts: ReplyFacts;
  readonly expected: Readonly<Record<string, string>>;
}

type CaseHeaders = Readonly<Record<ComparedForm, SideHeaders>>;

/** Kinds of keys that identify no caller, so that no quota counts their requests. */
const anonymousKinds: readonly KeyKind[] = ['none', 'unknown', 'revoked', 'expired', 'suspended'];

const countedStatuses: readonly number[] = [200, 304, 400, 403, 404, 429];

const requestIdPaths: Readonly<Record<ComparedForm, readonly string[]>> = {
  current: ['meta.request_id', 'error.request_id'],
  variant: [],
};

const sideHeaders = (
  { key, method, adjusted, reads }: CaseSide & Pick<ComparisonCase, 'key'>,
  { replies, bodies, path }: SideResponse,
  { served }: ExpectedOutcome,
  keyFacts: KeyFacts,
): SideHeaders => {
  const { status = 0, headers = {} } = replies.at(-1) ?? {};
  const row = pathRowOf(served, pathBelow({ path }));
  const needsKey = row !== undefined && row[served] !== '/health';
  const facts = {
    ...keyFacts,
    served,
    status,
    counted:
      needsKey &&
      method === 'GET' &&
      !anonymousKinds.includes(key) &&
      countedStatuses.includes(status),
    read: needsKey && (status === 200 || status === 304),
    hasHistory: itemsIn(bodies.at(-1)).some((item) => isObject(item) && 'history' in item),
    adjusted,
    requestIdInBody: requestIdPaths[served].map((one) => textAt(bodies.at(-1), one)).find(Boolean),
  };
  return { headers, facts, expected: reads };
};

const headerMembers = (sides: CaseHeaders, name: string) =>
  toSides(byForm((form) => memberOf(name, sides[form].headers[name.toLowerCase()])));

const matches = (value: unknown, expected: string | RegExp | undefined): boolean =>
  expected === undefined ||
  (typeof expected === 'string' ? value === expected : expected.test(String(value)));

const headerError = (row: HeaderRow, form: ComparedForm, side: SideHeaders): string | undefined => {
  const { served, pinned } = side.facts;
  const decidingForm = row.ofKey ? pinned : served;
  const value = side.headers[row.name.toLowerCase()];
  const mustBePresent = decidingForm && row.presence[decidingForm](side.facts);
  if (value === undefined)
    return mustBePresent === true ? `The reply on the ${form} side lacks ${row.name}.` : undefined;
  if (mustBePresent === false)
    return `The reply on the ${form} side has it, although this form never sends it here.`;
  const expected = side.expected[row.name] ?? row.expected?.(side.facts);
  return matches(value, expected)
    ? undefined
    : `On the ${form} side it differs from ${String(expected)}.`;
};

const violationOf = ({ name, isNotice }: HeaderRow): ViolationType | undefined =>
  name === 'X-Envelope-Served'
    ? { type: 'status', change: 'form' }
    : isNotice
      ? { type: 'notice' }
      : undefined;

const declaredLines = (row: HeaderRow, sides: CaseHeaders): ComparedLine[] => {
  const members = headerMembers(sides, row.name);
  const unexpected = comparedForms.map((form) => headerError(row, form, sides[form])).find(Boolean);
  if (!members.left && !members.right && unexpected === undefined) return [];
  return [
    {
      kind: row.kind,
      row: headerRowId(row),
      reason: row.reason,
      ...members,
      unexpected,
      violates: violationOf(row),
    },
  ];
};

/**
 * Headers without a row. A proxy may add a header to the replies of both forms, or to those with
 * some statuses, as nginx does.
 */
const undeclaredLines = (sides: CaseHeaders, allowsProxy: boolean): ComparedLine[] => {
  const isOneStatus = sides.current.facts.status === sides.variant.facts.status;
  const declared = new Set(headerRows.map(({ name }) => name.toLowerCase()));
  const names = new Set(comparedForms.flatMap((form) => Object.keys(sides[form].headers)));
  return [...names].flatMap((name) => {
    const members = headerMembers(sides, name);
    const isOfProxy = allowsProxy && ((members.left && members.right) || !isOneStatus);
    if (declared.has(name) || isOfProxy) return [];
    const reason = 'Every header of a form has a row in the mapping.';
    const violates = { type: 'undeclared' } as const;
    return [
      { kind: 'rule', reason, ...members, unexpected: 'No row of the mapping has it.', violates },
    ];
  });
};

export const headerLines = (
  comparisonCase: ComparisonCase,
  responses: CaseResponses,
  outcomes: ExpectedOutcomes,
  { keyFacts, allowsProxy, clock }: HeaderKnowledge,
): ComparedLine[] => {
  const { key } = comparisonCase;
  const sides = byForm((form) =>
    sideHeaders(
      { ...comparisonCase[form], key },
      responses[form],
      outcomes[form],
      keyFacts(form, key),
    ),
  );
  const quotas = comparedForms.flatMap((form) => {
    const reply = responses[form].replies.at(-1);
    const { counted, pinned } = sides[form].facts;
    return reply && counted ? quotaLines(form, reply, pinned, clock) : [];
  });
  return [
    ...headerRows.flatMap((row) => declaredLines(row, sides)),
    ...quotas,
    ...undeclaredLines(sides, allowsProxy),
  ];
};
