import { isDeepStrictEqual } from 'node:util';
import {
  isObject,
  type Json,
  type JsonObject,
  listAt,
  numberAt,
  textAt,
  valueAt,
} from '../../../src/crosswalk/json.ts';
import { byCodePoint } from '../../../src/domain/order.ts';
import { byText, eachItem, type Invariant, invariant, noDuplicates, onePage, ordered, thenBy } from './invariants.ts';
import { byMembers, type ListCheck } from './list-check.ts';

const byLowerCase = (left: string, right: string): number => byCodePoint(left.toLowerCase(), right.toLowerCase());

const byName = (left: Json, right: Json): number =>
  byLowerCase(textAt(left, 'artist_name') ?? '', textAt(right, 'artist_name') ?? '');

const byNameAndId = thenBy(byName, byText('artist_id'));

const labelSongsAreCounted = invariant(
  'total_label_songs is the number of label_songs.',
  eachItem((item) => [
    numberAt(item, 'total_label_songs') !== listAt(item, 'label_songs').length &&
      'total_label_songs is not the number of label_songs.',
  ]),
  'signing.total_label_songs',
);

/** Why an artist with this number of songs of tracked labels is listed; empty when it is not. */
const basisOf = (artist: Json, labelSongs: number): string[] => [
  ...(textAt(artist, 'signing.status') === 'signed' ? ['reviewed_status'] : []),
  ...(labelSongs > 0 ? ['label_p_line'] : []),
];

const basisIsTrue = eachItem((item) => {
  const expected = basisOf(item, listAt(item, 'label_songs').length);
  return [!isDeepStrictEqual(valueAt(item, 'basis'), expected) && `basis must be ${JSON.stringify(expected)}.`];
});

const labelsAreTracked: Invariant['check'] = ({ bodies, items }) => {
  const labels = listAt(bodies[0], '_meta.labels_tracked').map(String);
  const songs = items.flatMap((item) => listAt(item, 'label_songs'));
  const detected = songs.map((song) => textAt(song, 'label_detected') ?? '');
  return [
    ...(isDeepStrictEqual(labels, labels.toSorted(byLowerCase)) ? [] : ['_meta.labels_tracked is not alphabetical.']),
    ...detected
      .filter((label) => !labels.includes(label))
      .map((label) => `${JSON.stringify(label)} is detected and not tracked.`),
  ];
};

/** Where the aliases of labels are not known, the labels that the answer has count. */
const expectedItems: ListCheck['expectedItems'] = ({ artists, findLabel }, { items }) => {
  const shown = items.flatMap((item) => listAt(item, 'label_songs'));
  const labels = new Map(shown.map((song) => [textAt(song, 'song_id'), textAt(song, 'label_detected')]));
  const labelOf = (song: Json): string | undefined =>
    findLabel === undefined ? labels.get(textAt(song, 'id')) : findLabel(textAt(song, 'rights.p_line') ?? '');
  return artists
    .map((artist) => {
      const songs = listAt(artist, 'songs').flatMap((song): JsonObject[] => {
        const label = labelOf(song);
        const rights = valueAt(song, 'rights');
        const names = { song_id: textAt(song, 'id') ?? '', song_name: textAt(song, 'name') ?? '' };
        return label === undefined ? [] : [{ ...names, ...(isObject(rights) && rights), label_detected: label }];
      });
      return {
        artist_id: textAt(artist, 'id') ?? '',
        artist_name: textAt(artist, 'name') ?? '',
        signing: valueAt(artist, 'signing') ?? {},
        label_songs: songs,
        total_label_songs: songs.length,
        basis: basisOf(artist, songs.length),
      };
    })
    .filter(({ basis }) => basis.length > 0)
    .sort(byNameAndId);
};

export const signingCheck: ListCheck = {
  table: 'signing',
  identify: () => byMembers('artist_name'),
  invariants: {
    current: [
      onePage,
      ordered('by name, then by id', byNameAndId),
      labelSongsAreCounted,
      invariant('basis says whether status or label_songs put it on the list.', basisIsTrue, 'signing.basis[]'),
      noDuplicates('artist_id'),
    ],
    variant: [
      ordered('by name', byName),
      labelSongsAreCounted,
      invariant(
        '_meta.labels_tracked is alphabetical and holds every detected label.',
        labelsAreTracked,
        'envelope._meta.labels_tracked[]',
      ),
    ],
  },
  identity: ['artist_id'],
  expectedItems,
};
