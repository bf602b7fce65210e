import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { groupBy } from '../../src/domain/groups.ts';
import { type Json, textAt } from '../../src/domain/json.ts';
import type { CompareKeys } from '../../src/runtime/config.ts';
import { byForm, type ComparedForm, comparedForms, otherForm } from '../migration/mapping/forms.ts';
import { headerRows } from '../migration/mapping/header-rows.ts';
import type { MemberTable } from '../migration/mapping/mapping.ts';
import { CaseSkipped, type ComparisonCase } from './cases/cases.ts';
import type { KnownArtist } from './cases/placeholders.ts';
import {
  askSide,
  type ReceivedResponse,
  requestIdentity,
  type SendRequest,
  type SideResponse,
  withoutItems,
} from './cases/send-request.ts';
import { listChecks } from './checks/comparison.ts';
import { diff, type Slot } from './checks/diff.ts';
import { compareItems, type ItemComparison } from './checks/items.ts';
import {
  bySide,
  type ComparedLine,
  type LineBlock,
  memberOf,
  type Sides,
  violation,
} from './checks/lines.ts';
import { withKeyMembers } from './checks/list-check.ts';
import { bodyTable, headerRowId } from './checks/row-ids.ts';
import type { CasesRun } from './results.ts';
import { type CaseRunner, type OnCase, runEach } from './run.ts';
import { keyKinds } from './targets/ephemeral-keys.ts';
import { readArtists, readNow, scopeLackedFor } from './targets/key-facts.ts';
import { maxPartnerArtists } from './targets/running-target.ts';

const text = z.string();
/** The replies of one gateway to the cases of a run in one form, and what they were asked with. */
export const recordingSchema = z.object({
  form: z.enum(comparedForms),
  gateway: text,
  now: text,
  artists: z.array(z.object({ id: text, name: text, tier: text.exactOptional() })),
  exchanges: z.array(
    z.object({
      request: z.object({
        form: z.enum(comparedForms),
        key: z.enum(keyKinds),
        method: text,
        path: text,
        headers: z.record(text, text).readonly(),
      }),
      reply: z.object({ status: z.int(), headers: z.record(text, text).readonly(), text }),
    }),
  ),
});
export type Recording = z.infer<typeof recordingSchema>;
type FormFacts = Pick<Recording, 'now' | 'artists'>;

/** Answers with recorded replies: to equal requests in their order, the last one repeatedly. */
export const replayRecording = ({ exchanges }: Recording): SendRequest => {
  const replies = groupBy(exchanges, ({ request }) => requestIdentity(request));
  return async (request) => {
    const recorded = replies.get(requestIdentity(request));
    if (recorded === undefined)
      throw new CaseSkipped(`the recording has no reply to ${request.method} ${request.path}`);
    const [{ reply }] = recorded;
    if (recorded.length > 1) recorded.shift();
    return reply;
  };
};

/** The gateway's time and its first artists. Rejects with advice when the key cannot be used. */
export const readFacts = async (
  send: SendRequest,
  form: ComparedForm,
  keys: CompareKeys,
): Promise<FormFacts> => {
  const { now } = await readNow(send, form);
  const artists = (await readArtists(send, form, keys, 10)).map((item) => {
    const tier = textAt(item, 'tier');
    const names = { id: textAt(item, 'id') ?? '', name: textAt(item, 'name') ?? '' };
    return { ...names, ...(tier !== undefined && { tier }) };
  });
  return { now, artists };
};

const reason = 'The same request has the same answer.';
const titles: Sides<string> = { left: 'first answer', right: 'second answer' };
/** `ETag` contains the gateway version; the others are counts and times. */
const volatileHeaders = /^(ETag|RateLimit|Retry-After|X-Request-Id)$|-(Remaining|Reset)$/;

const toLine = (
  row: string | undefined,
  { left, right }: Omit<Slot, 'at'>,
  isVolatile = false,
): ComparedLine => {
  const isBoth = left !== undefined && right !== undefined;
  const isSame = isBoth && (isVolatile || isDeepStrictEqual(left.value, right.value));
  const lacking = `The ${left ? titles.right : titles.left} lacks it.`;
  const unexpected = isSame ? undefined : isBoth ? 'The two answers differ.' : lacking;
  return { kind: isBoth && isVolatile ? 'volatile' : 'same', row, left, right, reason, unexpected };
};

const headerLines = (replies: Sides<ReceivedResponse>): ComparedLine[] =>
  headerRows.flatMap((row) => {
    const members = bySide((side) =>
      memberOf(row.name, replies[side].headers[row.name.toLowerCase()]),
    );
    // Transport headers: a proxy or another version of Node may choose them.
    const isTransport = row.kind === 'volatile' && row.expected === undefined;
    if ((!members.left && !members.right) || isTransport) return [];
    return [toLine(headerRowId(row), members, volatileHeaders.test(row.name))];
  });

const identify = (item: Json): string =>
  ['id', 'artist_id', 'artist_name', 'metric'].map((name) => textAt(item, name) ?? '').join('\n');

const compareReplies = (
  items: ComparisonCase['items'],
  asked: ComparedForm,
  answers: Sides<SideResponse>,
): ItemComparison => {
  // The response to a request without a key, or with `X-Envelope`, might have the other form.
  const isOther = answers.left.replies[0]?.headers['x-envelope-served'] === otherForm[asked];
  const forms = bySide(() => (isOther ? otherForm[asked] : asked));
  const linesOf = (table: MemberTable, values: Sides<Json>): ComparedLine[] =>
    diff(values, {
      table,
      forms,
      titles,
      lineOf: ({ at, ...members }) => toLine(at?.id, members, at?.row.kind === 'volatile'),
    });
  const pages = Math.max(answers.left.replies.length, answers.right.replies.length);
  const pageBlocks = Array.from({ length: pages }, (_, page): LineBlock => {
    const title = `Page ${page + 1}`;
    const { left, right } = bySide((side) => answers[side].replies[page]);
    if (left === undefined || right === undefined)
      return { title, lines: [violation(reason, 'Only one of the answers has this page.')] };
    const statuses = {
      left: memberOf('status', left.status),
      right: memberOf('status', right.status),
    };
    const hasFailed = left.status >= 500 && right.status >= 500;
    const around = bySide((side) => withoutItems(answers[side].bodies[page] ?? null));
    return {
      title,
      lines: [
        toLine(undefined, statuses),
        ...(hasFailed ? [violation(reason, 'Both gateways failed to answer.')] : []),
        ...headerLines({ left, right }),
        ...linesOf(bodyTable(items, left.status >= 400), around),
      ],
    };
  });
  const list = listChecks[items];
  if (list === undefined) return { blocks: pageBlocks, beyondLimit: [] };
  const sides = bySide((side) => ({ items: answers[side].items, truncated: false, identify }));
  const { blocks } = compareItems(sides, {
    titles,
    row: undefined,
    compare: (left, right) => linesOf(list.table, { left, right }),
    show: (_side, item) => withKeyMembers(list, asked, item),
  });
  return { blocks: [...pageBlocks, ...blocks], beyondLimit: [] };
};

/** The gateways that one form is asked of: two, or one and its recording. */
interface SameFormTargets extends Pick<CaseRunner, 'forget'> {
  readonly form: ComparedForm;
  readonly first: SendRequest;
  readonly second: SendRequest;
  readonly facts: FormFacts;
}

export const runSameForm = (
  cases: readonly ComparisonCase[],
  { form, first, second, facts, forget }: SameFormTargets,
  onCase?: OnCase,
): Promise<CasesRun> =>
  runEach(
    cases.map((one) => ({ ...one, ...byForm(() => one[form]) })),
    {
      today: facts.now.slice(0, 10),
      knownArtists: facts.artists.map(({ id, name, tier }): KnownArtist => {
        return { ...byForm((one) => (one === form ? id : 'unknown-id')), name, tier };
      }),
      maxArtists: maxPartnerArtists,
      forget,
      async ask(comparisonCase, focus) {
        const askOf = (send: SendRequest) =>
          askSide(send, form, comparisonCase.key, comparisonCase[form], focus);
        const responses = { left: await askOf(first), right: await askOf(second) };
        const lacking = scopeLackedFor(responses.left);
        if (lacking !== undefined && lacking === scopeLackedFor(responses.right))
          throw new CaseSkipped(`they need ${lacking}, which the key lacks`);
        return { responses, compare: () => compareReplies(comparisonCase.items, form, responses) };
      },
    },
    onCase,
  );
