import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes a temporary folder of the files that a source in files reads. */
export const createDocumentFolder = async () => {
  const path = await mkdtemp(join(tmpdir(), 'artist-gateway-'));
  let writes = 0;
  return {
    path,
    /** Writes the documents of each collection. */
    async write(collections: Readonly<Record<string, unknown>>): Promise<void> {
      writes += 1;
      for (const [name, documents] of Object.entries(collections)) {
        const file = join(path, `${name}.json`);
        await writeFile(file, JSON.stringify(documents));
        // two writes may share one tick of the file system's clock
        await utimes(file, writes, writes);
      }
    },
    close: () => rm(path, { recursive: true }),
  };
};
