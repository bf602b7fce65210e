import { isDeepStrictEqual } from 'node:util';
import { crosswalk } from '../../../src/crosswalk/crosswalk.ts';
import { comparedForms } from '../../../src/crosswalk/forms.ts';
import { headerRows } from '../../../src/crosswalk/header-rows.ts';
import { isList, isObject, type Json, textAt } from '../../../src/crosswalk/json.ts';
import type { ComparisonCase } from '../cases/cases.ts';
import type { CaseResponses, ReceivedResponse, SideResponse } from '../cases/send-request.ts';
import type { ItemComparison } from '../checks/items.ts';
import { type ComparedLine, type ComparedMember, type LineBlock, violation } from '../checks/members.ts';
import { firstDisorder, pairItems } from '../checks/pairing.ts';
import { headerRowId, rowIdAt, rowIdInBody } from '../checks/row-ids.ts';

// Two answers of one form share the types of two forms' answers: `current` is the first gateway, `variant` the second.

const reason = 'The same request has the same answer.';

/** Paths of members whose values differ from reply to reply, of both forms: without a key the current form answers. */
const volatilePaths: ReadonlySet<string> = new Set(
  [...crosswalk.members.envelope, ...crosswalk.members.health, ...crosswalk.members.error]
    .filter(({ kind }) => kind === 'volatile')
    .flatMap(({ current, variant }) => [current ?? '', variant ?? '']),
);

/** An `ETag` contains the version of the gateway, so that two releases differ in it on purpose; the others count and tell time. */
const volatileHeaders = /^(ETag|RateLimit|Retry-After|X-Request-Id)$|-(Remaining|Reset)$/;

const toLine = (
  row: string | undefined,
  current: ComparedMember | undefined,
  variant: ComparedMember | undefined,
  isVolatile: boolean,
): ComparedLine => {
  const isBoth = current !== undefined && variant !== undefined;
  const isSame = isBoth && (isVolatile || isDeepStrictEqual(current.value, variant.value));
  const lacking = current === undefined ? 'The first answer lacks it.' : 'The second answer lacks it.';
  const unexpected = isSame ? undefined : isBoth ? 'The two answers differ.' : lacking;
  return { kind: isBoth && isVolatile ? 'volatile' : 'same', row, current, variant, reason, unexpected };
};

/** Every value in a value that is neither a list nor an object, by its path; empty ones are values. */
const leavesOf = (value: Json, path: string): [string, Json][] => {
  const members: [string, Json][] = isList(value)
    ? value.map((item, index) => [`${path}[${index}]`, item])
    : isObject(value)
      ? Object.entries(value).map(([name, member]) => [path === '' ? name : `${path}.${name}`, member])
      : [];
  return members.length === 0 ? [[path, value]] : members.flatMap(([at, member]) => leavesOf(member, at));
};

const compareValues = (
  ours: Json,
  theirs: Json,
  rowOf: (path: string) => string | undefined,
  volatile: ReadonlySet<string> = new Set(),
): ComparedLine[] => {
  const [first, second] = [new Map(leavesOf(ours, '')), new Map(leavesOf(theirs, ''))];
  const memberOf = (leaves: ReadonlyMap<string, Json>, path: string) => {
    const value = leaves.get(path);
    return value === undefined ? undefined : { path, value };
  };
  return [...new Set([...first.keys(), ...second.keys()])].map((path) =>
    toLine(rowOf(path), memberOf(first, path), memberOf(second, path), volatile.has(path)),
  );
};

const identityOf = (item: Json): string =>
  ['id', 'artist_id', 'artist_name', 'metric'].map((member) => textAt(item, member) ?? '').join('\n');

const tables = { artists: 'artist', spikes: 'spike', signings: 'signing' } as const;

const itemBlocks = (items: ComparisonCase['items'], { current, variant }: CaseResponses): LineBlock[] => {
  if (items === 'health' || items === 'nothing') return [];
  const pairs = pairItems(current.items.map(identityOf), variant.items.map(identityOf));
  const blocks = pairs.map((pair): LineBlock => {
    const [ours, theirs] = [current.items[pair.current ?? -1], variant.items[pair.variant ?? -1]];
    const title = `items[${pair.current ?? pair.variant}] ${textAt(ours ?? theirs ?? null, 'name') ?? ''}`.trim();
    if (ours !== undefined && theirs !== undefined)
      return { title, lines: compareValues(ours, theirs, (path) => rowIdAt(tables[items], path)) };
    const member = (item: Json | undefined) => (item === undefined ? undefined : { path: '', value: item });
    return { title, lines: [toLine(undefined, member(ours), member(theirs), false)] };
  });
  const disorder = firstDisorder(pairs);
  if (disorder === undefined) return blocks;
  const text = `items[${disorder.current}] of the first answer is items[${disorder.variant}] of the second.`;
  return [...blocks, { title: 'Order', lines: [violation('Lists keep their order.', text)] }];
};

const headerLines = (ours: ReceivedResponse, theirs: ReceivedResponse): ComparedLine[] =>
  headerRows.flatMap((row) => {
    const member = ({ headers }: ReceivedResponse) => {
      const value = headers[row.name.toLowerCase()];
      return value === undefined ? undefined : { path: row.name, value };
    };
    const [current, variant] = [member(ours), member(theirs)];
    // A proxy or another version of Node may choose how the bytes travel.
    const isTravel = row.kind === 'volatile' && row.expected === undefined;
    if ((current === undefined && variant === undefined) || isTravel) return [];
    return [toLine(headerRowId(row), current, variant, volatileHeaders.test(row.name))];
  });

/** A body's text with the values of volatile members left out: member order and number formats remain. */
const stableText = (text: string, body: Json, volatile: ReadonlySet<string>): string => {
  const values = leavesOf(body, '').filter(([path]) => volatile.has(path));
  return values.reduce((rest, [, value]) => rest.replace(JSON.stringify(value), '…'), text);
};

const textLine = ({ current, variant }: CaseResponses, page: number): ComparedLine[] => {
  const [ours, theirs] = [current, variant].map(({ replies, bodies }: SideResponse) =>
    stableText(replies[page]?.text ?? '', bodies[page] ?? null, volatilePaths),
  );
  if (ours === theirs) return [];
  return [violation(reason, `The texts of page ${page + 1} differ, although their values are the same.`)];
};

const withoutItems = (body: Json | undefined): Json => {
  if (body === undefined || !isObject(body)) return body ?? null;
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'data'));
};

/** Compares the answers of two gateways to the same request of one form: every value but those of volatile members. */
export const compareReplies = ({ items }: ComparisonCase, responses: CaseResponses): ItemComparison => {
  const { current, variant } = responses;
  const pages = Math.max(current.replies.length, variant.replies.length);
  const values = Array.from({ length: pages }, (_, page): LineBlock => {
    const [ours, theirs] = [current.replies[page], variant.replies[page]];
    if (ours === undefined || theirs === undefined) {
      return { title: `Page ${page + 1}`, lines: [violation(reason, 'Only one of the answers has this page.')] };
    }
    const status = toLine(
      undefined,
      { path: 'status', value: ours.status },
      { path: 'status', value: theirs.status },
      false,
    );
    const rowOf = (path: string) => rowIdInBody(items, path);
    const bodies = comparedForms.map((one) => withoutItems(responses[one].bodies[page]));
    const body = compareValues(bodies[0] ?? null, bodies[1] ?? null, rowOf, volatilePaths);
    return { title: `Page ${page + 1}`, lines: [status, ...headerLines(ours, theirs), ...body] };
  });
  const blocks = [...values, ...itemBlocks(items, responses)];
  if (blocks.some(({ lines }) => lines.some(({ unexpected }) => unexpected !== undefined)))
    return { blocks, beyondLimit: [] };
  const texts = Array.from({ length: pages }, (_, page) => textLine(responses, page)).flat();
  return { blocks: texts.length === 0 ? blocks : [...blocks, { title: 'Text', lines: texts }], beyondLimit: [] };
};
