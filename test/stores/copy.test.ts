import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { formNames } from '../../adapters/forms/forms.ts';
import { parseArtist } from '../../adapters/stores/documents/catalogue-documents.ts';
import { createKeyReader, keyRecordsOf } from '../../adapters/stores/documents/key-reader.ts';
import {
  formatVersion,
  readCopy,
  writeHeader,
  writeRows,
} from '../../adapters/stores/state/copy-file.ts';
import { catalogueRows, rowsOfLists } from '../../adapters/stores/state/copy-rows.ts';
import {
  describeDatabase,
  type KeepOptions,
  keepCopy,
} from '../../adapters/stores/state/kept-source.ts';
import type { CatalogueContents, KeyRecords, RecentPoints } from '../../src/ports.ts';
import { useCleanup } from '../support/cleanup.ts';
import { createManualClock } from '../support/clock.ts';
import { readFixtures, type StoredDocument } from '../support/documents.ts';
import { createMemoryLog } from '../support/log.ts';
import {
  artistDocument,
  missing,
  pathsIn,
  withMember,
} from '../support/stores/stored-documents.ts';
import { rejectionOf, until } from '../support/wait.ts';

const header = {
  unit: 'catalogue',
  source: 'mongodb://db.example/artists',
  answeredAt: 1_787_000_000_000,
};

const writeCopy = async (path: string, rows: Iterable<string>): Promise<string> => {
  const written = await writeRows(path, rows);
  await writeHeader(path, { ...header, ...written });
  return join(dirname(path), written.file);
};

const keyRows = rowsOfLists<KeyRecords>('keys', 'organizations');

const fixtures = readFixtures();

/** The example keys as a source reads them, with documents that cannot be read. */
const readKeys = async (): Promise<KeyRecords> => {
  const identity = { _id: 'broken1', hash: '0'.repeat(64), form: 'current' };
  const broken = { ...identity, organization_id: 'org_qa', partner: 5 };
  const named = (...documents: readonly StoredDocument[]) =>
    documents.map((value) => ({ value, name: () => String(value['_id']) }));
  const read = createKeyReader(formNames, { acceptsDemoKeys: true });
  const keys = named(...fixtures.api_keys, broken);
  const organizations = named(...fixtures.organizations, { _id: 'org_broken' });
  return keyRecordsOf(await read(keys, organizations), formNames);
};

describe('a copy on disk', () => {
  const cleanup = useCleanup(afterEach);
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await cleanup.makeFolder('copy');
    path = join(folder, 'state', 'catalogue');
  });

  const readRows = async (): Promise<Iterable<string>> => {
    const copy = await readCopy(path);
    if (copy === undefined) throw new Error('there is no copy');
    expect(copy.header).to.deep.include(header);
    return copy.rows();
  };

  it('returns any artist with its points as written, without empty fields', async () => {
    const documents = pathsIn(artistDocument).flatMap((path) =>
      [missing, null, new Date(8.64e15), 'text', 0, false, []].map((value) =>
        withMember(artistDocument, path, value),
      ),
    );
    const parsed = [artistDocument, ...fixtures.artists, ...documents].map(parseArtist);
    const models = parsed.flatMap((result) => ('model' in result ? [result.model] : []));
    expect(models.length).to.be.greaterThan(200);
    const shared = ['2026-08-20', '2026-08-22'];
    const recentOf = (index: number): RecentPoints[] => [
      { metric: 'social_score', days: shared, values: [index, 2 ** 53] },
      { metric: 'monthly_listeners', days: [], values: [] },
      { metric: 'tiktok_followers', days: ['2026-08-21'], values: [0.1] },
    ];
    const contents: CatalogueContents = {
      artists: models.map((artist, index) => ({
        artist,
        recent: recentOf(index),
        ...(index % 2 && { content: 'x' }),
      })),
      labels: [{ name: 'tab\t and \u2028 are texts', aliases: [] }],
      faults: [
        {
          event: 'invalid field ignored',
          collection: 'artists',
          document: 'a',
          reason: 'name: bad',
        },
      ],
    };
    const read = await catalogueRows.read(catalogueRows.write(contents));
    expect(JSON.parse(JSON.stringify(read))).to.deep.equal(JSON.parse(JSON.stringify(contents)));
    expect(read.artists[0]?.recent[0]?.days).to.equal(read.artists[1]?.recent[0]?.days);
  });

  it('returns empty lists as written', async () => {
    const empty = { artists: [], labels: [], faults: [] };
    expect(await catalogueRows.read(catalogueRows.write(empty))).to.deep.include(empty);
    const none = { keys: [], organizations: [] };
    expect(await keyRows.read(keyRows.write(none))).to.deep.equal(none);
  });

  it('returns keys, organizations and unreadable keys as written', async () => {
    const keys = await readKeys();
    const read = await keyRows.read(keyRows.write(keys));
    expect(read).to.deep.equal(JSON.parse(JSON.stringify(keys)));
    expect(read.unreadable?.map(({ id }) => id)).to.include('broken1');
  });

  it('contains hashes but no key text, and is readable only for its user', async () => {
    const file = await writeCopy(path, keyRows.write(await readKeys()));
    const text = await readFile(file, 'utf8');
    for (const { demo_key, hash } of fixtures.api_keys) {
      expect(text).to.include(hash);
      expect(text).not.to.include(demo_key);
    }
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    expect((await stat(join(folder, 'state'))).mode & 0o777).to.equal(0o700);
  });

  it('is rejected if any byte of its rows differs, is missing or is added', async () => {
    const file = await writeCopy(path, keyRows.write(await readKeys()));
    const bytes = await readFile(file);
    for (let at = 0; at < bytes.length; at += Math.max(1, Math.floor(bytes.length / 100))) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      for (const other of [damaged, bytes.subarray(0, at), Buffer.concat([bytes, damaged])]) {
        await writeFile(file, other);
        expect(await rejectionOf(readCopy(path)), `byte ${at}`).to.equal('its checksum is wrong');
      }
    }
  });

  const headerWith = (given: object): string =>
    JSON.stringify({ ...header, format: formatVersion, sha256: '', ...given });
  for (const [what, text, reason] of [
    ['a text', 'hello\n', 'not a copy file'],
    [
      'a copy of another format',
      headerWith({ format: '5', file: `catalogue-${randomUUID()}.ndjson` }),
      `it has format 5, this version reads ${formatVersion}`,
    ],
    ['one with rows elsewhere', headerWith({ file: '../keys.ndjson' }), 'not a copy file'],
  ] as const)
    it(`is rejected if it is ${what}`, async () => {
      await mkdir(join(folder, 'state'));
      await writeFile(`${path}.json`, text, { mode: 0o600 });
      expect(await rejectionOf(readCopy(path))).to.equal(reason);
    });

  it('is rejected if other users may write to it', async () => {
    const file = await writeCopy(path, []);
    for (const one of [file, `${path}.json`]) {
      await chmod(one, 0o620);
      expect(await rejectionOf(readCopy(path))).to.equal('other users may write to it');
      await chmod(one, 0o600);
    }
  });

  it('keeps the previous copy, and no other file, if writing the next fails', async () => {
    for (const row of ['0', '1']) await writeCopy(path, [row]);
    const rows = function* (): Iterable<string> {
      yield 'x'.repeat(100_000);
      throw new Error('no more');
    };
    expect(await rejectionOf(writeRows(path, rows()))).to.equal('no more');
    expect([...(await readRows())]).to.deep.equal(['1']);
    expect(await readdir(join(folder, 'state'))).to.have.length(2);
  });
});

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

  it('counts its age from the last load, even if nothing changed', async () => {
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

  it('writes one copy at a time, then the latest, and the rest on close', async () => {
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

  it('accepts a copy 5 seconds ahead of the clock, with age 0', async () => {
    await run(5, { clock: createManualClock('2026-08-22T12:00:05.000Z') });
    expect((await recalled())?.age).to.equal(0);
  });

  it('loads while no copy can be written, and retries once a minute', async () => {
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

  it('keeps the result of the later load, even if the earlier ends last', async () => {
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
