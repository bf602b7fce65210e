import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { finished } from 'node:stream/promises';

/** Opens a file for a document a line. Rejects when the folder cannot be written. */
export const openLineFile = async (path: string) => {
  const unfinished = `${path}.unfinished`;
  const stream = createWriteStream(unfinished, { flags: 'w', mode: 0o600 });
  await once(stream, 'open');
  return {
    async write(line: string): Promise<void> {
      if (!stream.write(`${line}\n`)) await once(stream, 'drain');
    },
    /** Gives the file its name, which it has only when it is complete. */
    async end(): Promise<void> {
      await finished(stream.end());
      await rename(unfinished, path);
    },
  };
};

export type LineFile = Awaited<ReturnType<typeof openLineFile>>;
