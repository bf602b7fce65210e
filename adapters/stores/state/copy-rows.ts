import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Day } from '../../../src/domain/day.ts';
import type { CatalogueContents, ListedArtist, RecentPoints } from '../../../src/ports.ts';
import { createInterner } from '../documents/intern.ts';

/** Writes loaded contents as rows of JSON, each made on demand, and reads them. */
export interface CopyRows<Contents> {
  readonly write: (contents: Contents) => Iterable<string>;
  readonly read: (rows: Iterable<string>) => Promise<Contents>;
}

type Lists = Readonly<Record<string, readonly unknown[]>>;

/** Rows parsed per turn of the event loop: about a millisecond. */
const rowsPerTurn = 50;

/** Each item of each list, after the list's name. */
function* writeLists(lists: object): Iterable<string> {
  for (const [name, items] of Object.entries(lists))
    for (const item of items) yield JSON.stringify([name, item]);
}

const readLists = async (
  rows: Iterable<string>,
  lists: Record<string, unknown[]>,
): Promise<Lists> => {
  let count = 0;
  for (const row of rows) {
    // The checksum and the format version guarantee that it is a row.
    const [name, item]: [string, unknown] = JSON.parse(row);
    lists[name] ??= [];
    lists[name].push(item);
    count += 1;
    if (count % rowsPerTurn === 0) await nextTurn();
  }
  return lists;
};

/** Rows of contents that are only lists. The given lists exist even if they are empty. */
export const rowsOfLists = <Contents extends object>(
  ...names: readonly (keyof Contents & string)[]
): CopyRows<Contents> => ({
  write: writeLists,
  // The checksum and the format version guarantee the type.
  read: async (rows) =>
    (await readLists(rows, Object.fromEntries(names.map((name) => [name, []])))) as Contents,
});

/**
 * An artist's row. Most series have the same days, which have their own row: `days` is its index.
 */
type ArtistRow = Omit<ListedArtist, 'recent'> & {
  readonly recent: readonly (Omit<RecentPoints, 'days'> & { readonly days: number })[];
};

type CatalogueLists = Omit<CatalogueContents, 'artists'> & {
  readonly days: readonly (readonly Day[])[];
  readonly artists: readonly ArtistRow[];
};

const { read: readCatalogueLists } = rowsOfLists<CatalogueLists>(
  'days',
  'artists',
  'labels',
  'faults',
);

function* writeCatalogue({ artists, ...lists }: CatalogueContents): Iterable<string> {
  const indexes = new Map<readonly Day[], number>();
  for (const { recent, ...listed } of artists) {
    for (const { days } of recent) {
      if (indexes.has(days)) continue;
      indexes.set(days, indexes.size);
      yield JSON.stringify(['days', days]);
    }
    const series = recent.map((points) => ({ ...points, days: indexes.get(points.days) }));
    yield JSON.stringify(['artists', { ...listed, recent: series }]);
  }
  yield* writeLists(lists);
}

const readCatalogue = async (rows: Iterable<string>): Promise<CatalogueContents> => {
  const { days, artists: artistRows, ...lists } = await readCatalogueLists(rows);
  const intern = createInterner();
  const artists: ListedArtist[] = [];
  for (const { artist, recent, content } of artistRows) {
    const series = recent.map(({ metric, days: index, values }) => ({
      metric,
      days: days[index] ?? [],
      values,
    }));
    artists.push({
      artist: intern(artist),
      recent: series,
      ...(content !== undefined && { content }),
    });
    if (artists.length % rowsPerTurn === 0) await nextTurn();
  }
  return { ...lists, artists };
};

export const catalogueRows: CopyRows<CatalogueContents> = {
  write: writeCatalogue,
  read: readCatalogue,
};
