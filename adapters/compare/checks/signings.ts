import { isDeepStrictEqual } from 'node:util';
import { type Json, listAt, numberAt, textAt, valueAt } from '../../../src/crosswalk/json.ts';
import { byCodePoint } from '../../../src/domain/order.ts';
import { aboutRow, byText, eachItem, type Invariant, noDuplicates, onePage, ordered, thenBy } from './invariants.ts';
import { byMembers, createStoredComparison, type ListCheck } from './list-check.ts';
import { type ComparedLine, createMemberComparison } from './members.ts';

const byLowerCase = (left: string, right: string): number => byCodePoint(left.toLowerCase(), right.toLowerCase());

const byName = (left: Json, right: Json): number =>
  byLowerCase(textAt(left, 'artist_name') ?? '', textAt(right, 'artist_name') ?? '');

const labelSongsAreCounted = eachItem((item) => [
  numberAt(item, 'total_label_songs') !== listAt(item, 'label_songs').length &&
    'total_label_songs is not the number of label_songs.',
]);

const basisIsTrue = eachItem((item) => {
  const expected = [
    ...(textAt(item, 'signing.status') === 'signed' ? ['reviewed_status'] : []),
    ...(listAt(item, 'label_songs').length > 0 ? ['label_p_line'] : []),
  ];
  return [!isDeepStrictEqual(valueAt(item, 'basis'), expected) && `basis must be ${JSON.stringify(expected)}.`];
});

const labelsAreTracked: Invariant = ({ bodies, items }) => {
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

const compareWithStored = createStoredComparison('signing');

const labelSongLines = (shown: Json, stored: Json): ComparedLine[] =>
  listAt(shown, 'label_songs').flatMap((song, index) => {
    const known = listAt(stored, 'songs').find((one) => textAt(one, 'id') === textAt(song, 'song_id'));
    const compare = (member: string, storedMember: string) =>
      compareWithStored(`label_songs[${index}].${member}`, valueAt(song, member), valueAt(known, storedMember));
    return [
      ...compare('song_name', 'name'),
      ...compare('p_line', 'rights.p_line'),
      ...compare('checked_at', 'rights.checked_at'),
    ];
  });

export const signingCheck: ListCheck = {
  compareMembers: createMemberComparison('signing', { list: 'label_songs', identity: 'song_name' }),
  identify: () => byMembers('artist_name'),
  invariants: {
    current: [
      onePage,
      ordered('by name, then by id', thenBy(byName, byText('artist_id'))),
      aboutRow('signing.total_label_songs', labelSongsAreCounted),
      aboutRow('signing.basis[]', basisIsTrue),
      noDuplicates('artist_id'),
    ],
    variant: [
      ordered('by name', byName),
      aboutRow('signing.total_label_songs', labelSongsAreCounted),
      aboutRow('envelope._meta.labels_tracked[]', labelsAreTracked),
    ],
  },
  artistId: 'artist_id',
  checkStored(shown, { artist: stored }, { hasScope }) {
    const compare = (member: string) => compareWithStored(member, valueAt(shown, member), valueAt(stored, member));
    return [
      ...compareWithStored('artist_name', textAt(shown, 'artist_name'), textAt(stored, 'name')),
      ...compare('signing.status'),
      ...(hasScope.current('signing-notes:read') ? compare('signing.note') : []),
      ...labelSongLines(shown, stored),
    ];
  },
};
