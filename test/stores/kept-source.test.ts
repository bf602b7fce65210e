import { execFileSync } from 'node:child_process';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { rowsOfLists } from '../../adapters/stores/state/copy-rows.ts';
import {
  describeDatabase,
  type KeepOptions,
  type KeptSource,
  keepCopy,
} from '../../adapters/stores/state/kept-source.ts';
import type { Source } from '../../src/ports.ts';
import { useCleanup } from '../support/cleanup.ts';
import { createManualClock } from '../support/clock.ts';
import { createMemoryLog } from '../support/log.ts';
import { rejectionOf, until } from '../support/wait.ts';

interface Contents {
  readonly numbers: readonly number[];
}

/** Contents of a single number. */
const contentsOf = (number: number): Contents => ({ numbers: [number] });

const rows = rowsOfLists<Contents>('numbers');

/** A source of a single number. */
const createSource = () => {
  let contents: Contents | undefined = contentsOf(1);
  const source: Source<Contents> = {
    async load() {
      if (contents === undefined) throw new Error('away');
      return contents;
    },
  };
  /** Replaces the contents; `undefined`: loads fail. */
  const answer = (number: number | undefined): void => {
    contents = number === undefined ? undefined : contentsOf(number);
  };
  return { ...source, answer };
};

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

  /** A source in a process of its own, with the same folder. */
  const start = (given: Partial<KeepOptions> = {}, asRows = rows) => {
    const [source, log] = [createSource(), createMemoryLog()];
    const options = { folder, unit: 'number', source: 'db', clock, log, ...given };
    let isOpen = false;
    const open = async () => {
      isOpen = true;
      return source;
    };
    const kept = cleanup.add(keepCopy(open, asRows, options), ({ close }) => close());
    return {
      source,
      log,
      kept,
      isOpen: () => isOpen,
      events: () => log.entries.map(({ event }) => event),
    };
  };
  const ignoredFor = ({ log }: ReturnType<typeof start>) =>
    log.entries.flatMap(({ event, facts }) =>
      event === 'copy ignored' && 'reason' in facts ? [facts.reason] : [],
    );

  const isWritten = ({ copy }: KeptSource<unknown>) =>
    until('it is written', () => copy.age() === 0);
  /** A process that loads this number and stops in order. */
  const run = async (number: number, given: Partial<KeepOptions> = {}): Promise<void> => {
    const { source, kept } = start(given);
    source.answer(number);
    await kept.load();
    await kept.close();
  };

  it('returns nothing, and says nothing, when there is no copy', async () => {
    const { kept, events } = start();
    expect(await kept.recall?.()).to.equal(undefined);
    expect(events()).to.deep.equal([]);
    expect(kept.copy.age()).to.equal(undefined);
  });

  it('returns what the last process had, with the time since the source answered, without opening the source', async () => {
    await run(5);
    clock.advance(10 * minute);
    const { kept, events, isOpen } = start();
    expect(await kept.recall?.()).to.deep.equal({ contents: contentsOf(5), age: 10 * minute });
    expect(events()).to.deep.equal(['copy loaded']);
    expect(kept.copy.age()).to.equal(10 * minute);
    expect(isOpen()).to.equal(false);
  });

  it('counts its age from the last answer, also one that had nothing new', async () => {
    const { kept } = start();
    await kept.load();
    await isWritten(kept);
    const names = await readdir(folder);
    clock.advance(5 * minute);
    await kept.load();
    await kept.close();
    clock.advance(minute);
    expect(await readdir(folder), 'the same rows').to.deep.equal(names);
    expect((await start().kept.recall?.())?.age).to.equal(minute);
  });

  it('writes a whole copy when its rows are gone', async () => {
    const { kept, events } = start();
    await kept.load();
    await isWritten(kept);
    for (const name of await readdir(folder)) await rm(join(folder, name));
    clock.advance(minute);
    await kept.load();
    await isWritten(kept);
    expect(await start().kept.recall?.()).to.deep.equal({ contents: contentsOf(1), age: 0 });
    expect(events()).to.deep.equal([]);
  });

  it('writes one answer after another, in the end the latest, and what is not written yet when it closes', async () => {
    const seen: string[] = [];
    const write = function* (contents: Contents): Iterable<string> {
      seen.push(`begin ${contents.numbers}`);
      yield* rows.write(contents);
      // each is written by itself
      for (let row = 0; row < 10; row++) yield JSON.stringify(['padding', 'x'.repeat(40_000)]);
      seen.push(`end ${contents.numbers}`);
    };
    const { kept, source } = start({}, { ...rows, write });
    const loadAll = async (...numbers: number[]) => {
      for (const number of numbers) {
        source.answer(number);
        await kept.load();
      }
    };
    await loadAll(1, 2, 3);
    await isWritten(kept);
    await until('the latest is written', () => seen.includes('end 3'));
    expect(seen).to.deep.equal(['begin 1', 'end 1', 'begin 3', 'end 3']);
    await loadAll(4, 5);
    await kept.close();
    expect((await start().kept.recall?.())?.contents).to.deep.include(contentsOf(5));
  });

  for (const [what, put, reason] of [
    [
      'a copy of another database',
      () => run(5, { source: 'another db' }),
      'it is a copy of another db',
    ],
    [
      'a copy of the future',
      () => run(5, { clock: createManualClock('2026-08-22T12:00:06.000Z') }),
      'it is 6000 ms ahead of the clock',
    ],
    [
      'a damaged copy',
      async () => {
        await run(5);
        await writeFile(file(), 'damaged');
      },
      'not a copy file',
    ],
  ] as const) {
    it(`ignores ${what}, says why, and replaces it`, async () => {
      await put();
      const next = start();
      expect(await next.kept.recall?.()).to.equal(undefined);
      expect(ignoredFor(next)).to.deep.equal([reason]);
      await next.kept.load();
      await next.kept.close();
      expect((await start().kept.recall?.())?.contents).to.deep.equal(contentsOf(1));
    });
  }

  it('ignores a pipe in place of a copy, whose opening would wait for ever, and says why', async () => {
    execFileSync('mkfifo', [file()]);
    const next = start();
    expect(await next.kept.recall?.()).to.equal(undefined);
    expect(ignoredFor(next)).to.deep.equal(['it is not a regular file']);
  });

  it('is as old as the clock says when a copy is ahead of it by no more than 5 seconds', async () => {
    await run(5, { clock: createManualClock('2026-08-22T12:00:05.000Z') });
    expect((await start().kept.recall?.())?.age).to.equal(0);
  });

  it('loads while the copy cannot be written, and logs the first failure and the next success', async () => {
    const blocked = join(folder, 'blocked');
    await writeFile(blocked, '');
    const { kept, source, events, log } = start({ folder: join(blocked, 'state') });
    for (let failures = 1; failures <= 3; failures++) {
      source.answer(failures);
      expect(await kept.load()).to.deep.equal(contentsOf(failures));
      await until('it has failed', () => kept.copy.failures() === failures);
      clock.advance(minute - 10_000);
      source.answer(7);
      await kept.load();
      clock.advance(10_000);
    }
    expect(log.entries.map(({ level, event }) => `${level}: ${event}`)).to.deep.equal([
      'warn: copy not written (retrying)',
    ]);
    expect(kept.copy.failures()).to.equal(3);
    await rm(blocked);
    for (let loads = 0; loads < 2; loads++) {
      clock.advance(minute);
      await kept.load();
      await isWritten(kept);
    }
    expect(events()).to.deep.equal(['copy not written (retrying)', 'copy written again']);
    expect(await readdir(join(blocked, 'state'))).to.include('number.json');
  });

  it('keeps what the later of two loads has read, also where the earlier one ends last', async () => {
    const { kept, source } = start();
    const { load } = source;
    let end: (contents: Contents) => void = () => {};
    source.load = () =>
      new Promise((resolve) => {
        end = resolve;
      });
    const early = kept.load();
    await sleep(0); // it has begun
    source.load = load;
    source.answer(8);
    await kept.load();
    end(contentsOf(7));
    await early;
    await kept.close();
    expect((await start().kept.recall?.())?.contents).to.deep.equal(contentsOf(8));
  });

  it('is named by hosts and database, without user, password and options', () => {
    for (const [url, name] of [
      ['mongodb://localhost/gateway', 'mongodb://localhost/gateway'],
      [
        'mongodb://user:p%40ss@a.example:1,b.example:2/gateway?replicaSet=x',
        'mongodb://a.example:1,b.example:2/gateway',
      ],
      ['mongodb+srv://u:p@cluster.example/gateway', 'mongodb+srv://cluster.example/gateway'],
      ['mongodb://u:raw@p?ss@host/db?a=b@c/d', 'mongodb://host/db'],
    ] as const)
      expect(describeDatabase(url)).to.equal(name);
  });

  it('rejects when the source does, and keeps the copy', async () => {
    await run(5);
    const { kept, source } = start();
    await kept.recall?.();
    source.answer(undefined);
    expect(await rejectionOf(kept.load())).to.equal('away');
    await kept.close();
    expect((await start().kept.recall?.())?.contents).to.deep.equal(contentsOf(5));
  });
});
