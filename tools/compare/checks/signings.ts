import {
  isObject,
  type Json,
  type JsonObject,
  listAt,
  textAt,
  valueAt,
} from '../../../src/domain/json.ts';
import { byMembers, type ListCheck } from './list-check.ts';
import { byLowerCase, byText, thenBy } from './orders.ts';

const byName = (left: Json, right: Json): number =>
  byLowerCase(textAt(left, 'artist_name') ?? '', textAt(right, 'artist_name') ?? '');

/** If the aliases of labels are not known, uses the labels of the answer. */
const expectedItems: ListCheck['expectedItems'] = ({ artists, findLabel }, { items }) => {
  const shown = items.flatMap((item) => listAt(item, 'label_songs'));
  const labels = new Map(
    shown.map((song) => [textAt(song, 'song_id'), textAt(song, 'label_detected')]),
  );
  const labelOf = (song: Json): string | undefined =>
    findLabel === undefined
      ? labels.get(textAt(song, 'id'))
      : findLabel(textAt(song, 'rights.p_line') ?? '');
  return artists
    .map((artist) => {
      const songs = listAt(artist, 'songs').flatMap((song): JsonObject[] => {
        const label = labelOf(song);
        const rights = valueAt(song, 'rights');
        const names = { song_id: textAt(song, 'id') ?? '', song_name: textAt(song, 'name') ?? '' };
        return label === undefined
          ? []
          : [{ ...names, ...(isObject(rights) && rights), label_detected: label }];
      });
      return {
        artist_id: textAt(artist, 'id') ?? '',
        artist_name: textAt(artist, 'name') ?? '',
        signing: valueAt(artist, 'signing') ?? {},
        label_songs: songs,
        total_label_songs: songs.length,
        basis: [
          ...(textAt(artist, 'signing.status') === 'signed' ? ['reviewed_status'] : []),
          ...(songs.length > 0 ? ['label_p_line'] : []),
        ],
      };
    })
    .filter(({ basis }) => basis.length > 0)
    .sort(thenBy(byName, byText('artist_id')));
};

export const signingCheck: ListCheck = {
  table: 'signing',
  identify: () => byMembers('artist_name'),
  identity: ['artist_id'],
  keyMembers: ['artist_id', 'artist_name', 'signing.status', 'total_label_songs', 'basis'],
  expectedItems,
};
