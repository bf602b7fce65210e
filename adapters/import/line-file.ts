import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { finished } from 'node:stream/promises';

/** A file with a document a line. It has its name only when it is complete. */
export interface LineFile {
  readonly lines: number;
  write(line: string): Promise<void>;
  /** Gives the file its name. */
  end(): Promise<void>;
}

/** Opens a file for its lines. Rejects when the folder cannot be written. */
export const openLineFile = async (path: string): Promise<LineFile> => {
  const unfinished = `${path}.unfinished`;
  const stream = createWriteStream(unfinished, { flags: 'w', mode: 0o600 });
  await once(stream, 'open');
  let lines = 0;
  return {
    get lines() {
      return lines;
    },
    async write(line) {
      lines += 1;
      if (!stream.write(`${line}\n`)) await once(stream, 'drain');
    },
    async end() {
      await finished(stream.end());
      await rename(unfinished, path);
    },
  };
};
