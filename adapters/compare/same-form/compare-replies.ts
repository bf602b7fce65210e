import { isDeepStrictEqual } from 'node:util';
import { headerRows } from '../../../src/crosswalk/header-rows.ts';
import { isList, isObject, type Json, textAt } from '../../../src/crosswalk/json.ts';
import type { ComparisonCase } from '../cases/cases.ts';
import { type ReceivedResponse, type SideResponse, withoutItems } from '../cases/send-request.ts';
import type { ItemComparison } from '../checks/items.ts';
import {
  type ComparedLine,
  type ComparedMember,
  type LineBlock,
  memberOf,
  type Sign,
  violation,
} from '../checks/members.ts';
import { firstDisorder, pairItems } from '../checks/pairing.ts';
import { headerRowId, itemTables, rowIdAt, rowIdInBody, volatilePaths } from '../checks/row-ids.ts';
import { isUnexpected } from '../results.ts';

/** The first gateway's value and that of the second. */
type Pair<Value> = readonly [first: Value, second: Value];

const reason = 'The same request has the same answer.';

/** An `ETag` contains the version of the gateway, so that two releases differ in it on purpose; the others count and tell time. */
const volatileHeaders = /^(ETag|RateLimit|Retry-After|X-Request-Id)$|-(Remaining|Reset)$/;

/** A line about a member of both answers. Reports have the first answer where that of the current form stands. */
const toLine = (
  row: string | undefined,
  first: ComparedMember | undefined,
  second: ComparedMember | undefined,
  isVolatile = false,
): ComparedLine => {
  const isBoth = first !== undefined && second !== undefined;
  const isSame = isBoth && (isVolatile || isDeepStrictEqual(first.value, second.value));
  const lacking = first === undefined ? 'The first answer lacks it.' : 'The second answer lacks it.';
  const unexpected = isSame ? undefined : isBoth ? 'The two answers differ.' : lacking;
  const kind = isBoth && isVolatile ? 'volatile' : 'same';
  return { kind, row, current: first, variant: second, reason, unexpected };
};

const pathOf = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** Every value in a value that is neither a list nor an object, by its path; empty ones are values. */
export const leavesOf = (value: Json, path: string): [string, Json][] => {
  const members: [string, Json][] = isList(value)
    ? value.map((item, index) => [`${path}[${index}]`, item])
    : isObject(value)
      ? Object.entries(value).map(([name, member]) => [pathOf(path, name), member])
      : [];
  return members.length === 0 ? [[path, value]] : members.flatMap(([at, member]) => leavesOf(member, at));
};

/** Where two lists have the same element: the first of these members that both have tells. */
const identityMembers = ['id', 'song_id', 'song_name', 'date'];

/** The second value with its lists in the order of the first one's, so that another order is one line, which goes to `moved`. */
const alignLists = ([first, second]: Pair<Json | undefined>, path: string, moved: Pair<string>[]): Json => {
  if (isObject(first) && isObject(second)) {
    const align = ([name, member]: [string, Json]) =>
      [name, alignLists([first[name], member], pathOf(path, name), moved)] as const;
    return Object.fromEntries(Object.entries(second).map(align));
  }
  if (!isList(first) || !isList(second)) return second ?? null;
  const identity = identityMembers.find((name) => [first[0], second[0]].every((one) => textAt(one, name)));
  if (identity === undefined) return second;
  const identityOfElement = (one: Json): string => textAt(one, identity) ?? '';
  const pairs = pairItems(first.map(identityOfElement), second.map(identityOfElement));
  const [ours, theirs] = (firstDisorder(pairs) && pairs.find(([left, right = left]) => left !== right)) ?? [];
  if (ours !== undefined) moved.push([`${path}[${ours}].${identity}`, `${path}[${theirs}].${identity}`]);
  return pairs.map(([left, right], index) =>
    alignLists([first[left ?? -1], second[right ?? -1]], `${path}[${index}]`, moved),
  );
};

/** The list that a path leads into: `songs` of `songs[2].id`. */
const listOf = (path: string): string => /(\w+)(?:\.\w+)?\[\d+\]\.\w+$/.exec(path)?.[1] ?? path;

const signAt = (path: string): Sign | undefined =>
  /\[\d+\]\.(id|song_id|song_name)$/.test(path) ? { of: 'identity', list: listOf(path) } : undefined;

const compareValues = (
  [first, second]: Pair<Json>,
  rowOf: (path: string) => string | undefined,
  volatile: ReadonlySet<string> = new Set(),
): ComparedLine[] => {
  const moved: Pair<string>[] = [];
  const ours = new Map(leavesOf(first, ''));
  // An element that the second list lacks is `null` there after it was aligned, which is not a value of its own.
  const isPlace = ([path, value]: [string, Json]) => value === null && path.endsWith(']') && !ours.has(path);
  const theirs = new Map(leavesOf(alignLists([first, second], '', moved), '').filter((leaf) => !isPlace(leaf)));
  return [
    ...moved.map(([path, other]) => ({
      ...violation('Lists keep their order.', 'The two answers differ.', rowOf(path), {
        of: 'order',
        list: listOf(path),
      }),
      ...{ current: memberOf(path, ours.get(path)), variant: memberOf(other, ours.get(path)) },
    })),
    ...[...new Set([...ours.keys(), ...theirs.keys()])].map((path) => ({
      ...toLine(rowOf(path), memberOf(path, ours.get(path)), memberOf(path, theirs.get(path)), volatile.has(path)),
      sign: signAt(path),
    })),
  ];
};

const identityOf = (item: Json): string =>
  ['id', 'artist_id', 'artist_name', 'metric'].map((member) => textAt(item, member) ?? '').join('\n');

const itemBlocks = (items: ComparisonCase['items'], [first, second]: Pair<SideResponse>): LineBlock[] => {
  const table = itemTables[items];
  if (table === undefined) return [];
  const pairs = pairItems(first.items.map(identityOf), second.items.map(identityOf));
  const blocks = pairs.map(([ourIndex, theirIndex]): LineBlock => {
    const [ours, theirs] = [first.items[ourIndex ?? -1], second.items[theirIndex ?? -1]];
    const title = `items[${ourIndex ?? theirIndex}] ${textAt(ours ?? theirs ?? null, 'name') ?? ''}`.trim();
    if (ours !== undefined && theirs !== undefined)
      return { title, lines: compareValues([ours, theirs], (path) => rowIdAt(table, path)) };
    return { title, lines: [toLine(undefined, memberOf('', ours), memberOf('', theirs))] };
  });
  const disorder = firstDisorder(pairs);
  if (disorder === undefined) return blocks;
  const text = `items[${disorder[0]}] of the first answer is items[${disorder[1]}] of the second.`;
  return [
    ...blocks,
    { title: 'Order', lines: [violation('Lists keep their order.', text, undefined, { of: 'order', list: 'items' })] },
  ];
};

const headerLines = (ours: ReceivedResponse, theirs: ReceivedResponse): ComparedLine[] =>
  headerRows.flatMap((row) => {
    const [first, second] = [ours, theirs].map(({ headers }) => memberOf(row.name, headers[row.name.toLowerCase()]));
    // Transport headers: a proxy or another version of Node may choose them.
    const isTravel = row.kind === 'volatile' && row.expected === undefined;
    if ((first === undefined && second === undefined) || isTravel) return [];
    return [toLine(headerRowId(row), first, second, volatileHeaders.test(row.name))];
  });

/** A page's text with the values of volatile members left out: member order and number formats remain. */
const stableText = ({ replies, bodies }: SideResponse, page: number): string => {
  const values = leavesOf(bodies[page] ?? null, '').filter(([path]) => volatilePaths.has(path));
  const text = replies[page]?.text ?? '';
  return values.reduce((rest, [, value]) => rest.replace(JSON.stringify(value), '…'), text);
};

const textLines = ([first, second]: Pair<SideResponse>, page: number): ComparedLine[] =>
  stableText(first, page) === stableText(second, page)
    ? []
    : [violation(reason, `The texts of page ${page + 1} differ, although their values are the same.`)];

const pageBlock = (items: ComparisonCase['items'], [first, second]: Pair<SideResponse>, page: number): LineBlock => {
  const title = `Page ${page + 1}`;
  const [ours, theirs] = [first.replies[page], second.replies[page]];
  if (ours === undefined || theirs === undefined)
    return { title, lines: [violation(reason, 'Only one of the answers has this page.')] };
  const status = toLine(undefined, memberOf('status', ours.status), memberOf('status', theirs.status));
  const bodies: Pair<Json> = [withoutItems(first.bodies[page] ?? null), withoutItems(second.bodies[page] ?? null)];
  const body = compareValues(bodies, (path) => rowIdInBody(items, path), volatilePaths);
  return { title, lines: [status, ...headerLines(ours, theirs), ...body] };
};

/** Compares the answers of two gateways to the same request of one form: every value but those of volatile members. */
export const compareReplies = (
  { items }: ComparisonCase,
  first: SideResponse,
  second: SideResponse,
): ItemComparison => {
  const both = [first, second] as const;
  const pages = [...Array(Math.max(first.replies.length, second.replies.length)).keys()];
  const blocks = [...pages.map((page) => pageBlock(items, both, page)), ...itemBlocks(items, both)];
  const isSame = blocks.every(({ lines }) => !lines.some(isUnexpected));
  const texts = isSame ? pages.flatMap((page) => textLines(both, page)) : [];
  return { blocks: texts.length === 0 ? blocks : [...blocks, { title: 'Text', lines: texts }], beyondLimit: [] };
};
