import { artistRows } from '../../../src/crosswalk/artist-rows.ts';
import { equalJson, isObject, type Json, listAt, textAt, valueAt } from '../../../src/crosswalk/json.ts';
import type { Facts } from '../../../src/crosswalk/rows.ts';
import type { SideResponse } from '../cases/send-request.ts';
import { hiddenBecause } from './check-member.ts';
import type { ListKind } from './invariants.ts';
import { createLeafReader } from './json-paths.ts';
import type { Line } from './members.ts';
import type { Stored, StoredArtist } from './stored-documents.ts';

/** Holds what the current form shows against what is stored: members that the other form does not show, too. */
export type CheckAgainstStored = (items: ListKind, answer: SideResponse, facts: Facts) => readonly Line[];

const reason = 'What is answered is what is stored.';

const differing = (path: string, shown: Json | undefined, stored: Json | undefined): Line => ({
  kind: undefined,
  reason,
  current: shown === undefined ? undefined : { path, value: shown },
  unexpected:
    stored === undefined ? `${path}: nothing like this is stored.` : `${path}: stored is ${JSON.stringify(stored)}.`,
});

const compare = (path: string, shown: Json | undefined, stored: Json | undefined): Line[] =>
  equalJson(shown, stored) ? [] : [differing(path, shown, stored)];

/** A map without a known key is empty, whatever else is stored in it. */
const isEmptyMap = (value: Json): boolean => isObject(value) && Object.keys(value).length === 0;

const createArtistGround = () => {
  const rows = artistRows.flatMap((row) => (row.current === undefined ? [] : [{ row, pattern: row.current }]));
  const rowOf = new Map(rows.map(({ row, pattern }) => [pattern, row]));
  const read = createLeafReader(rows.map(({ row, pattern }) => ({ pattern, keys: row.keys })));

  /** Values by path, those of undeclared members and of withheld ones left out. */
  const valuesOf = (item: Json, facts: Facts): Map<string, Json> =>
    new Map(
      read(item)
        .filter(({ pattern, value }) => {
          const row = pattern === undefined ? undefined : rowOf.get(pattern);
          return row !== undefined && !isEmptyMap(value) && hiddenBecause(row, 'current', facts) === undefined;
        })
        .map(({ path, value }) => [path, value]),
    );

  return (shown: Json, { artist, withHistory }: StoredArtist, facts: Facts): Line[] => {
    const ours = valuesOf(shown, facts);
    const theirs = valuesOf(facts.circumstances.has('history') ? withHistory : artist, facts);
    return [...new Set([...ours.keys(), ...theirs.keys()])].flatMap((path) =>
      compare(path, ours.get(path), theirs.get(path)),
    );
  };
};

const pointOn = (stored: Json, metric: string, day: string): Json | undefined =>
  listAt(stored, `history.${metric}`).find((point) => textAt(point, 'date') === day);

const groundSpike = (shown: Json, { withHistory: stored }: StoredArtist): Line[] => {
  const metric = textAt(shown, 'metric') ?? '';
  const valueOn = (day: string) => valueAt(pointOn(stored, metric, textAt(shown, day) ?? ''), 'value');
  return [
    ...compare('artist_name', textAt(shown, 'artist_name'), textAt(stored, 'name')),
    ...compare('previous', valueAt(shown, 'previous'), valueOn('window.from')),
    ...compare('current', valueAt(shown, 'current'), valueOn('window.to')),
    ...compare('links.tiktok', valueAt(shown, 'links.tiktok'), valueAt(stored, 'links.tiktok')),
  ];
};

const groundSigning = (shown: Json, { artist: stored }: StoredArtist, { sees }: Facts): Line[] => {
  const seesNotes = sees.current('signing-notes:read');
  const storedSong = (id: string | undefined) => listAt(stored, 'songs').find((song) => textAt(song, 'id') === id);
  return [
    ...compare('artist_name', textAt(shown, 'artist_name'), textAt(stored, 'name')),
    ...compare('signing.status', valueAt(shown, 'signing.status'), valueAt(stored, 'signing.status')),
    ...(seesNotes ? compare('signing.note', valueAt(shown, 'signing.note'), valueAt(stored, 'signing.note')) : []),
    ...listAt(shown, 'label_songs').flatMap((song, place) => {
      const known = storedSong(textAt(song, 'song_id'));
      const at = `label_songs[${place}]`;
      return [
        ...compare(`${at}.song_name`, valueAt(song, 'song_name'), valueAt(known, 'name')),
        ...compare(`${at}.p_line`, valueAt(song, 'p_line'), valueAt(known, 'rights.p_line')),
        ...compare(`${at}.checked_at`, valueAt(song, 'checked_at'), valueAt(known, 'rights.checked_at')),
      ];
    }),
  ];
};

/** A check of answers against what is stored. */
export const createStoredDataCheck = (stored: Stored): CheckAgainstStored => {
  const grounds: Readonly<Record<ListKind, (shown: Json, stored: StoredArtist, facts: Facts) => Line[]>> = {
    artists: createArtistGround(),
    spikes: groundSpike,
    signings: groundSigning,
  };
  const identities: Readonly<Record<ListKind, string>> = { artists: 'id', spikes: 'artist_id', signings: 'artist_id' };
  return (items, answer, facts) =>
    answer.items.flatMap((item, place) => {
      const id = textAt(item, identities[items]);
      const known = stored.artists.get(id ?? '');
      const lines =
        known === undefined ? [differing(identities[items], id, undefined)] : grounds[items](item, known, facts);
      return lines.map((line) => ({ ...line, unexpected: `items[${place}] ${line.unexpected}` }));
    });
};
