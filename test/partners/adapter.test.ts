import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { createEmbeddedCatalogue } from '../../adapters/stores/embedded/catalogue.ts';
import { readGiven } from '../../partners/gateway/given.ts';
import { type Ask, createRemoteCatalogue } from '../../partners/gateway/remote-catalogue.ts';
import { fields } from '../../partners/gateway/without.ts';
import { ApiError } from '../../partners/shared/http.ts';
import { scopes } from '../../src/domain/caller.ts';
import { dayMs, hourMs, minuteMs } from '../../src/domain/time.ts';
import type { KeySource } from '../../src/ports.ts';
import { buildArtist, buildKey, keySourceOf } from '../support/builders.ts';
import { catchError } from '../support/catch-error.ts';
import { useCleanup } from '../support/cleanup.ts';
import { createManualClock } from '../support/clock.ts';
import { demoKey, readFixtures } from '../support/documents.ts';
import { openSandbox, readExchange } from '../support/exchanges.ts';
import { createChangingShortlist } from '../support/forms/changing-shortlist.ts';
import { keys } from '../support/forms/form-keys.ts';
import { doubling, numberedArtists, today } from '../support/forms/numbered-artists.ts';
import {
  askQuestion,
  naming,
  type Question,
  questionKeySource,
  questionKeys,
  targetOf,
  variantQuestions,
} from '../support/forms/random-questions.ts';
import type { Shortlist } from '../support/forms/random-shortlist.ts';
import { createTestGateway, type TestGateway, useGateway } from '../support/gateway.ts';
import {
  type Adapter,
  type AdapterFrom,
  givenOf,
  openAdapter,
  withoutMessage,
} from '../support/partners/adapter.ts';
import { openLocalServer } from '../support/partners/local-server.ts';
import { sendRaw } from '../support/raw.ts';
import { createTestSource } from '../support/source.ts';
import { createDocumentFolder } from '../support/stores/document-folder.ts';

const isWhole = process.env['EXAMPLE_RUNS'] === 'all';
const questions = Number(process.env['RANDOM_QUESTIONS'] ?? (isWhole ? 3_000 : 200));
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);

/** The number of questions with the same shortlist. */
const questionsPerChange = isWhole ? 50 : 10;

const demoGiven = {
  documentIds: Object.fromEntries(
    readFixtures().artists.map(({ id, _id }) => [String(id), String(_id)]),
  ),
  labelsTracked: Object(readExchange('variant', 'signings').body)._meta.labels_tracked,
  partner: 'Quality Assurance (variant, no tight quota)',
};

/** Moves the clock, and reloads the stores of the service, whose copies would be too old. */
const advance = async ({ clock, gateway }: TestGateway, ms: number): Promise<void> => {
  clock.advance(ms);
  await Promise.all([gateway.keys.refresh(), gateway.catalogue.refresh()]);
};

/** A body without a field, which items of a list have at the same place. */
const remove = (value: unknown, [name = '', ...names]: readonly string[]): unknown => {
  if (Array.isArray(value)) return value.map((item) => remove(item, [name, ...names]));
  if (typeof value !== 'object' || value === null || !(name in value)) return value;
  const { [name]: part, ...others }: Readonly<Record<string, unknown>> = { ...value };
  return names.length > 0 ? { ...others, [name]: remove(part, names) } : others;
};

describe('the adapter', () => {
  const demo = useGateway(openSandbox);
  const cleanup = useCleanup(afterEach);

  /** Opens an adapter over a gateway, and reads it once. */
  const openOver = async (
    service: Pick<TestGateway, 'port' | 'clock'>,
    key: string,
    more: Partial<Parameters<typeof openAdapter>[0]> = {},
    options: Parameters<typeof openAdapter>[2] = {},
  ): Promise<Adapter> => {
    const from = { host: `127.0.0.1:${service.port}`, key, ...demoGiven, ...more };
    const adapter = await openAdapter(from, service.clock, options);
    cleanup.add(adapter, ({ close }) => close());
    await adapter.refresh();
    return adapter;
  };
  const openDemo = async (options?: Parameters<typeof openAdapter>[2]): Promise<Adapter> =>
    openOver(demo, demoKey('qaCurrent'), {}, options);

  /** A gateway with one artist. */
  const openSmall = async (keySource?: KeySource) => {
    const artists = [buildArtist({ id: 'art_7rf1ly', name: 'Ada' })];
    const source = createTestSource({ artists });
    const gateway = await createTestGateway({ source, ...(keySource && { keys: keySource }) });
    cleanup.add(gateway, ({ close }) => close());
    return { gateway, source, artists };
  };

  it(`equals the variant form for random queries and changes (FUZZ_SEED=${seed})`, async function () {
    this.timeout(120_000 + questions * 50);
    const clock = createManualClock();
    const folder = await createDocumentFolder();
    const source = createEmbeddedCatalogue({ folder: folder.path, clock, rebaseToToday: false });
    const changes = createChangingShortlist(today, seed, Math.ceil(questions / questionsPerChange));
    await folder.write({ ...changes.now() });
    const adapters = new Map<string, { readonly given: string; readonly adapter: Adapter }>();
    const gateway = await createTestGateway({ source, clock, keys: questionKeySource });
    const statuses = new Set<number>();
    /** The adapter of a key, opened again for other lists. */
    const adapterOf = async (from: AdapterFrom): Promise<Adapter> => {
      const given = JSON.stringify(from);
      let one = adapters.get(from.key);
      if (one?.given !== given) {
        await one?.adapter.close();
        one = { given, adapter: await openAdapter(from, clock) };
        adapters.set(from.key, one);
      }
      await one.adapter.refresh();
      return one.adapter;
    };
    /** The variant form compresses nothing; the adapter must send the same body and headers. */
    const ask = async (question: Question, shortlist: Shortlist): Promise<void> => {
      const { scopes } = question;
      const headers = { 'Accept-Encoding': 'gzip' };
      const reply = await askQuestion(gateway, 'variant', question, headers);
      statuses.add(reply.status);
      const host = `127.0.0.1:${gateway.port}`;
      const key = questionKeys.current[scopes]?.text ?? '';
      const from = { host, key, ...givenOf(shortlist), partner: scopes };
      const adapted = await (await adapterOf(from)).send(targetOf(question));
      expect(withoutMessage(adapted), 'the same to the byte').to.deep.equal(withoutMessage(reply));
      for (const name of ['x-params-adjusted', 'cache-control', 'vary', 'content-type'])
        expect(adapted.headers[name], name).to.equal(reply.headers[name]);
    };
    for (const [index, question] of fc
      .sample(variantQuestions, { seed, numRuns: questions })
      .entries()) {
      const isChanged = index % questionsPerChange === 0;
      const shortlist = isChanged ? changes.change() : changes.now();
      if (isChanged) {
        await folder.write({ ...shortlist });
        await gateway.gateway.catalogue.refresh();
      }
      const name = `question ${index} of FUZZ_SEED=${seed}`;
      await naming(name, question, ask(question, shortlist));
    }
    for (const { adapter } of adapters.values()) await adapter.close();
    await gateway.close();
    await folder.close();
    expect([...statuses]).to.include.members([200, 404]);
  });

  it('equals the variant form for lists of more than a page', async () => {
    const source = createTestSource({ artists: numberedArtists, series: [doubling] });
    const [own, current] = [buildKey({ form: 'variant', id: 'own' }), buildKey({ id: 'current' })];
    const gateway = await createTestGateway({ source, keys: keySourceOf([own, current]) });
    cleanup.add(gateway, ({ close }) => close());
    const documentIds = Object.fromEntries(
      numberedArtists.map(({ id, documentId }) => [id, documentId]),
    );
    const given = { documentIds, labelsTracked: [], partner: own.record.partner };
    const adapter = await openOver(gateway, current.text, given);
    const queries = ['', '?limit=200', '?new=150&limit=200', '?signed=true&limit=201&tier=watch'];
    for (const query of queries) {
      const target = `/api/v1/artists${query}`;
      const { status, text } = await gateway.send(target, own.text);
      const adapted = await adapter.send(target);
      expect([adapted.status, adapted.text], query).to.deep.equal([status, text]);
    }
  });

  it('equals the variant form for other methods, whole addresses and unknown paths', async () => {
    const adapter = await openDemo();
    const requests = [
      ...['HEAD', 'OPTIONS', 'POST', 'DELETE', 'TRACE'].flatMap((method) => [
        [method, '/api/v1/artists?limit=1'],
        [method, '/api/v1/added'],
      ]),
      ...[
        ...['http://gateway.test/api/v1/signings', 'HTTP://127.0.0.1:1/api/v1/spikes?days=7'],
        ...['//api/v1/signings', '/api/v1//signings', '/api/v1/signings/', '/API/v1/signings'],
        ...['/api/v1/added', '/api/v1/artists/art_7rf1ly', '/nowhere?x=/api/v1'],
        ...['/api/v1/artists?id=nobody', '/api/v1/artists?id=art_7rf1ly', '/api/v1/artists?id='],
      ].map((target) => ['GET', target]),
    ];
    for (const [method = '', target = ''] of requests) {
      const expected = await demo.send(target, demoKey('qaVariant'), { method });
      const { status, text, headers } = await adapter.send(target, { method });
      expect([status, text, headers['allow']], `${method} ${target}`).to.deep.equal([
        ...[expected.status, expected.text, expected.headers['allow']],
      ]);
    }
    expect((await adapter.send('/docs')).status).to.equal(404);
  });

  it('serves local programs with any key or none, and returns 404 to pages', async () => {
    const adapter = await openDemo();
    for (let sent = 0; sent < 101; sent++)
      await sendRaw(adapter.port, { path: '/api/v1/signings' });
    const { headers } = await adapter.send('/api/v1/signings');
    const quota = ['limit', 'remaining'].map((name) => headers[`x-ratelimit-${name}`]);
    expect(quota, 'without a quota of its own').to.deep.equal(['100', '100']);
    const statusOf = async (headers: Readonly<Record<string, string | readonly string[]>>) =>
      (await sendRaw(adapter.port, { path: '/api/v1/spikes', headers })).status;
    for (const Host of ['127.0.0.1:8081', 'localhost', 'LOCALHOST:1', '[::1]:8081'])
      expect(await statusOf({ Host }), Host).to.equal(200);
    expect(await statusOf({ Authorization: 'Bearer x' })).to.equal(200);
    expect(await statusOf({ 'Sec-Fetch-Site': 'none' })).to.equal(200);
    const pages: Parameters<typeof statusOf>[0][] = [
      ...['evil.test', '127.0.0.1.evil.test', '127.0.0.2', '0.0.0.0', 'x@localhost'].map(
        (Host) => ({ Host }),
      ),
      ...['null', 'http://127.0.0.1:8081'].map((Origin) => ({ Origin })),
      ...['cross-site', 'same-origin', ''].map((site) => ({ 'Sec-Fetch-Site': site })),
      { 'Sec-Fetch-Site': ['none', 'cross-site'] },
    ];
    for (const headers of pages)
      expect(await statusOf(headers), JSON.stringify(headers)).to.equal(404);
  });

  it('shows an import within a minute, and requests nothing but health until then', async () => {
    const { gateway, source, artists } = await openSmall();
    const counted = () =>
      gateway.log.entries.flatMap((entry) => {
        const { route, status } = Object(entry.facts);
        return status === 200 && route !== '/api/v1/health' ? [route] : [];
      });
    const adapter = await openOver(gateway, keys.current.full.text);
    expect(counted()).to.deep.equal(['/api/v1/artists', '/api/v1/signings', '/api/v1/spikes']);
    await advance(gateway, minuteMs);
    await adapter.refresh();
    expect(counted()).to.have.length(3);
    source.change({ artists: [...artists, buildArtist({ id: 'ben', name: 'Ben' })] });
    await advance(gateway, minuteMs);
    await adapter.refresh();
    const { data } = JSON.parse((await adapter.send('/api/v1/artists')).text);
    const names = data.map(({ name }: { readonly name: string }) => name);
    expect(names).to.have.members(['Ada', 'Ben']);
    expect(adapter.lines).to.deep.equal([
      'ids.csv lacks ben, which is served with its identifier of the current form: ask for a new list.',
    ]);
  });

  it('serves its copy for 24 hours without the service, with an hourly message', async () => {
    const { gateway } = await openSmall();
    const adapter = await openOver(gateway, keys.current.full.text);
    await gateway.close();
    const pass = async (times: number, ms: number): Promise<void> => {
      for (let passed = 0; passed < times; passed++) {
        gateway.clock.advance(ms);
        await adapter.refresh();
      }
    };
    await pass(60, minuteMs);
    for (const path of ['artists', 'spikes'])
      expect((await adapter.send(`/api/v1/${path}`)).status).to.equal(200);
    expect(adapter.lines).to.have.length(1);
    expect(adapter.lines[0]).to.match(/^No response from .*served for at most 24 hours\.$/);
    await pass(23, hourMs);
    expect((await adapter.send('/api/v1/artists')).status).to.equal(200);
    expect(adapter.lines).to.have.length(24);
    await pass(1, hourMs);
    const { status, headers } = await adapter.send('/api/v1/artists');
    expect([status, headers['retry-after'] !== undefined]).to.deep.equal([500, true]);
  });

  for (const [what, change] of [
    ['is revoked', { revokedAt: 0 }],
    ['loses the scope', { scopes: scopes.filter((one) => one !== 'artists:read') }],
  ] as const)
    it(`returns 401 after its next load if the key ${what}`, async () => {
      let record = buildKey();
      const keySource: KeySource = { load: () => keySourceOf([record]).load() };
      const { gateway, source, artists } = await openSmall(keySource);
      const adapter = await openOver(gateway, record.text);
      expect((await adapter.send('/api/v1/artists')).status).to.equal(200);
      record = buildKey(change);
      source.change({ artists: [...artists, buildArtist({ id: 'ben' })] });
      await advance(gateway, hourMs);
      await adapter.refresh();
      const { status, text } = await adapter.send('/api/v1/artists');
      expect([status, JSON.parse(text).error]).to.deep.equal([401, 'unauthorized']);
    });

  it('counts days by the service clock, even if its machine is a day off', async () => {
    for (const days of [-1, 1]) {
      const now = () => demo.clock.now() + days * dayMs;
      const adapter = await openDemo({ clock: { ...demo.clock, now } });
      for (const target of ['/api/v1/artists?new=0', '/api/v1/artists?new=3', '/api/v1/spikes']) {
        const expected = await demo.send(target, demoKey('qaVariant'));
        expect(withoutMessage(await adapter.send(target)), target).to.deep.equal(
          withoutMessage(expected),
        );
      }
    }
  });

  it('passes on tiers, statuses and metrics of a later service, and ignores its fields', async () => {
    const meta = { api_version: 'v1', generated_at: `${today}T12:00:00.000Z`, next_cursor: null };
    const { data } = JSON.parse(
      (await demo.send('/api/v1/artists?limit=1', demoKey('qaCurrent'))).text,
    );
    const later = { ...data[0], tier: 'rising', signing: { status: 'pending' }, mood: 'new' };
    const growth = { previous: 1_000, current: 2_000, delta: 1_000, percent_change: 100 };
    const window = { days: 3, from: '2026-08-19', to: today };
    const of = { artist_id: 'a', artist_name: 'A', window, links: {}, engine: {} };
    const lists: Readonly<Record<string, readonly unknown[]>> = {
      artists: [later, { id: 'art_2' }],
      spikes: [{ ...of, ...growth, metric: 'radio_plays' }, { artist_name: 'no spike' }],
      signings: [{ label_songs: 'none' }],
    };
    const { port } = await openLocalServer(cleanup, ({ url = '' }, response) => {
      const [, name = ''] = /^\/api\/v1\/(\w+)/.exec(url) ?? [];
      const body = name === 'health' ? meta : { data: lists[name], meta };
      response.writeHead(200, { 'X-Request-Id': 'x' }).end(JSON.stringify(body));
    });
    const adapter = await openOver({ port, clock: createManualClock() }, 'x');
    const [artist] = JSON.parse((await adapter.send('/api/v1/artists')).text).data;
    expect(artist)
      .to.include({ tier: 'rising', signed_status: 'pending' })
      .and.not.have.key('mood');
    const spikes = JSON.parse((await adapter.send('/api/v1/spikes')).text).data;
    expect(spikes).to.deep.equal([
      { artist_name: 'A', metric: 'radio_plays', ...growth, period_days: 3 },
    ]);
  });

  it('requests spikes of a new window immediately, and returns 429 over the quota', async () => {
    const key = buildKey();
    const { gateway } = await openSmall(keySourceOf([key], { perMinute: 4, perDay: 1_000 }));
    const adapter = await openOver(gateway, key.text);
    for (let turn = 0; turn < 2; turn++)
      expect((await adapter.send('/api/v1/spikes?days=7')).status).to.equal(200);
    const { status, headers } = await adapter.send('/api/v1/spikes?days=8');
    expect([status, headers['retry-after']]).to.deep.equal([429, '60']);
  });

  it('rejects a key that only reads the variant form', async () => {
    const pinned = buildKey({ form: 'variant' });
    const { gateway } = await openSmall(keySourceOf([pinned]));
    const failure = await catchError(() => openOver(gateway, pinned.text));
    expect(String(failure)).to.match(
      /ARTIST_API_KEY may not choose its form: .* key of the current form\.$/,
    );
  });

  it('rejects lists with repeated identifiers, other columns or another encoding', async () => {
    const folder = await cleanup.makeFolder('given');
    const [ids, labels] = [join(folder, 'ids.csv'), join(folder, 'labels.txt')];
    writeFileSync(labels, 'Korvane\n');
    for (const [rows, reason] of [
      ['6.61E+23,a b,b 6.61E+23,c 6.61E+23,d', /ids\.csv has 6\.61E\+23 for 3 artists\. Use the/],
      ['a,art_1 b,art_1 c,art_1', /ids\.csv has art_1 for 3 artists\. Use the file as we sent it/],
      ['a,', /is no CSV with the columns current and variant/],
    ] as const) {
      writeFileSync(ids, `variant,current\n${rows.replaceAll(' ', '\n')}`);
      expect(() => readGiven(ids, labels)).to.throw(reason);
    }
    expect(() => readGiven(labels, labels)).to.throw('is no CSV with the columns');
    writeFileSync(ids, 'variant,current\na,b');
    writeFileSync(labels, Buffer.from('Søstre', 'latin1'));
    const wrong = `${labels} must be UTF-8: save it in that encoding.`;
    expect(() => readGiven(ids, labels)).to.throw(wrong);
    const failure = await catchError(() => openDemo({ record: labels }));
    expect(String(failure)).to.include(wrong);
  });

  it('records each path once, and reports once if the file cannot be written', async () => {
    const record = join(await cleanup.makeFolder('record'), 'calls.txt');
    writeFileSync(record, '/api/v1/spikes');
    const adapter = await openDemo({ record });
    for (const target of ['/api/v1/spikes', '/nowhere', '/api/v1/signings', '/nowhere'])
      await adapter.send(target);
    await adapter.send('/api/v1/spikes?key=aik_secret_x');
    await adapter.send('/api/v1/health', { method: 'POST' });
    await sendRaw(adapter.port, { path: '/api/v1/health', headers: { Origin: 'null' } });
    const lines = ['/api/v1/spikes', '/nowhere', '/api/v1/signings', ''];
    expect(readFileSync(record, 'utf8').split('\n')).to.deep.equal(lines);
    rmSync(record);
    mkdirSync(record); // cannot be written, like a full disk
    for (const target of ['/api/v1/artists', '/docs']) await adapter.send(target);
    expect(adapter.lines).to.deep.equal([
      `${record} cannot be written: Illegal operation on a directory. Calls are not recorded.`,
    ]);
  });

  it('leaves out the field of --without and no other', async () => {
    const lists = ['artists', 'spikes', 'signings'];
    const paths = [...lists, 'health', 'artists?id=x', 'nowhere'];
    const read = async (without: readonly string[]): Promise<readonly unknown[]> => {
      const { port } = await openDemo({ without });
      const replies = paths.map((path) => sendRaw(port, { path: `/api/v1/${path}` }));
      return (await Promise.all(replies)).map(({ text }) => JSON.parse(text));
    };
    const whole = await read([]);
    const removed = (field: string, bodies: readonly unknown[]) => {
      const [list = '', ...names] = field.split('.');
      const isOfItems = lists.includes(list) && names.length > 0;
      return bodies.map((body, index) => {
        if (!isOfItems) return remove(body, [list, ...names]);
        return paths[index] === list ? remove(body, ['data', ...names]) : body;
      });
    };
    for (const field of fields.filter((_, index) => isWhole || index % 10 === seed % 10)) {
      const rest = removed(field, whole);
      expect(rest, field).to.not.deep.equal(whole);
      expect(await read([field]), field).to.deep.equal(rest);
    }
    const nothing = fields.reduce((bodies, field) => removed(field, bodies), whole);
    expect(nothing).to.deep.equal(paths.map(() => ({})));
  }).timeout(60_000);
});

const pageSize = 100;

/** A service with a quota of 10 requests a minute and 1,000 a day. */
const openService = (artists: number) => {
  const clock = createManualClock('2026-08-22T00:00:00.000Z');
  const service = { tag: 1, isAway: false };
  const requests: { readonly path: string; readonly at: number }[] = [];
  const meta = () => ({ generated_at: new Date(clock.now()).toISOString(), next_cursor: null });
  const none = { status: {}, signing: {}, links: {}, metrics: {}, songs: [] };
  const item = { name: 'A', ...none, freshness: {}, provenance: {}, data_quality: {} };
  const answer = (path: string): unknown => {
    if (!path.startsWith('/api/v1/artists')) return { data: [], meta: meta() };
    const start = Number(/cursor=(\d+)/.exec(path)?.[1] ?? 0);
    const count = Math.min(pageSize, artists - start);
    const next = start + pageSize < artists ? String(start + pageSize) : null;
    const data = Array.from({ length: count }, (_, index) => ({
      ...{ id: `art_${start + index}`, ...item },
    }));
    return { data, meta: { ...meta(), next_cursor: next } };
  };
  const quotaOf = (limit: number, ms: number) => {
    const start = Math.floor(clock.now() / ms) * ms;
    const used = requests.filter(({ at }) => at >= start).length;
    return { limit, remaining: limit - used, reset: new Date(start + ms) };
  };
  const ask: Ask = async (path) => {
    if (service.isAway) throw new ApiError('No answer.');
    const headers = new Headers({ ETag: `W/"${service.tag}"` });
    if (path === '/api/v1/health') return { headers, body: meta() };
    requests.push({ path, at: clock.now() });
    expect(quotaOf(10, minuteMs).remaining, 'left in a minute').to.be.at.least(0);
    expect(quotaOf(1_000, dayMs).remaining, 'left in a day').to.be.at.least(500);
    return { headers, body: answer(path) };
  };
  const progress: number[] = [];
  const catalogue = createRemoteCatalogue({
    ...{ ask, documentIds: new Map(), labels: [], clock },
    service: {
      sleep: async (seconds) => clock.advance(seconds * 1_000),
      get quota() {
        return { minute: quotaOf(10, minuteMs), day: quotaOf(1_000, dayMs) };
      },
    },
    progress: (read) => progress.push(read),
  });
  const load = () => catalogue.source.load();
  /** Lets a day pass, with a look at health every minute. Returns the number of requests. */
  const passDay = async (isChanging: boolean): Promise<number> => {
    const before = requests.length;
    for (const end = clock.now() + dayMs - minuteMs; clock.now() < end; ) {
      if (isChanging) service.tag += 1;
      await load();
      clock.advance(minuteMs);
    }
    return requests.length - before;
  };
  /** The paths of requests that contain a text, from a request on. */
  const pathsWith = (text: string, from = 0) =>
    requests.slice(from).flatMap(({ path }) => (path.includes(text) ? [path] : []));
  return { service, clock, requests, pathsWith, progress, catalogue, load, passDay };
};

describe('the loads of the adapter', () => {
  for (const [artists, quiet, busy] of [
    [558, 64, 496],
    [10_000, 408, 408],
  ] as const)
    it(`cost ${quiet} to ${busy} requests a day with ${artists} artists`, async () => {
      expect(await openService(artists).passDay(false)).to.equal(quiet);
      expect(await openService(artists).passDay(true)).to.be.within(busy - 32, busy);
    }).timeout(60_000);

  it('take ten minutes within the quota for 10,000 artists, and report each page', async () => {
    const { load, clock, progress, requests } = openService(10_000);
    expect((await load()).artists).to.have.length(10_000);
    expect([requests.length, progress.length, progress.at(-1)]).to.deep.equal([102, 100, 10_000]);
    expect(clock.elapsed() / minuteMs).to.be.within(10, 11);
  });

  it('continue after the pages that were read before an outage', async () => {
    const { load, service, requests, pathsWith, progress } = openService(1_500);
    progress.push = (read) => {
      service.isAway = read === 500 && requests.length === 5;
      return read;
    };
    expect(String(await catchError(load))).to.include('No answer.');
    service.isAway = false;
    await load();
    expect(pathsWith('/artists')).to.have.length(15);
    service.tag += 1;
    await load();
    expect(pathsWith('/artists')).to.have.length(30);
  });

  it('read the spikes of the windows that programs requested within a day', async () => {
    const { load, catalogue, clock, requests, pathsWith, service } = openService(1);
    const spikesAfter = async (ms: number) => {
      clock.advance(ms);
      service.tag += 1;
      const before = requests.length;
      await load();
      return pathsWith('spikes', before);
    };
    await load();
    await catalogue.spikes([], 7, '2026-08-22');
    const both = ['/api/v1/spikes?days=3', '/api/v1/spikes?days=7'];
    expect(await spikesAfter(hourMs)).to.deep.equal(both);
    expect(await spikesAfter(dayMs)).to.deep.equal(both.slice(0, 1));
  });
});
