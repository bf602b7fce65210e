import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import type { Artist } from '../../src/domain/model.ts';
import {
  buildArtist,
  buildKey,
  buildPoint,
  buildSeries,
  buildSong,
  keySourceOf,
} from '../support/builders.ts';
import { killWithTests } from '../support/child-process.ts';
import { today } from '../support/forms/numbered-artists.ts';
import { createTestGateway, fullKeys, type TestGateway } from '../support/gateway.ts';
import { forward, type LocalServer, openLocalServer } from '../support/partners/local-server.ts';
import { clientFile, type Outcome, runProgramFile } from '../support/partners/programs.ts';
import { createTestSource } from '../support/source.ts';

/** Prints the rows of each view: the answer, and what the copy says of it. */
const dump = `
import json, sqlite3, sys
database = sqlite3.connect(sys.argv[1])
print(json.dumps({view: [[json.loads(row[0]), *row[1:]] for row in database.execute(
    f"SELECT answer, first_seen, last_seen, gone FROM {view}")]
    for view in ("artists", "songs", "points", "spikes", "signings")}))
`;

type Row = readonly [answer: unknown, firstSeen: string, lastSeen: string, gone: string | null];
type Rows = Readonly<Record<string, readonly Row[]>>;
type Answer = Readonly<Record<string, unknown>>;

/** Answers as texts, in an order of their own, like the members of each. */
const sorted = (answers: readonly unknown[]): readonly string[] => {
  const inOrder = (_name: string, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort())
      : value;
  return answers.map((answer) => JSON.stringify(answer, inOrder)).sort();
};

const pointsOf = ({ history }: Answer): readonly unknown[] => Object.values(history ?? {}).flat();

const withoutParts = ({ songs: _songs, history: _history, ...rest }: Answer): Answer => rest;

const artistsOf = (count: number, named = 'Artist'): readonly Artist[] =>
  Array.from({ length: count }, (_, index) =>
    buildArtist({
      id: `art_${index}`,
      documentId: `doc_${index}`,
      name: `${named} ${index} é`,
      dateAdded: '2026-08-01',
      songs: [buildSong({ id: `sng_${index}` })],
      ...(index === 0 && { metrics: { monthly_listeners: 1, social_score: 2 } }),
    }),
  );
const seriesWith = (value: number) => [
  buildSeries({
    artistId: 'art_0',
    points: [buildPoint('2026-08-01', 5), buildPoint('2026-08-02', value)],
  }),
];

const unchanged = /^0 rows are new, 0 changed, 0 are gone, after \d+ requests\./;

describe('the copy of the client', () => {
  const folder = mkdtempSync(join(tmpdir(), 'copy-'));
  const file = join(folder, 'shortlist.db');
  const source = createTestSource({ artists: [] });
  const closing: (() => Promise<void> | void)[] = [];
  after(() => rmSync(folder, { recursive: true }));
  beforeEach(() => {
    rmSync(file, { force: true });
    source.change({ artists: artistsOf(5), series: seriesWith(6) });
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  const open = async (
    given: Parameters<typeof createTestGateway>[0] = { source },
  ): Promise<TestGateway> => {
    const gateway = await createTestGateway(given);
    closing.push(() => gateway.close());
    return gateway;
  };
  const parameters = (port: number) => [
    ...['copy', file, '--page-size', '2', '--wait-factor', '0.0001'],
    ...['--base-url', `http://127.0.0.1:${port}`],
  ];
  const env = { ARTIST_API_KEY: fullKeys.current.text };
  const copy = (port: number, ...options: readonly string[]): Promise<Outcome> =>
    runProgramFile(clientFile('py'), [...parameters(port), ...options], { env });
  const copied = async (port: number): Promise<string> => {
    const { code, stdout, errors } = await copy(port);
    expect(code, errors.join(' / ')).to.equal(0);
    return stdout;
  };
  const python = async (script: string): Promise<string> => {
    const child = spawn('python3', ['-c', script, file], { stdio: ['ignore', 'pipe', 'inherit'] });
    let stdout = '';
    for await (const chunk of child.stdout) stdout += chunk;
    return stdout;
  };
  const rows = async (): Promise<Rows> => JSON.parse(await python(dump));
  const kept = (all: Rows, view: string) =>
    (all[view] ?? []).filter(([, , , gone]) => gone === null);

  /** Asserts that the rows that are not gone are what the gateway answers. */
  const expectEqual = async ({ get }: TestGateway): Promise<void> => {
    const list = async (path: string): Promise<readonly Answer[]> =>
      (await get(path, fullKeys.current.text)).body.data;
    const artists = await list('/api/v1/artists?limit=100&include=history');
    // an artist has songs
    const songs = artists.flatMap((artist) => artist['songs'] as readonly Answer[]);
    const expected = {
      artists: artists.map(withoutParts),
      songs: songs.map(withoutParts),
      points: [...artists, ...songs].flatMap(pointsOf),
      spikes: await list('/api/v1/spikes'),
      signings: await list('/api/v1/signings'),
    };
    const all = await rows();
    for (const [view, answers] of Object.entries(expected))
      expect(sorted(kept(all, view).map(([answer]) => answer)), view).to.deep.equal(
        sorted(answers),
      );
  };

  it('equals the example catalogue, and nothing is written the second time', async () => {
    const gateway = await open({});
    await copied(gateway.port);
    const first = readFileSync(file);
    await expectEqual(gateway);
    for (const view of Object.values(await rows())) expect(view).not.to.have.length(0);
    expect(await copied(gateway.port)).to.match(unchanged);
    expect(readFileSync(file).equals(first)).to.equal(true);
  });

  it('takes what is new and what changed, marks what is gone, and keeps the days', async () => {
    const gateway = await open();
    await copied(gateway.port);
    const [first, day] = ['2026-01-03', '2026-01-05']; // of the first night, and of the last
    await python(`import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as database:
    database.execute("UPDATE kept SET first_seen = '${first}'")
    database.execute("UPDATE nights SET day = '${day}'")`);
    const [zero, one, ...others] = artistsOf(7);
    // the same
    const reordered = { ...(zero as Artist), metrics: { social_score: 2, monthly_listeners: 1 } };
    const renamed = { ...(one as Artist), name: 'Renamed' }; // seven were built
    source.change({ artists: [reordered, renamed, ...others.slice(1)], series: seriesWith(7) });
    await gateway.gateway.catalogue.refresh();
    // two artists and their songs are new, an artist and a point changed, an artist and its song
    // are gone
    const written = await copied(gateway.port);
    await expectEqual(gateway);
    const all = await rows();
    const days = Object.fromEntries(
      // an answer is an object
      (all['artists'] ?? []).map(([answer, ...seen]) => [(answer as Answer)['id'], seen]),
    );
    expect(days).to.deep.equal({
      art_0: [first, today, null],
      art_1: [first, today, null],
      art_2: [first, day, today],
      ...Object.fromEntries(['art_3', 'art_4'].map((id) => [id, [first, today, null]])),
      ...Object.fromEntries(['art_5', 'art_6'].map((id) => [id, [today, today, null]])),
    });
    expect(written).to.match(
      /^4 rows are new, 2 changed, 2 are gone, after \d+ requests\. \d+ of \d+ requests a day are left until 2026-08-23T00:00:00Z\.\n$/,
    );
    expect(await copied(gateway.port)).to.match(unchanged);
    source.change({ artists: artistsOf(7), series: seriesWith(7) });
    await gateway.gateway.catalogue.refresh();
    await copied(gateway.port);
    await expectEqual(gateway);
    expect((await rows())['artists']?.map(([, , , gone]) => gone)).to.deep.equal(
      Array(7).fill(null),
    );
  });

  /** A server that fails with a status from the third request on. */
  const failing = async (port: number, fail: () => void, status: number): Promise<LocalServer> => {
    let requests = 0;
    const proxy = await openLocalServer(async (incoming, outgoing) => {
      const reply = await forward(port, incoming);
      requests += 1;
      const headers = [...reply.rawHeaders];
      if (requests < 3) outgoing.writeHead(reply.status, headers).end(reply.body);
      else outgoing.writeHead(status, { 'Retry-After': '1' }).end('{}');
      if (requests === 3) fail();
    });
    closing.push(() => proxy.close());
    return proxy;
  };

  it('is not written after an outage in the middle', async () => {
    const gateway = await open();
    await copied(gateway.port);
    const before = readFileSync(file);
    source.change({ artists: artistsOf(7, 'Other') });
    await gateway.gateway.catalogue.refresh();
    const proxy = await failing(gateway.port, () => undefined, 503);
    const { code, errors } = await copy(Number(new URL(proxy.url).port));
    expect([code, errors.length]).to.deep.equal([1, 5]);
    expect(readFileSync(file).equals(before)).to.equal(true);
    await copied(gateway.port);
    await expectEqual(gateway);
  });

  it('stays that of the night before after Ctrl-C in the middle', async () => {
    const gateway = await open();
    await copied(gateway.port);
    const before = readFileSync(file);
    source.change({ artists: artistsOf(7, 'Other') });
    await gateway.gateway.catalogue.refresh();
    let interrupt = (): unknown => undefined;
    const proxy = await failing(gateway.port, () => interrupt(), 503);
    const script = [
      clientFile('py'),
      ...parameters(Number(new URL(proxy.url).port)),
      '--wait-factor',
      '60',
    ];
    const child = spawn('python3', ['-B', ...script], {
      env: { PATH: process.env['PATH'], ...env },
      stdio: 'ignore',
    });
    killWithTests(child);
    interrupt = () => child.kill('SIGINT');
    expect(await new Promise((resolve) => child.once('close', resolve))).to.equal(130);
    expect(readFileSync(file).equals(before)).to.equal(true);
  });

  /** A copy of the gateway that fails, and what it says in its one line. */
  const refused = async (port: number, ...options: readonly string[]): Promise<string> => {
    const { code, stdout, errors } = await copy(port, ...options);
    expect([code, stdout, errors.length], errors.join(' / ')).to.deep.equal([1, '', 1]);
    return errors[0] ?? '';
  };

  it('needs a file that can be written, and says so in one line before it asks anything', async () => {
    const run = (...options: readonly string[]) =>
      runProgramFile(clientFile('py'), options, { env });
    expect((await run('copy')).code).to.equal(2);
    expect((await run('shortlist', file)).code).to.equal(2);
    for (const wrong of [folder, join(folder, 'nowhere', 'shortlist.db'), '']) {
      const { code, errors } = await run('copy', wrong);
      expect([code, errors]).to.deep.equal([1, [`${resolve(wrong)} cannot be written.`]]);
    }
  });

  for (const [what, script] of [
    ['a database of something else', 'database.execute("CREATE TABLE mine (x)")'],
    ['no database', 'open(sys.argv[1], "w").write("notes " * 500)'],
  ] as const) {
    it(`refuses a file that is ${what}, and leaves it as it is`, async () => {
      const gateway = await open();
      await python(`import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as database:
    ${script}`);
      const before = readFileSync(file);
      expect(await refused(gateway.port)).to.match(/something else\. Nothing|not a database$/);
      expect(readFileSync(file).equals(before)).to.equal(true);
    });
  }

  it('leaves no file where there was none when it fails', async () => {
    const gateway = await open();
    const proxy = await failing(gateway.port, () => undefined, 404);
    expect(await refused(Number(new URL(proxy.url).port))).to.match(/^404 /);
    expect(existsSync(file)).to.equal(false);
  });

  const only = buildKey({ form: 'current', scopes: ['artists:read'] });
  const keys = keySourceOf([only, fullKeys.current]);
  /** Copies with a key that has no scope for spikes and signings. */
  const copyOnly = async (port: number): Promise<Outcome> => {
    const env = { ARTIST_API_KEY: only.text };
    const outcome = await runProgramFile(clientFile('py'), parameters(port), { env });
    expect(outcome.code, outcome.errors.join(' / ')).to.equal(0);
    return outcome;
  };

  it('leaves views as they are for which the key has no scope, and names them', async () => {
    const gateway = await open({ keys });
    await copied(gateway.port);
    const before = await rows();
    const { stdout, errors } = await copyOnly(gateway.port);
    expect(stdout).to.match(/0 are gone/);
    expect(errors).to.deep.equal([
      'The view spikes stays as it is: this key has no scope spikes:read.',
      'The view signings stays as it is: this key has no scope signings:read.',
    ]);
    const after = await rows();
    for (const view of ['spikes', 'signings']) {
      expect(before[view]).to.not.have.length(0);
      expect(after[view]).to.deep.equal(before[view]);
    }
  });

  it('says of each view when it was read last, also where the scope for it was missing since', async () => {
    const gateway = await open({ keys });
    await copied(gateway.port);
    const [first, second] = ['2026-01-03', '2026-01-05'];
    await python(`import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as database:
    database.execute("UPDATE kept SET first_seen = '${first}'")
    database.execute("UPDATE nights SET day = '${first}'")
    database.execute("INSERT INTO kept SELECT kind, 'art_gone', song, metric, day, '{}', first_seen, NULL, NULL"
        " FROM kept WHERE kind = 'spikes' LIMIT 1")`);
    await copyOnly(gateway.port);
    const days = async () => {
      const all = Object.entries(await rows());
      return Object.fromEntries(
        all.map(([view, found]) => [view, [...new Set(found.map((row) => row[2]))].sort()]),
      );
    };
    const [read, missed] = [[today], [first]];
    expect(await days()).to.deep.equal({
      ...{ artists: read, songs: read, points: read },
      ...{ spikes: missed, signings: missed },
    });
    await python(`import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as database:
    database.execute("UPDATE nights SET day = '${second}' WHERE day = '${today}'")`);
    await copied(gateway.port);
    const gone = ((await rows())['spikes'] ?? []).filter((row) => row[3] !== null);
    expect(gone).to.deep.equal([[{}, first, first, today]]);
    expect((await days())['signings']).to.deep.equal(read);
  });

  it('asks once more for an artist that seems to be gone, and reads again where there are many', async () => {
    const gateway = await open();
    await copied(gateway.port);
    const moved = (count: number) => {
      const all = artistsOf(5).map((artist, index) =>
        index >= 5 - count ? { ...artist, dateAdded: '2026-08-20' } : artist,
      );
      return { artists: all, series: seriesWith(6) };
    };
    for (const count of [1, 2]) {
      source.change({ artists: artistsOf(5), series: seriesWith(6) });
      await gateway.gateway.catalogue.refresh();
      let pages = 0;
      const paths: string[] = [];
      const proxy = await openLocalServer(async (incoming, outgoing) => {
        const reply = await forward(gateway.port, incoming);
        paths.push(incoming.url ?? '');
        if (incoming.url?.includes('/artists?') === true) pages += 1;
        if (pages === 1) {
          source.change(moved(count)); // to the first page, which has been read
          await gateway.gateway.catalogue.refresh();
        }
        outgoing.writeHead(reply.status, [...reply.rawHeaders]).end(reply.body);
      });
      closing.push(() => proxy.close());
      expect(await copied(Number(new URL(proxy.url).port))).to.include(', 0 are gone');
      expect(paths.filter((path) => /[?&]id=art_/.test(path))).to.have.lengthOf(count);
      await expectEqual(gateway);
    }
  });

  it('refuses to mark more than half of the artists as gone without --yes', async () => {
    const gateway = await open();
    await copied(gateway.port);
    const before = readFileSync(file);
    source.change({ artists: artistsOf(2) });
    await gateway.gateway.catalogue.refresh();
    expect(await refused(gateway.port)).to.equal(
      `3 of 5 artists of ${file} would be gone by http://127.0.0.1:${gateway.port}: nothing was written. If that is so, run it with --yes.`,
    );
    expect(readFileSync(file).equals(before)).to.equal(true);
    const { code, stdout } = await copy(gateway.port, '--yes');
    expect([code, stdout.replace(/, after.*\n/, '')]).to.deep.equal([
      0,
      '0 rows are new, 0 changed, 8 are gone',
    ]);
  });

  it('marks no point as gone while the service cannot read a part of the history', async () => {
    const gateway = await open();
    await copied(gateway.port);
    source.change({ artists: artistsOf(5) });
    const partly = await open({
      source: { ...source, read: async () => ({ series: [], complete: false }) },
    });
    const { stdout, errors } = await copy(partly.port);
    expect(stdout).to.match(unchanged);
    expect(errors).to.deep.equal([
      'history: the service cannot read a part of it: points are missing',
    ]);
    expect(await copied((await open()).port)).to.match(/^0 rows are new, 0 changed, 2 are gone/);
  });

  it('is not written by a run that read on an earlier day', async () => {
    const gateway = await open();
    await copied(gateway.port);
    await python(`import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as database:
    database.execute("UPDATE nights SET day = '2099-01-01'")`);
    const before = readFileSync(file);
    source.change({ artists: artistsOf(4) });
    await gateway.gateway.catalogue.refresh();
    const { code, errors } = await copy(gateway.port);
    expect([code, errors.at(-1)]).to.deep.equal([
      1,
      `${file} is of 2099-01-01, this run read on ${today}: nothing was written.`,
    ]);
    expect(readFileSync(file).equals(before)).to.equal(true);
  });

  it('keeps names and numbers as they are, and is written by two runs at once', async () => {
    const names = ['a\nb\u001b[31m', '月見坂', '__proto__', "O'Brien; DROP TABLE kept"];
    const numbers = [41_202_334_871, 1e308, 5e-324, 2 ** 53];
    const artists = artistsOf(4).map((artist, index) => ({
      ...artist,
      name: names[index] ?? '',
      metrics: { social_score: numbers[index] ?? 0 },
    }));
    source.change({ artists });
    const gateway = await open();
    await Promise.all([copied(gateway.port), copied(gateway.port)]);
    await expectEqual(gateway);
    const metrics = ((await rows())['artists'] ?? []).map(
      ([answer]) => (answer as Answer)['metrics'],
    );
    expect(metrics).to.deep.equal(numbers.map((social_score) => ({ social_score })));
  });
});
