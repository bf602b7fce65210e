import type { KeyRecord } from '../../../src/domain/caller.ts';
import { countOf } from '../../../src/domain/quantities.ts';
import { requestedMove } from '../../migration/evidence.ts';
import type { KeyReport } from '../../migration/key-report.ts';
import type { QuotaReport } from '../../migration/quota-report.ts';
import { staysAsItIs } from './call-cells.ts';
import type { MeasuredCall } from './measure-calls.ts';
import { proseMarkdown } from './prose.ts';

/** Everything that a letter to one partner says. */
export interface LetterFacts {
  readonly key: KeyRecord;
  readonly report: KeyReport;
  readonly quota: QuotaReport;
  /** The days of usage that the report is about. */
  readonly days: number;
  /** The calls of the report, asked of both forms. */
  readonly calls: readonly MeasuredCall[];
  /** How many artists the shortlist had then. */
  readonly artists: number;
  /** The gateway's address for partners, without a slash at the end. */
  readonly baseUrl: string;
  readonly supportContact: string | undefined;
}

const { from, to } = requestedMove;

/** What ends, when, and what happens on that day. */
const ending = ({ key, quota }: LetterFacts): string => {
  const rest = `nothing${key.expiresAt === undefined ? '' : ' except an expired key'} is switched off automatically`;
  if (key.sunset === undefined)
    return `We ask you to move your key \`${key.id}\` from the ${from} form to the ${to} form; no date is set, and ${rest}.`;
  const ends = key.sunset > (quota.until ?? '') ? 'ends' : 'ended';
  return `The ${from} form ${ends} for your key \`${key.id}\` on ${key.sunset}: we no longer support it for you from that day on, and ${rest}.`;
};

/** A number of requests a day, as every part of a letter says it. */
export const requestsADay = (perDay: number): string => {
  const rounded = Math.round(perDay);
  return `${rounded === 0 ? 'fewer than one request' : `about ${countOf(rounded, 'request')}`} a day`;
};

/** What to do, for how many requests, and whom to answer. */
const request = ({ report, days, calls, supportContact }: LetterFacts): string => {
  const whom = supportContact === undefined ? 'us' : `<${supportContact}>`;
  const { requests, tried } = report;
  const period = countOf(days, 'day');
  if (requests === 0 && tried.requests > 0)
    return `We saw ${countOf(tried.requests, 'request')} with it in ${period}, all in the ${to} form: please tell ${whom} when we can move your key.`;
  if (requests === 0)
    return `We saw no requests with it in ${period}, so this letter cannot show your own calls: please tell ${whom} whether you still use it.`;
  const often = requestsADay(report.calls_a_day);
  const changed = calls.filter((call) => !staysAsItIs(call)).length;
  const members = report.members.length;
  const things = [
    ...(changed === 0 ? [] : [`change ${countOf(changed, 'call')} as described below`]),
    ...(members === 0
      ? []
      : report.members_not_read.length === 0
        ? [`adapt those of ${countOf(members, 'member')} that your program reads`]
        : [`adapt ${countOf(members, 'member')}`]),
  ];
  const todo =
    things.length === 0
      ? `You do not need to change anything for ${often}: please tell ${whom}`
      : `Please ${things.join(' and ')}, for ${often}, and tell ${whom}`;
  return `${todo} when we can move your key.`;
};

/**
 * The letter's title and first two sentences: what ends and when, what happens then, what to do,
 * and whom to answer.
 */
export const writeIntroduction = (facts: LetterFacts): string =>
  `# Moving to the ${to} form\n\nFor ${proseMarkdown(facts.key.partner)}. ${ending(facts)} ${request(facts)}\n`;
