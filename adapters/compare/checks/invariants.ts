import { equalJson, isObject, type Json, listAt, numberAt, textAt, valueAt } from '../../../src/crosswalk/json.ts';
import type { FormName } from '../../../src/domain/caller.ts';
import type { SideResponse } from '../cases/send-request.ts';
import {
  ascending,
  below,
  byText,
  counted,
  eachItem,
  type Invariant,
  misplaced,
  newestFirst,
  noDoubles,
  onePage,
  ordered,
  thenBy,
  withinLimit,
} from './invariant.ts';
import type { Line } from './members.ts';
import { spikeLaws } from './spike-invariants.ts';

const songsInOrder = eachItem((item) =>
  misplaced(listAt(item, 'songs'), thenBy(newestFirst('added_at'), byText('id'))).map(
    (place) => `songs[${place}] stands too late: newest first, then by id.`,
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
      ...misplaced(points, byText('date')).map((place) => `history.${metric}[${place}] stands too late: by date.`),
      new Set(points.map((point) => textAt(point, 'date'))).size !== points.length &&
        `history.${metric} has a day with two points.`,
    ]),
);

const byName = (left: Json, right: Json): number =>
  ascending((textAt(left, 'artist_name') ?? '').toLowerCase(), (textAt(right, 'artist_name') ?? '').toLowerCase());

const sumsOfLabels = eachItem((item) => [
  numberAt(item, 'total_label_songs') !== listAt(item, 'label_songs').length &&
    'total_label_songs is not the number of label_songs.',
]);

const basisIsTrue = eachItem((item) => {
  const expected = [
    ...(textAt(item, 'signing.status') === 'signed' ? ['reviewed_status'] : []),
    ...(listAt(item, 'label_songs').length > 0 ? ['label_p_line'] : []),
  ];
  return [!equalJson(valueAt(item, 'basis'), expected) && `basis must be ${JSON.stringify(expected)}.`];
});

const labelsAreTracked: Invariant = ({ bodies, items }) => {
  const labels = listAt(bodies[0], '_meta.labels_tracked').map(String);
  const sorted = labels.toSorted((left, right) => ascending(left.toLowerCase(), right.toLowerCase()));
  const songs = items.flatMap((item) => listAt(item, 'label_songs'));
  const detected = songs.map((song) => textAt(song, 'label_detected') ?? '');
  return [
    ...(equalJson(labels, sorted) ? [] : ['_meta.labels_tracked is not alphabetical.']),
    ...detected.filter((label) => !labels.includes(label)).map((label) => `${label} is detected and not tracked.`),
  ];
};

/** `/added` has one page, whatever lies behind it. */
const addedHasOnePage: Invariant = (answer) => (below(answer).startsWith('/added') ? onePage(answer) : []);

/** What has laws of its own. */
export type ListKind = 'artists' | 'spikes' | 'signings';

const ofLists: Readonly<Record<FormName, readonly Invariant[]>> = {
  current: [withinLimit('current'), counted('meta.count')],
  variant: [withinLimit('variant'), counted('count')],
};

const laws: Readonly<Record<ListKind, Readonly<Record<FormName, readonly Invariant[]>>>> = {
  artists: {
    current: [
      ordered('newest first, then by id', thenBy(newestFirst('date_added'), byText('id'))),
      songsInOrder,
      pointsInOrder,
      noDoubles('id'),
      addedHasOnePage,
    ],
    variant: [ordered('newest first', newestFirst('date_added')), noDoubles('id')],
  },
  spikes: { current: [onePage, ...spikeLaws.current], variant: spikeLaws.variant },
  signings: {
    current: [
      onePage,
      ordered('by name, then by id', thenBy(byName, byText('artist_id'))),
      sumsOfLabels,
      basisIsTrue,
      noDoubles('artist_id'),
    ],
    variant: [ordered('by name', byName), sumsOfLabels, labelsAreTracked],
  },
};

/** Every law that an answer of a form breaks. */
export const violations = (form: FormName, items: ListKind, answer: SideResponse): Line[] =>
  [...ofLists[form], ...laws[items][form]]
    .flatMap((law) => law(answer))
    .map((text) => ({
      kind: undefined,
      reason: `What every answer of the ${form} form holds by itself.`,
      unexpected: `The ${form} form: ${text}`,
    }));
