import { execFileSync } from 'node:child_process';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { rowsOfLists } from '../../adapters/stores/state/copy-rows.ts';
import {
  describeDatabase,
  type KeepOptions,
  keepCopy,
} from '../../adapters/stores/state/kept-source.ts';
import { useCleanup } from '../support/cleanup.ts';
import { createManualClock } from '../support/clock.ts';
import { createMemoryLog } from '../support/log.ts';
import { rejectionOf, until } from '../support/wait.ts';

interface Contents {
  readonly numbers: readonly number[];
}

const contentsOf = (...numbers: number[]): Contents => ({ numbers });
const rows = rowsOfLists<Contents>('numbers');
const minute = 60_000;

describe('a source with a copy', () => {
  const cleanup = useCleanup(afterEach);
  let folder: string;
  let clock: ReturnType<typeof createManualClock>;
  beforeEach(async () => {
    folder = await cleanup.makeFolder('kept');
    clock = createManualClock();
  });
  const file = () => join(folder, 'number.json');

  /** A source in another process, with the same folder. */
  const start = (given: Partial<KeepOptions> = {}, asRows = rows) => {
    const log = createMemoryLog();
    const first = contentsOf(1);
    const source = { load: async () => first };
    let isOpen = false;
    const open = async () => {
      isOpen = true;
      return { load: () => source.load() };
    };
    const options = { folder, unit: 'number', source: 'db', clock, log, ...given };
    const kept = cleanup.add(keepCopy(open, asRows, options), ({ close }) => close());
    return {
      kept,
      log,
      source,
      isOpen: () => isOpen,
      async load(...numbers: number[]) {
        for (const number of numbers) {
          source.load = async () => contentsOf(number);
          expect(await kept.load()).to.deep.equal(contentsOf(number));
        }
      },
      isWritten: () => until('it is written', () => kept.copy.age() === 0),
      events: () => log.entries.map(({ event }) => event),
    };
  };
  /** A process that loads this number and stops in order. */
  const run = async (number: number, given: Partial<KeepOptions> = {}): Promise<void> => {
    const { load, kept } = start(given);
    await load(number);
    await kept.close();
  };
  const recalled = async () => start().kept.recall?.();

  it('returns nothing and logs nothing without a copy', async () => {
    const { kept, events } = start();
    expect(await kept.recall?.()).to.equal(undefined);
    expect(events()).to.deep.equal([]);
    expect(kept.copy.age()).to.equal(undefined);
  });

  it("returns the last process's contents and their age, without opening the source", async () => {
    await run(5);
    clock.advance(10 * minute);
    const { kept, events, isOpen } = start();
    expect(await kept.recall?.()).to.deep.equal({ contents: contentsOf(5), age: 10 * minute });
    expect(events()).to.deep.equal(['copy loaded']);
    expect(kept.copy.age()).to.equal(10 * minute);
    expect(isOpen()).to.equal(false);
  });

  it('counts its age from the last load, even one without changes, which writes no rows', async () => {
    const { kept, isWritten } = start();
    await kept.load();
    await isWritten();
    const names = await readdir(folder);
    clock.advance(5 * minute);
    await kept.load();
    await kept.close();
    clock.advance(minute);
    expect(await readdir(folder)).to.deep.equal(names);
    expect((await recalled())?.age).to.equal(minute);
  });

  it('writes a whole copy when its rows are gone', async () => {
    const { load, isWritten, events } = start();
    await load(1);
    await isWritten();
    for (const name of await readdir(folder)) await rm(join(folder, name));
    clock.advance(minute);
    await load(1);
    await isWritten();
    expect(await recalled()).to.deep.equal({ contents: contentsOf(1), age: 0 });
    expect(events()).to.deep.equal([]);
  });

  it('writes one copy at a time, then the latest, and the rest when it closes', async () => {
    const seen: string[] = [];
    const write = function* (contents: Contents): Iterable<string> {
      seen.push(`begin ${contents.numbers}`);
      yield* rows.write(contents);
      // each is written by itself
      for (let row = 0; row < 10; row += 1) yield JSON.stringify(['padding', 'x'.repeat(40_000)]);
      seen.push(`end ${contents.numbers}`);
    };
    const { kept, load } = start({}, { ...rows, write });
    await load(1, 2, 3);
    await until('the latest is written', () => seen.includes('end 3'));
    expect(seen).to.deep.equal(['begin 1', 'end 1', 'begin 3', 'end 3']);
    await load(4, 5);
    await kept.close();
    expect((await recalled())?.contents).to.deep.include(contentsOf(5));
  });

  for (const [what, put, reason, isReplaced = true] of [
    ['of another database', () => run(5, { source: 'other' }), 'it is a copy of other'],
    [
      'of the future',
      () => run(5, { clock: createManualClock('2026-08-22T12:00:06.000Z') }),
      'it is 6000 ms ahead of the clock',
    ],
    ['that is damaged', () => run(5).then(() => writeFile(file(), 'damaged')), 'not a copy file'],
    // opening it would wait forever
    [
      'that is a named pipe',
      async () => execFileSync('mkfifo', [file()]),
      'it is not a regular file',
      false,
    ],
  ] as const)
    it(`ignores and replaces a copy ${what}, and logs why`, async () => {
      await put();
      const { kept, log, load } = start();
      expect(await kept.recall?.()).to.equal(undefined);
      expect(log.entries.map(({ event, facts }) => [event, Object(facts).reason])).to.deep.equal([
        ['copy ignored', reason],
      ]);
      if (!isReplaced) return;
      await load(1);
      await kept.close();
      expect((await recalled())?.contents).to.deep.equal(contentsOf(1));
    });

  it('accepts a copy that is ahead of the clock by 5 seconds, with age 0', async () => {
    await run(5, { clock: createManualClock('2026-08-22T12:00:05.000Z') });
    expect((await recalled())?.age).to.equal(0);
  });

  it('loads while no copy can be written, retries once a minute, and logs failure and success once', async () => {
    const blocked = join(folder, 'blocked');
    await writeFile(blocked, '');
    const { kept, load, isWritten, log } = start({ folder: join(blocked, 'state') });
    for (let failures = 1; failures <= 3; failures += 1) {
      await load(failures);
      await until('it has failed', () => kept.copy.failures() === failures);
      clock.advance(minute - 10_000);
      await load(7);
      clock.advance(10_000);
    }
    expect(kept.copy.failures()).to.equal(3);
    await rm(blocked);
    for (let loads = 0; loads < 2; loads += 1) {
      clock.advance(minute);
      await load(7);
      await isWritten();
    }
    expect(log.entries.map(({ level, event }) => `${level}: ${event}`)).to.deep.equal([
      'warn: copy not written (retrying)',
      'info: copy written again',
    ]);
    expect(await readdir(join(blocked, 'state'))).to.include('number.json');
  });

  it('keeps the result of the later of two loads, even if the earlier one ends last', async () => {
    const { kept, source, load } = start();
    let end: (contents: Contents) => void = () => {};
    const begun = new Promise<void>((begin) => {
      source.load = () => {
        begin();
        return new Promise((resolve) => {
          end = resolve;
        });
      };
    });
    const early = kept.load();
    await begun;
    await load(8);
    end(contentsOf(7));
    await early;
    await kept.close();
    expect((await recalled())?.contents).to.deep.equal(contentsOf(8));
  });

  it('rejects like the source, and keeps the copy', async () => {
    await run(5);
    const { kept, source } = start();
    await kept.recall?.();
    source.load = () => Promise.reject(new Error('away'));
    expect(await rejectionOf(kept.load())).to.equal('away');
    await kept.close();
    expect((await recalled())?.contents).to.deep.equal(contentsOf(5));
  });

  it('names a database by hosts and name, without user, password and options', () => {
    for (const [url, name] of [
      ['mongodb://localhost/gateway', 'mongodb://localhost/gateway'],
      ['mongodb://u:p%40ss@a.example:1,b:2/db?replicaSet=x', 'mongodb://a.example:1,b:2/db'],
      ['mongodb+srv://u:p@cluster.example/db', 'mongodb+srv://cluster.example/db'],
      ['mongodb://u:raw@p?ss@host/db?a=b@c/d', 'mongodb://host/db'],
    ] as const)
      expect(describeDatabase(url)).to.equal(name);
  });
});
