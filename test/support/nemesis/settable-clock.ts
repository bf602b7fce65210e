import { execFileSync } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Makes a wall clock for processes of its own, which a test may set while they run. Their monotonic
 * clock stays right. Its file is in `folder`. The package `faketime` must be installed.
 */
export const createSettableClock = (folder: string, name: string) => {
  const file = join(folder, name);
  const library = execFileSync('faketime', ['-f', '+0s', 'printenv', 'LD_PRELOAD'], {
    encoding: 'utf8',
  });
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
      LD_PRELOAD: `${library.trim()} libc.so.6`,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    set,
    ahead: () => ahead,
  };
};

export type SettableClock = ReturnType<typeof createSettableClock>;
