import { execFileSync } from 'node:child_process';
import { chmod, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { rowsOfLists } from '../../adapters/stores/state/copy-rows.ts';
import {
  type ContinuedSource,
  type KeepOptions,
  type KeptSource,
  keepCopy,
} from '../../adapters/stores/state/kept-source.ts';
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
  const formers: unknown[] = [];
  const source: ContinuedSource<Contents> = {
    async load(former) {
      formers.push(former && [former.contents.numbers[0], former.isOfThisVersion]);
      if (contents === undefined) throw new Error('away');
      return contents;
    },
  };
  /** Replaces the contents; `undefined`: loads fail. */
  const answer = (number: number | undefined): void => {
    contents = number === undefined ? undefined : contentsOf(number);
  };
  return { ...source, answer, formers };
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
  const file = () => join(folder, 'number.copy');

  /** A source in a process of its own, with the same folder. */
  const start = (given: Partial<KeepOptions> = {}, asRows = rows) => {
    const [source, log] = [createSource(), createMemoryLog()];
    const options = { folder, unit: 'number', source: 'db', program: '1', clock, log, ...given };
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

  it('returns what the last process had, with the time since the source answered, and hands it to the source until it has loaded', async () => {
    await run(5);
    clock.advance(10 * minute);
    const { kept, source, events, isOpen } = start();
    expect(await kept.recall?.()).to.deep.equal({ contents: contentsOf(5), age: 10 * minute });
    expect(events()).to.deep.equal(['copy loaded']);
    expect(kept.copy.age()).to.equal(10 * minute);
    expect(isOpen()).to.equal(false);
    for (const number of [undefined, 6, 7]) {
      source.answer(number);
      await kept.load().catch(() => {});
    }
    expect(source.formers).to.deep.equal([[5, true], [5, true], undefined]);
  });

  it('returns the contents of another version of the gateway, and tells the source that they are of another', async () => {
    await run(5, { program: '0.9' });
    const { kept, source } = start();
    expect((await kept.recall?.())?.contents).to.deep.equal(contentsOf(5));
    await kept.load();
    expect(source.formers).to.deep.equal([[5, false]]);
  });

  it('counts its age from the last answer, also one that had nothing new', async () => {
    const { kept } = start();
    await kept.load();
    await isWritten(kept);
    const { ino } = await stat(file());
    clock.advance(5 * minute);
    await kept.load();
    await kept.close();
    clock.advance(minute);
    expect((await stat(file())).ino).to.equal(ino);
    expect((await start().kept.recall?.())?.age).to.equal(minute);
  });

  it('writes a whole copy when the one that it would say it in is gone, or another file', async () => {
    const { kept, events } = start();
    await kept.load();
    await isWritten(kept);
    for (const replaceIt of [
      () => rm(file()),
      () => writeFile(file(), 'short'),
      () => chmod(file(), 0o620),
    ]) {
      await replaceIt();
      clock.advance(minute);
      await kept.load();
      await isWritten(kept);
      expect(await start().kept.recall?.()).to.deep.equal({ contents: contentsOf(1), age: 0 });
    }
    expect(events()).to.deep.equal([]);
  });

  it('goes on with the copy of an earlier process while its source returns the very contents', async () => {
    await run(5);
    const { ino } = await stat(file());
    clock.advance(minute);
    const { kept, source } = start();
    await kept.recall?.();
    source.load = async (former) => former?.contents ?? contentsOf(0);
    await kept.load();
    await kept.close();
    expect((await stat(file())).ino).to.equal(ino);
    expect(await start().kept.recall?.()).to.deep.equal({ contents: contentsOf(5), age: 0 });
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

  /** Puts something in place of the copy that a process has written. */
  const replace = async (put: () => unknown): Promise<void> => {
    await run(5);
    await rm(file());
    await put();
  };
  const copyAnother = async (): Promise<void> => {
    const options = {
      folder,
      unit: 'other',
      source: 'db',
      program: '1',
      clock,
      log: createMemoryLog(),
    };
    const other = keepCopy(async () => createSource(), rows, options);
    await other.load();
    await other.close();
    await rename(join(folder, 'other.copy'), file());
  };
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
    ['a damaged copy', () => replace(() => writeFile(file(), 'damaged')), 'not a copy file'],
    ['a copy of something else', () => replace(copyAnother), 'it is a copy of other'],
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

  it('ignores a copy that is not read in time, says why, and loads without writing to the same disk', async () => {
    await run(5);
    let answer = (_: Buffer) => {};
    const readBytes = () =>
      new Promise<Buffer>((resolve) => {
        answer = resolve;
      });
    const { kept, source, log, events } = start({ maxReadMs: 20, readBytes });
    expect(await kept.recall?.()).to.equal(undefined);
    expect(log.entries.map(({ facts }) => facts)).to.deep.equal([
      { copy: file(), reason: 'it was not read within 20 ms: its disk does not answer' },
    ]);
    source.answer(6);
    expect(await kept.load()).to.deep.equal(contentsOf(6));
    await sleep(50);
    expect(kept.copy.age()).to.equal(undefined);
    answer(Buffer.from('late'));
    await sleep(0);
    await kept.load();
    await isWritten(kept);
    expect(events()).to.deep.equal(['copy ignored']);
    expect((await start().kept.recall?.())?.contents).to.deep.equal(contentsOf(6));
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
      await sleep(20);
      expect(kept.copy.failures()).to.equal(failures);
      clock.advance(10_000);
    }
    expect(log.entries.map(({ level, event }) => `${level}: ${event}`)).to.deep.equal([
      'warn: copy not written (retrying)',
    ]);
    await rm(blocked);
    for (let loads = 0; loads < 2; loads++) {
      clock.advance(minute);
      await kept.load();
      await isWritten(kept);
    }
    expect(events()).to.deep.equal(['copy not written (retrying)', 'copy written again']);
    expect(await readdir(join(blocked, 'state'))).to.include('number.copy');
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
