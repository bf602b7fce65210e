import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Artist } from '../../src/domain/model.ts';
import { buildArtist, buildPoint, buildSeries, buildSong } from '../support/builders.ts';
import { killWithTests } from '../support/child-process.ts';
import { forward, type LocalServer, openLocalServer } from '../support/examples/local-server.ts';
import { clientFile, type Outcome, runProgramFile } from '../support/examples/programs.ts';
import { createTestGateway, fullKeys, type TestGateway } from '../support/gateway.ts';
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

describe('the copy of the client of the current form', () => {
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
  const copy = (port: number): Promise<Outcome> =>
    runProgramFile(clientFile('current', 'py'), parameters(port), { env });
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
    expect(await copied(gateway.port)).to.equal('0 rows are new or changed, 0 are gone.\n');
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
    const today = new Date().toISOString().slice(0, 10);
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
    expect(written).to.equal('6 rows are new or changed, 2 are gone.\n');
    expect(await copied(gateway.port)).to.equal('0 rows are new or changed, 0 are gone.\n');
    source.change({ artists: artistsOf(7), series: seriesWith(7) });
    await gateway.gateway.catalogue.refresh();
    await copied(gateway.port);
    await expectEqual(gateway);
    expect((await rows())['artists']?.map(([, , , gone]) => gone)).to.deep.equal(
      Array(7).fill(null),
    );
  });

  /**
   * A server that fails from the third request on: with a status, or for 200 with answers that are
   * cut.
   */
  const failing = async (port: number, fail: () => void, status: number): Promise<LocalServer> => {
    let requests = 0;
    const proxy = await openLocalServer(async (incoming, outgoing) => {
      const reply = await forward(port, incoming);
      requests += 1;
      const headers = [...reply.rawHeaders];
      if (requests < 3) outgoing.writeHead(reply.status, headers).end(reply.body);
      else if (status !== 200)
        outgoing.writeHead(status, { 'Retry-After': '1', 'X-RateLimit-Day-Limit': '9' }).end('{}');
      else
        outgoing
          .writeHead(200, headers)
          .write(reply.body.subarray(0, 50), () => outgoing.destroy());
      if (requests === 3) fail();
    });
    closing.push(() => proxy.close());
    return proxy;
  };

  for (const [what, status] of [
    ['answers that are cut', 200],
    ['429', 429],
    ['503', 503],
  ] as const) {
    it(`stays that of the former night after ${what} in the middle`, async () => {
      const gateway = await open();
      await copied(gateway.port);
      const former = readFileSync(file);
      source.change({ artists: artistsOf(7, 'Other') });
      await gateway.gateway.catalogue.refresh();
      const proxy = await failing(gateway.port, () => undefined, status);
      const { code, errors } = await copy(Number(new URL(proxy.url).port));
      expect([code, errors.at(-1)?.slice(0, 24)]).to.deep.equal([1, 'Gave up after 5 attempts']);
      expect(readFileSync(file).equals(former)).to.equal(true);
      await copied(gateway.port);
      await expectEqual(gateway);
    });
  }

  it('stays that of the former night after Ctrl-C in the middle', async () => {
    const gateway = await open();
    await copied(gateway.port);
    const former = readFileSync(file);
    source.change({ artists: artistsOf(7, 'Other') });
    await gateway.gateway.catalogue.refresh();
    let interrupt = (): unknown => undefined;
    const proxy = await failing(gateway.port, () => interrupt(), 503);
    const script = [
      clientFile('current', 'py'),
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
    expect(readFileSync(file).equals(former)).to.equal(true);
  });

  it('needs a file, and tells in one line when it is none', async () => {
    const run = (...options: readonly string[]) =>
      runProgramFile(clientFile('current', 'py'), options, { env });
    expect((await run('copy')).code).to.equal(2);
    expect((await run('shortlist', file)).code).to.equal(2);
    const { code, errors } = await run('copy', folder);
    expect([code, errors]).to.deep.equal([1, [`${folder}: unable to open database file`]]);
  });
});
