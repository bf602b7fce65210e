import { isObject, type Json, listAt, textAt, valueAt } from '../../../src/crosswalk/json.ts';
import { requestedNumber } from '../../../src/crosswalk/request-rows.ts';
import { addDays } from '../../../src/domain/day.ts';
import { pathBelow } from '../cases/send-request.ts';
import { foldText } from './expected-labels.ts';
import {
  byText,
  eachItem,
  invariant,
  misplaced,
  newestFirst,
  noDuplicates,
  onePage,
  ordered,
  thenBy,
} from './invariants.ts';
import { byMembers, type IdentifyItem, type ListCheck, type ListQuestion } from './list-check.ts';

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

/** Whether a request for artists of the current form asks for this one. */
const isAskedFor = (artist: Json, { path, today }: ListQuestion): boolean => {
  const [template = '', search] = path.split('?');
  const query = new URLSearchParams(search);
  const [tier, name, since] = [query.get('tier'), query.get('name'), query.get('added_since')];
  const [, encodedId] = /^\/artists\/(.+)/.exec(template) ?? [];
  const id = encodedId === undefined ? query.get('id') : decodeURIComponent(encodedId);
  const added = textAt(artist, 'date_added') ?? '';
  const days = template === '/added' ? requestedNumber('current', path, 'days') : undefined;
  return (
    (id === null || textAt(artist, 'id') === id) &&
    (tier === null || textAt(artist, 'tier') === tier) &&
    (name === null || foldText(textAt(artist, 'name') ?? '').includes(foldText(name))) &&
    (since === null || added >= since) &&
    (days === undefined || (added >= addDays(today, -days) && added <= today))
  );
};

/** Artists are paired by identifier when the pairs of all of them are known, otherwise by name and day. */
export const artistCheck: ListCheck = {
  table: 'artist',
  identify(current, { documentIdOf }) {
    const idOf: IdentifyItem = (item) => documentIdOf(textAt(item, 'id') ?? '') ?? '';
    return current.every((item) => idOf(item) !== '')
      ? { ...byMembers('id'), current: idOf }
      : byMembers('name', 'date_added');
  },
  invariants: {
    current: [
      ordered('newest first, then by id', thenBy(newestFirst('date_added'), byText('id'))),
      invariant('Songs are ordered newest first, then by id.', songsInOrder, undefined, { of: 'order', list: 'songs' }),
      invariant('Points are ordered by date, one a day.', pointsInOrder, undefined, { of: 'order', list: 'history' }),
      noDuplicates('id'),
      invariant('/added has one page.', (answer) =>
        pathBelow(answer).startsWith('/added') ? onePage.check(answer) : [],
      ),
    ],
    variant: [ordered('newest first', newestFirst('date_added')), noDuplicates('id')],
  },
  identity: ['id'],
  expectedItems: ({ artists }, question) => artists.filter((artist) => isAskedFor(artist, question)),
};
