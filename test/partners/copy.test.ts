import { existsSync, readFileSync, writeFileSync } from 'node:fs';
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
import { useCleanup } from '../support/cleanup.ts';
import { today } from '../support/forms/numbered-artists.ts';
import { createTestGateway, fullKeys, type TestGateway } from '../support/gateway.ts';
import { openRelay } from '../support/partners/local-server.ts';
import { clientFile, runProgramFile, startProgram } from '../support/partners/programs.ts';
import { createTestSource } from '../support/source.ts';

/** Prints the rows of each view: the item, and what the copy says of it. */
const dump = `print(json.dumps({view: [[json.loads(row[0]), *row[1:]] for row in database.execute(
    f"SELECT answer, first_seen, last_seen, gone FROM {view}")]
    for view in ("artists", "songs", "points", "spikes", "signings")}))`;

type Row = readonly [item: Item, firstSeen: string, lastSeen: string, gone: string | null];
type Rows = Readonly<Record<string, readonly Row[]>>;
type Item = Readonly<Record<string, unknown>>;

/** Items as texts, with fields and items in a fixed order. */
const sorted = (items: readonly unknown[]): readonly string[] => {
  const inOrder = (_name: string, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort())
      : value;
  return items.map((item) => JSON.stringify(item, inOrder)).sort();
};

const pointsOf = ({ history }: Item): readonly unknown[] => Object.values(history ?? {}).flat();
const withoutParts = ({ songs: _songs, history: _history, ...rest }: Item): Item => rest;

const artistsOf = (count: number, named = 'Artist'): readonly Artist[] =>
  Array.from({ length: count }, (_, index) =>
    buildArtist({
      id: `art_${index}`,
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

const unchanged = /^0 rows new, 0 changed, 0 gone, after \d+ requests\./;

describe('the copy of the client', () => {
  const cleanup = useCleanup(afterEach);
  const source = createTestSource({ artists: [] });
  let folder = '';
  let file = '';
  beforeEach(async () => {
    folder = await cleanup.makeFolder('copy');
    file = join(folder, 'shortlist.db');
    source.change({ artists: artistsOf(5), series: seriesWith(6) });
  });

  const open = async (
    given: Parameters<typeof createTestGateway>[0] = { source },
  ): Promise<TestGateway> => cleanup.add(await createTestGateway(given), ({ close }) => close());
  const change = async (
    { gateway }: TestGateway,
    artists: readonly Artist[],
    series = seriesWith(6),
  ): Promise<void> => {
    source.change({ artists, series });
    await gateway.catalogue.refresh();
  };

  const options = (port: number) => [
    ...['copy', file, '--page-size', '2', '--wait-factor', '0.0001'],
    ...['--base-url', `http://127.0.0.1:${port}`],
  ];
  const env = { ARTIST_API_KEY: fullKeys.current.text };
  const copy = (port: number, ...more: readonly string[]) =>
    runProgramFile(clientFile('py'), [...options(port), ...more], { env });
  const copied = async (port: number): Promise<string> => {
    const { code, stdout, errors } = await copy(port);
    expect(code, errors.join(' / ')).to.equal(0);
    return stdout;
  };
  /** The line of a copy that fails. */
  const refused = async (port: number): Promise<string> => {
    const { code, stdout, errors } = await copy(port);
    expect([code, stdout, errors.length], errors.join(' / ')).to.deep.equal([1, '', 1]);
    return errors[0] ?? '';
  };
  /** Runs statements on the file. */
  const python = async (script: string): Promise<string> => {
    const program = join(folder, 'script.py');
    const start = `import json, sqlite3, sys\nwith sqlite3.connect(sys.argv[1]) as database:\n`;
    writeFileSync(program, `${start}    ${script.replaceAll('\n', '\n    ')}`);
    const { stdout, errors } = await runProgramFile(program, [file]);
    expect(errors).to.deep.equal([]);
    return stdout;
  };
  const rows = async (): Promise<Rows> => JSON.parse(await python(dump));
  const expectUntouched = (before: Buffer): void => {
    expect(readFileSync(file).equals(before)).to.equal(true);
  };

  /** Asserts that the rows that are not gone are the items of the gateway. */
  const expectEqual = async ({ get }: TestGateway): Promise<void> => {
    const list = async (path: string): Promise<readonly Item[]> =>
      (await get(path, fullKeys.current.text)).body.data;
    const artists = await list('/api/v1/artists?limit=100&include=history');
    const songs = artists.flatMap((artist) => artist['songs'] as readonly Item[]); // by the contract
    const expected = {
      artists: artists.map(withoutParts),
      songs: songs.map(withoutParts),
      points: [...artists, ...songs].flatMap(pointsOf),
      spikes: await list('/api/v1/spikes'),
      signings: await list('/api/v1/signings'),
    };
    const all = await rows();
    for (const [view, items] of Object.entries(expected)) {
      const kept = (all[view] ?? []).filter(([, , , gone]) => gone === null);
      expect(sorted(kept.map(([item]) => item)), view).to.deep.equal(sorted(items));
    }
  };

  it('equals the example catalogue, and writes nothing the second time', async () => {
    const gateway = await open({});
    await copied(gateway.port);
    const first = readFileSync(file);
    await expectEqual(gateway);
    for (const view of Object.values(await rows())) expect(view).not.to.have.length(0);
    expect(await copied(gateway.port)).to.match(unchanged);
    expectUntouched(first);
  });

  it('adds new rows, updates changed rows, and marks missing rows as gone', async () => {
    const gateway = await open();
    await copied(gateway.port);
    const [first, day] = ['2026-01-03', '2026-01-05']; // of the first night, and of the last
    await python(`database.execute("UPDATE kept SET first_seen = '${first}'")
database.execute("UPDATE nights SET day = '${day}'")`);
    const [zero, one, , ...others] = artistsOf(7);
    const reordered = { ...zero, metrics: { social_score: 2, monthly_listeners: 1 } };
    const changed = [reordered, { ...one, name: 'Renamed' }, ...others] as readonly Artist[];
    await change(gateway, changed, seriesWith(7));
    const written = await copied(gateway.port);
    await expectEqual(gateway);
    const artists = (await rows())['artists'] ?? [];
    const days = Object.fromEntries(artists.map(([item, ...seen]) => [item['id'], seen]));
    expect(days).to.deep.equal({
      ...Object.fromEntries([0, 1, 3, 4].map((id) => [`art_${id}`, [first, today, null]])),
      art_2: [first, day, today],
      ...Object.fromEntries([5, 6].map((id) => [`art_${id}`, [today, today, null]])),
    });
    expect(written).to.match(
      /^4 rows new, 2 changed, 2 gone, after \d+ requests\. \d+ of \d+ requests are left until 2026-08-23T00:00:00Z\.\n$/,
    );
    expect(await copied(gateway.port)).to.match(unchanged);
    await change(gateway, artistsOf(7), seriesWith(7));
    await copied(gateway.port);
    await expectEqual(gateway);
    const gone = (await rows())['artists']?.map((row) => row[3]);
    expect(gone).to.deep.equal(Array(7).fill(null));
  });

  it('writes nothing if the service fails halfway, or after Ctrl-C', async () => {
    const gateway = await open();
    /** The port of a relay that returns a status from the third request on. */
    const openFailing = async (status: number, fail = () => {}): Promise<number> => {
      let requests = 0;
      const { port } = await openRelay(cleanup, gateway.port, () => {
        requests += 1;
        if (requests < 3) return {};
        if (requests === 3) fail();
        return { status, rawHeaders: ['Retry-After', '1'], body: '{}' };
      });
      return port;
    };
    expect(await refused(await openFailing(404))).to.match(/^404 /);
    expect(existsSync(file)).to.equal(false);
    await copied(gateway.port);
    const before = readFileSync(file);
    await change(gateway, artistsOf(7, 'Other'));
    const { code, errors } = await copy(await openFailing(503));
    expect([code, errors.length]).to.deep.equal([1, 5]);
    expectUntouched(before);
    const port = await openFailing(503, () => started.signal('SIGINT'));
    const parameters = [...options(port), '--wait-factor', '60'];
    const started = startProgram(clientFile('py'), parameters, { env });
    expect((await started.ended).code).to.equal(130);
    expectUntouched(before);
    await copied(gateway.port);
    await expectEqual(gateway);
  });

  it('rejects a file that it cannot write, before the first request', async () => {
    const run = (...parameters: readonly string[]) =>
      runProgramFile(clientFile('py'), parameters, { env });
    expect((await run('copy')).code).to.equal(2);
    expect((await run('list', file)).code).to.equal(2);
    for (const wrong of [folder, join(folder, 'nowhere', 'shortlist.db'), '']) {
      const { code, errors } = await run('copy', wrong);
      expect([code, errors]).to.deep.equal([1, [`${resolve(wrong)} cannot be written.`]]);
    }
  });

  it('rejects another database and a file that is no database, and keeps both', async () => {
    const { port } = await open();
    for (const [script, line] of [
      ['database.execute("CREATE TABLE mine (x)")', /is another database\. Nothing was written\.$/],
      ['open(sys.argv[1], "w").write("notes " * 500)', /not a database$/],
    ] as const) {
      await python(script);
      const before = readFileSync(file);
      expect(await refused(port)).to.match(line);
      expectUntouched(before);
    }
  });

  it('keeps a view with its last read day if the key lacks its scope', async () => {
    const only = buildKey({ form: 'current', scopes: ['artists:read'] });
    const gateway = await open({ keys: keySourceOf([only, fullKeys.current]) });
    await copied(gateway.port);
    const [first, second] = ['2026-01-03', '2026-01-05'];
    await python(`database.execute("UPDATE kept SET first_seen = '${first}'")
database.execute("UPDATE nights SET day = '${first}'")
database.execute("INSERT INTO kept SELECT kind, 'art_gone', song, metric, day, '{}', first_seen, NULL, NULL"
    " FROM kept WHERE kind = 'spikes' LIMIT 1")`);
    const before = await rows();
    const { code, stdout, errors } = await runProgramFile(clientFile('py'), options(gateway.port), {
      env: { ARTIST_API_KEY: only.text },
    });
    expect([code, ...errors]).to.deep.equal([
      0,
      'The view spikes stays as it is: the key lacks the scope spikes:read.',
      'The view signings stays as it is: the key lacks the scope signings:read.',
    ]);
    expect(stdout).to.match(/0 gone/);
    const after = await rows();
    for (const view of ['spikes', 'signings']) {
      expect(before[view]).to.not.have.length(0);
      expect(after[view]).to.deep.equal(before[view]);
    }
    for (const view of ['artists', 'songs', 'points'])
      expect(new Set(after[view]?.map((row) => row[2]))).to.deep.equal(new Set([today]));
    await python(`database.execute("UPDATE nights SET day = '${second}' WHERE day = '${today}'")`);
    await copied(gateway.port);
    const gone = ((await rows())['spikes'] ?? []).filter((row) => row[3] !== null);
    expect(gone).to.deep.equal([[{}, first, first, today]]);
  });

  it('requests missing artists again: one each, or all if there are many', async () => {
    const gateway = await open();
    await copied(gateway.port);
    for (const count of [1, 2]) {
      await change(gateway, artistsOf(5));
      let pages = 0;
      const paths: string[] = [];
      const relay = await openRelay(cleanup, gateway.port, async (_reply, { url = '' }) => {
        paths.push(url);
        if (url.includes('/artists?')) pages += 1;
        const moved = artistsOf(5).map((artist, index) =>
          index >= 5 - count ? { ...artist, dateAdded: '2026-08-20' } : artist,
        );
        if (pages === 1) await change(gateway, moved); // to the first page, which has been read
        return {};
      });
      expect(await copied(relay.port)).to.include(', 0 gone');
      expect(paths.filter((path) => /[?&]id=art_/.test(path))).to.have.lengthOf(count);
      await expectEqual(gateway);
    }
  });

  it('rejects a copy of a later day, and without --yes more gone artists than half', async () => {
    const gateway = await open();
    await copied(gateway.port);
    const url = `http://127.0.0.1:${gateway.port}`;
    for (const [day, count, line] of [
      ['2099-01-01', 4, `${file} is of 2099-01-01, later than ${today}: nothing was written.`],
      [
        ...([today, 2] as const),
        `${url} lacks 3 of 5 artists of ${file}: nothing was written. If they are gone, use --yes.`,
      ],
    ] as const) {
      await python(`database.execute("UPDATE nights SET day = '${day}'")`);
      await change(gateway, artistsOf(count), []);
      const before = readFileSync(file);
      expect(await refused(gateway.port)).to.equal(line);
      expectUntouched(before);
    }
    const { code, stdout } = await copy(gateway.port, '--yes');
    expect(code).to.equal(0);
    expect(stdout).to.match(/^0 rows new, 0 changed, 8 gone, /);
  });

  it('marks no point as gone if the service cannot read the whole history', async () => {
    await copied((await open()).port);
    source.change({ artists: artistsOf(5) });
    const partly = await open({
      source: { ...source, read: async () => ({ series: [], complete: false }) },
    });
    const { stdout, errors } = await copy(partly.port);
    expect(stdout).to.match(unchanged);
    expect(errors).to.deep.equal([
      'The service cannot read a part of the history: points are missing.',
    ]);
    expect(await copied((await open()).port)).to.match(/^0 rows new, 0 changed, 2 gone/);
  });

  it('keeps names and numbers exactly, even with two concurrent runs', async () => {
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
    const metrics = ((await rows())['artists'] ?? []).map(([item]) => item['metrics']);
    expect(metrics).to.deep.equal(numbers.map((social_score) => ({ social_score })));
  });
});
