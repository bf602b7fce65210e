import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const findLibrary = (): string => {
  const folders = [
    '/usr/lib',
    ...readdirSync('/usr/lib').map((name) => join('/usr/lib', name)),
    '/usr/local/lib',
  ];
  const paths = folders.map((folder) => join(folder, 'faketime', 'libfaketime.so.1'));
  const found = paths.find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new Error(
    'libfaketime was not found: the nemesis sets clocks with it. Install it: "apt-get install faketime".',
  );
};

/**
 * Makes a wall clock for processes of its own, which a test may set while they run. Their monotonic
 * clock stays right. Its file is in `folder`.
 */
export const createSettableClock = (folder: string, name: string) => {
  const file = join(folder, name);
  let ahead = 0;
  /** Sets it to this many whole seconds ahead of the machine's. */
  const set = (seconds: number): void => {
    ahead = seconds;
    writeFileSync(`${file}.new`, `${seconds < 0 ? '' : '+'}${seconds}s\n`);
    renameSync(`${file}.new`, file); // a process never reads half a file
  };
  set(0);
  return {
    /** Of a process that uses it. */
    environment: {
      // libc is named too: with jemalloc, which Debian's Redis is linked with, libfaketime waits
      // for itself at the start.
      LD_PRELOAD: `${findLibrary()} libc.so.6`,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    set,
    ahead: () => ahead,
  };
};

export type SettableClock = ReturnType<typeof createSettableClock>;
