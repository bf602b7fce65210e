import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A wall clock for processes of its own, which a test may set while they run. Their monotonic clock stays right. */
export interface SettableClock {
  /** Environment of a process that uses it. */
  readonly environment: Record<string, string>;
  /** Sets it to this many whole seconds ahead of the machine's. */
  set(aheadSeconds: number): void;
  ahead(): number;
}

const findLibrary = (): string => {
  const folders = ['/usr/lib', ...readdirSync('/usr/lib').map((name) => join('/usr/lib', name)), '/usr/local/lib'];
  const paths = folders.map((folder) => join(folder, 'faketime', 'libfaketime.so.1'));
  const found = paths.find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new Error(
    'libfaketime was not found: the nemesis sets clocks with it. Install it: "apt-get install faketime".',
  );
};

/** Makes a clock. Its file is in `folder`. */
export const createSettableClock = (folder: string, name: string): SettableClock => {
  const file = join(folder, name);
  let ahead = 0;
  const set = (seconds: number): void => {
    ahead = seconds;
    writeFileSync(`${file}.new`, `${seconds < 0 ? '' : '+'}${seconds}s\n`);
    renameSync(`${file}.new`, file); // a process never reads half a file
  };
  set(0);
  return {
    environment: {
      // libc is named too: with jemalloc, which Debian's Redis is linked with, libfaketime waits for itself at the start.
      LD_PRELOAD: `${findLibrary()} libc.so.6`,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    set,
    ahead: () => ahead,
  };
};
