import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addDays } from '../../../src/domain/day.ts';
import { useStarted } from '../cleanup.ts';

export type Document = Readonly<Record<string, unknown>>;

/** Makes a temporary folder of input files. */
export const createInputFolder = async () => {
  const path = await mkdtemp(join(tmpdir(), 'artist-gateway-input-'));
  /** Writes a file and returns its path. */
  const writeText = async (name: string, text: string): Promise<string> => {
    const file = join(path, name);
    await writeFile(file, text);
    return file;
  };
  return {
    path,
    writeText,
    /** Writes a collection, a document a line, and returns the file's path. */
    write: (name: string, documents: readonly Document[]) =>
      writeText(
        `${name}.ndjson`,
        documents.map((document) => `${JSON.stringify(document)}\n`).join('') || '\n',
      ),
    remove: () => rm(path, { recursive: true, force: true }),
  };
};

export type InputFolder = Awaited<ReturnType<typeof createInputFolder>>;

/** A folder for the tests of a suite; with `isEach` another one for each of them. */
export const useInputFolder = (isEach = false): InputFolder =>
  useStarted(createInputFolder, ({ remove }) => remove(), isEach);

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => String(index + 1).padStart(4, '0'));

/** Artists with one song each and only the required members. */
export const artistDocuments = (count: number, given: Document = {}): Document[] =>
  numbered(count).map((number) => ({
    _id: `doc${number}`,
    id: `art_${number}`,
    name: `Artist ${number}`,
    status: {},
    signing: {},
    links: {},
    metrics: { monthly_listeners: 1000 },
    songs: [{ id: `sng_${number}`, name: 'Song', metrics: {} }],
    freshness: {},
    provenance: {},
    data_quality: {},
    updated_at: '2026-08-22T00:00:00Z',
    ...given,
  }));

/** Two series of daily points for each artist: one of its own, one of its song. */
export const seriesDocuments = (count: number, { points = 5, add = 0 } = {}): Document[] =>
  numbered(count).flatMap((number) =>
    [{ metric: 'monthly_listeners' }, { metric: 'streams', song_id: `sng_${number}` }].map(
      (series) => ({
        artist_id: `art_${number}`,
        ...series,
        points: Array.from({ length: points }, (_, day) => ({
          date: addDays('2026-08-01', day),
          value: 1000 + day + add,
        })),
      }),
    ),
  );
