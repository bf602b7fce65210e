import { artistRows } from '../../../src/crosswalk/artist-rows.ts';
import { isObject, type Json, listAt, textAt, valueAt } from '../../../src/crosswalk/json.ts';
import type { ComparisonFacts } from '../../../src/crosswalk/rows.ts';
import { pathBelow } from '../cases/send-request.ts';
import { hiddenBecause } from './check-member.ts';
import { byText, eachItem, misplaced, newestFirst, noDuplicates, onePage, ordered, thenBy } from './invariants.ts';
import { createPathReader } from './json-paths.ts';
import { byMembers, createStoredComparison, type IdentifyItem, type ListCheck } from './list-check.ts';
import { createMemberComparison } from './members.ts';

const songsInOrder = eachItem((item) =>
  misplaced(listAt(item, 'songs'), thenBy(newestFirst('added_at'), byText('id'))).map(
    (index) => `songs[${index}] is out of order: newest first, then by id.`,
  ),
);

const seriesIn = (holder: Json): [string, readonly Json[]][] => {
  const history = valueAt(holder, 'history');
  return isObject(history) ? Object.keys(history).map((metric) => [metric, listAt(history, metric)]) : [];
};

const pointsInOrder = eachItem((item) =>
  [item, ...listAt(item, 'songs')]
    .flatMap(seriesIn)
    .flatMap(([metric, points]) => [
      ...misplaced(points, byText('date')).map((index) => `history.${metric}[${index}] is out of order: by date.`),
      new Set(points.map((point) => textAt(point, 'date'))).size !== points.length &&
        `history.${metric} has a day with two points.`,
    ]),
);

const compareWithStored = createStoredComparison('artist');
const rowOf = new Map(artistRows.flatMap((row) => (row.current === undefined ? [] : [[row.current, row] as const])));
const read = createPathReader([...rowOf].map(([pattern, { keys }]) => ({ pattern, keys })));

/** A stored map that has no declared key shows as an empty map. */
const isEmptyMap = (value: Json): boolean => isObject(value) && Object.keys(value).length === 0;

/** Values by path, without undeclared and hidden members. */
const declaredValues = (item: Json, facts: ComparisonFacts): Map<string, Json> =>
  new Map(
    read(item)
      .filter(({ pattern = '', value }) => {
        const row = rowOf.get(pattern);
        return row !== undefined && !isEmptyMap(value) && hiddenBecause(row, 'current', facts) === undefined;
      })
      .map(({ path, value }) => [path, value]),
  );

/** Artists are paired by identifier when the pairs of all of them are known, otherwise by name and day. */
export const artistCheck: ListCheck = {
  compareMembers: createMemberComparison('artist', { list: 'songs', identity: 'id' }),
  identify(current, { documentIdOf }) {
    const idOf: IdentifyItem = (item) => documentIdOf(textAt(item, 'id') ?? '') ?? '';
    return current.every((item) => idOf(item) !== '')
      ? { ...byMembers('id'), current: idOf }
      : byMembers('name', 'date_added');
  },
  invariants: {
    current: [
      ordered('newest first, then by id', thenBy(newestFirst('date_added'), byText('id'))),
      songsInOrder,
      pointsInOrder,
      noDuplicates('id'),
      (answer) => (pathBelow(answer).startsWith('/added') ? onePage(answer) : []),
    ],
    variant: [ordered('newest first', newestFirst('date_added')), noDuplicates('id')],
  },
  artistId: 'id',
  checkStored(shown, { artist, withHistory }, facts) {
    const ours = declaredValues(shown, facts);
    const stored = declaredValues(facts.conditions.has('history') ? withHistory : artist, facts);
    const paths = new Set([...ours.keys(), ...stored.keys()]);
    return [...paths].flatMap((path) => compareWithStored(path, ours.get(path), stored.get(path)));
  },
};
