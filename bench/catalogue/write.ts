import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { generateArtist } from './artists.ts';
import { generateHistory, halfMegabyteDays } from './histories.ts';
import type { Keys } from './keys.ts';
import { labels } from './words.ts';

export interface CatalogueSize {
  readonly artists: number;
  /** How many of the first artists have half a megabyte of history each. */
  readonly histories: number;
}

const writeLines = (file: string, documents: Iterable<object>): Promise<void> =>
  pipeline(
    Readable.from(documents),
    async function* (source: AsyncIterable<object>) {
      for await (const document of source) yield `${JSON.stringify(document)}\n`;
    },
    createWriteStream(file),
  );

function* artists(count: number): Iterable<object> {
  for (let index = 0; index < count; index++) yield generateArtist(index);
}

function* histories(count: number): Iterable<object> {
  for (let index = 0; index < count; index++) yield* generateHistory(generateArtist(index), halfMegabyteDays);
}

/** Writes a catalogue and its keys into a folder, in the format that `CATALOGUE_DIR` and `KEYS_DIR` expect. */
export const writeCatalogue = async (folder: string, size: CatalogueSize, keys: Keys): Promise<void> => {
  await mkdir(folder, { recursive: true });
  await writeLines(join(folder, 'artists.ndjson'), artists(size.artists));
  if (size.histories > 0) await writeLines(join(folder, 'history.ndjson'), histories(size.histories));
  await writeFile(join(folder, 'labels.json'), JSON.stringify(labels.map((name) => ({ name, aliases: [] }))));
  await writeFile(join(folder, 'organizations.json'), JSON.stringify(keys.organizations));
  await writeFile(join(folder, 'api_keys.json'), JSON.stringify(keys.documents));
};
