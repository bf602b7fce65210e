import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateArtist } from './artists.ts';
import { generateHistory, halfMegabyteDays } from './histories.ts';
import type { Keys } from './keys.ts';
import { labels } from './words.ts';

const linesOf = (documents: readonly object[]): string =>
  documents.map((document) => `${JSON.stringify(document)}\n`).join('');

/** Writes a catalogue whose first artist has half a megabyte of history, and keys, as `CATALOGUE_DIR` and `KEYS_DIR` expect them. */
export const writeCatalogue = async (folder: string, artists: number, keys: Keys): Promise<void> => {
  const history = generateHistory(generateArtist(0), halfMegabyteDays);
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'artists.ndjson'),
    linesOf(Array.from({ length: artists }, (_, index) => generateArtist(index))),
  );
  await writeFile(join(folder, 'history.ndjson'), linesOf(history));
  await writeFile(join(folder, 'labels.json'), JSON.stringify(labels.map((name) => ({ name, aliases: [] }))));
  await writeFile(join(folder, 'organizations.json'), JSON.stringify(keys.organizations));
  await writeFile(join(folder, 'api_keys.json'), JSON.stringify(keys.documents));
};
