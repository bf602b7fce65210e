import { parseJson, textAt } from '../../../src/domain/json.ts';
import { dayMs, hourMs, minuteMs } from '../../../src/domain/time.ts';
import { type ComparedForm, comparedForms } from '../../migration/mapping/forms.ts';
import { quotaRows } from '../../migration/mapping/request-rows.ts';
import type { QuotaRow } from '../../migration/mapping/rows.ts';
import type { ReceivedResponse } from '../cases/send-request.ts';
import { type ComparedLine, memberOf, sideOf } from './lines.ts';

const windowMs = { minute: minuteMs, hour: hourMs, day: dayMs } as const;

export interface QuotaClock {
  at(reply: ReceivedResponse): number | undefined;
  /** How far the store's clock may be from it, milliseconds. */
  readonly skewMs: number;
}

/**
 * The window that refused a request. Only a used-up day has its own code, and only the variant
 * form, which counts hours, has no `error.code`.
 */
const refusingWindow = ({ status, text }: ReceivedResponse): string | undefined => {
  if (status !== 429) return undefined;
  const body = parseJson(text);
  const isOfDay = textAt(body, 'error.code') === 'quota_exceeded';
  return isOfDay ? 'day' : textAt(body, 'error.code') === undefined ? 'hour' : 'minute';
};

const windowErrors = (
  row: QuotaRow,
  reply: ReceivedResponse,
  { at, skewMs }: QuotaClock,
): [string, string][] => {
  const read = (name: string): number => Number(reply.headers[name.toLowerCase()] ?? Number.NaN);
  const [limit, left, reset] = ['Limit', 'Remaining', 'Reset'].map((part) =>
    read(`${row.header}-${part}`),
  );
  if (
    limit === undefined ||
    left === undefined ||
    reset === undefined ||
    Number.isNaN(limit + left + reset)
  )
    return [];
  const lengthMs = windowMs[row.window];
  const endsAt = reset * 1000;
  const now = at(reply);
  const isNow = now === undefined || (endsAt > now - skewMs && endsAt - lengthMs <= now + skewMs);
  // Rounded up to whole seconds, so that a request after the wait is granted.
  const isLeft = (seconds: number) => {
    const over = seconds * 1000 - (endsAt - (now ?? Number.NaN));
    return now === undefined || (over >= -skewMs && over < 1000 + skewMs);
  };
  const hasRefused = refusingWindow(reply) === row.window;
  const item = (name: string) =>
    new RegExp(`"${row.window}";\\w=(\\d+);\\w=(\\d+)`)
      .exec(reply.headers[name] ?? '')
      ?.slice(1)
      .map(Number);
  const [policyLimit = limit, policyLength = lengthMs / 1000] = item('ratelimit-policy') ?? [];
  const [listedLeft = left, listedSeconds] = item('ratelimit') ?? [];
  const checks: readonly (readonly [name: string, isRight: boolean, text: string])[] = [
    [`${row.header}-Reset`, endsAt % lengthMs === 0, `is not the end of a UTC ${row.window}`],
    [`${row.header}-Reset`, isNow, `is not the end of this ${row.window}`],
    [`${row.header}-Remaining`, left <= limit, 'is above the limit'],
    [
      `${row.header}-Remaining`,
      !hasRefused || left === 0,
      `is not 0, although this ${row.window} refused the request`,
    ],
    [
      'Retry-After',
      !hasRefused || isLeft(read('Retry-After')),
      `is not the seconds to the end of this ${row.window}`,
    ],
    [
      'RateLimit-Policy',
      policyLimit === limit && policyLength === lengthMs / 1000,
      `differs from ${row.header}-Limit`,
    ],
    ['RateLimit', listedLeft === left, `differs from ${row.header}-Remaining`],
    [
      'RateLimit',
      listedSeconds === undefined || isLeft(listedSeconds),
      `differs from ${row.header}-Reset`,
    ],
  ];
  return checks.filter(([, isRight]) => !isRight).map(([name, , text]) => [name, text]);
};

/**
 * Checks the quota headers of a reply on one side against the clock and against each other.
 *
 * @param pinned the form of the key; `undefined` where it is not known
 */
export const quotaLines = (
  form: ComparedForm,
  reply: ReceivedResponse,
  pinned: ComparedForm | undefined,
  clock: QuotaClock,
): ComparedLine[] => {
  // Only keys of the current form have a quota for a day.
  const [current, variant] = comparedForms;
  const owner =
    pinned ?? (reply.headers['x-ratelimit-day-limit'] === undefined ? variant : current);
  return quotaRows
    .filter((row) => row.form === owner)
    .flatMap((row) => windowErrors(row, reply, clock))
    .map(([name, text]) => ({
      kind: 'rule',
      row: `header.${name}`,
      reason: 'Windows are aligned to UTC, and all headers agree on them.',
      [sideOf[form]]: memberOf(name, reply.headers[name.toLowerCase()]),
      unexpected: `On the ${form} side it ${text}.`,
    }));
};
