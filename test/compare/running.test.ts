import { expect } from 'chai';
import { type Organization, type Scope, scopes } from '../../src/domain/caller.ts';
import type { HistorySource, KeySource } from '../../src/ports.ts';
import { fixtureFolder } from '../../src/runtime/folders.ts';
import { StoreError } from '../../src/runtime/store-error.ts';
import { createSide } from '../../tools/compare/cases/cases.ts';
import {
  askSide,
  type ComparisonRequest,
  type ReceivedResponse,
  type SendRequest,
} from '../../tools/compare/cases/send-request.ts';
import { chooseSample, walkShortlist } from '../../tools/compare/cases/shortlist.ts';
import { runCases } from '../../tools/compare/run.ts';
import {
  createResponseCache,
  RunEnded,
  withRetryAfter,
} from '../../tools/compare/targets/client.ts';
import { openEmbeddedTarget } from '../../tools/compare/targets/embedded-target.ts';
import { skipWhatKeysLack } from '../../tools/compare/targets/key-facts.ts';
import type { IdPair } from '../../tools/compare/targets/running-target.ts';
import type { ComparisonTarget } from '../../tools/compare/targets/target.ts';
import { buildKey, keySourceOf } from '../support/builders.ts';
import { catchError } from '../support/catch-error.ts';
import { createManualClock } from '../support/clock.ts';
import { readNamed, spikes } from '../support/compare/open-target.ts';
import { runOn } from '../support/compare/run-on.ts';
import { type DataSlip, slipping } from '../support/compare/slips.ts';
import { numberedArtists } from '../support/forms/numbered-artists.ts';
import { createMemoryLog } from '../support/log.ts';
import { createTestSource } from '../support/source.ts';

const keys = {
  current: buildKey({ id: 'cur', form: 'current', perHour: undefined }),
  variant: buildKey({ id: 'var', form: 'variant', perHour: undefined }),
};

const keySource = (organization: Partial<Organization>): KeySource =>
  keySourceOf(Object.values(keys), organization);

const given = {
  keys: { current: keys.current.text, variant: keys.variant.text, override: undefined },
};

/** A request of the current form. */
const requestOf = (path: string): ComparisonRequest => ({
  form: 'current',
  key: 'full',
  method: 'GET',
  path,
  headers: {},
});

describe('comparison with a running gateway', () => {
  it('stops if a quota is used up for longer than the maximum wait', async () => {
    const cases = await readNamed('artists', 'spikes', 'signings');
    const run = (target: ComparisonTarget) => runCases(cases, target);
    const ran = await runOn(
      { keys: keySource({ perDay: 1 }) },
      { ...given, maxWaitSeconds: 60 },
      run,
    );
    expect(ran.cases).to.have.lengthOf(1);
    expect(ran.skipped.map(({ reason }) => reason)).to.deep.equal(
      Array(2).fill('the run ended before them'),
    );
    expect(ran.stopped).to.match(/^The quota of the current form is used up for \d+ seconds/);
  });

  it('runs a case with a difference again, in case data changed', async () => {
    const cases = await readNamed('artists-limited');
    const ran = await runOn({ keys: keySource({}) }, given, (target) => {
      let asked = 0;
      const cache = createResponseCache(async (request) => {
        const reply = await target.sendAgain(request);
        const isFirst = request.form === 'variant' && asked++ === 0;
        return isFirst ? { ...reply, text: reply.text.replace('"count":2', '"count":3') } : reply;
      });
      return runCases(cases, { ...target, ...cache });
    });
    expect(
      ran.cases.map(({ unexpected, attempts }) => [unexpected.length, attempts]),
    ).to.deep.equal([[0, 2]]);
  });

  it('skips a case that names the day if another day began', async () => {
    const cases = await readNamed('artists', 'added-today');
    const clock = createManualClock('2026-08-22T23:59:50.000Z');
    const ran = await runOn({ keys: keySource({}), clock }, given, (target) => {
      clock.advance(20_000);
      return runCases(cases, target);
    });
    const found = ran.cases.map(({ name, unexpected }) => [name, unexpected.length]);
    expect(found).to.deep.equal([['artists', 0]]);
    expect(ran.skipped).to.deep.equal([
      { name: 'added-today', reason: 'a new day (UTC) began during the run' },
    ]);
  });

  it('accepts a `Link` below the path of the gateway’s PUBLIC_URL', async () => {
    const cases = await readNamed('artists', 'path-unknown');
    const noticed = buildKey({ ...keys.variant.record, sunset: '2027-06-30', deprecatedAt: 0 });
    const options = {
      keys: keySourceOf([keys.current, noticed]),
      settings: { PUBLIC_URL: 'https://api.partners.test/music' },
    };
    const ran = await runOn(options, given, (target) => runCases(cases, target));
    expect(ran.cases.map(({ unexpected }) => unexpected)).to.deep.equal([[], []]);
  });

  it('accepts a header that a proxy adds by status, but not by form', async () => {
    const violationsWith = async (isAdded: (reply: ReceivedResponse, form: string) => boolean) => {
      const cases = await readNamed('artists', 'limit-zero');
      const ran = await runOn({ keys: keySource({}) }, given, (target) => {
        const send: SendRequest = async (request) => {
          const reply = await target.sendAgain(request);
          const headers = { ...reply.headers, 'strict-transport-security': 'max-age=60' };
          return isAdded(reply, request.form) ? { ...reply, headers } : reply;
        };
        return runCases(cases, { ...target, send });
      });
      expect(ran.cases).to.have.lengthOf(2);
      return ran.cases.flatMap(({ unexpected }) => unexpected.map(({ line }) => line.unexpected));
    };
    expect(await violationsWith(({ status }) => status === 200)).to.deep.equal([]);
    expect(await violationsWith((_reply, form) => form === 'variant')).to.include(
      'No row of the mapping has it.',
    );
  });

  /** Runs a case over a gateway that reads no history for its first `failures` waits. */
  const runWithoutHistory = async (failures: number) => {
    let waits = 0;
    const source = createTestSource({ artists: numberedArtists.slice(0, 3) });
    const read: HistorySource['read'] = async (artist) => {
      if (waits < failures) throw new StoreError('the database is away');
      return source.read(artist);
    };
    const cases = await readNamed('artists', 'boundary-page-before-the-last');
    const options = { keys: keySource({}), source, histories: { read } };
    const wait = async () => {
      waits++;
    };
    return runOn(options, { ...given, wait }, async (target) => {
      const { skipped } = await runCases(cases, target);
      return { waits, notes: target.notes.slice(1), skipped };
    });
  };

  it('reads the shortlist again after a failure, and notes a second failure', async () => {
    expect(await runWithoutHistory(1)).to.deep.include({ waits: 1, notes: [] });
    const ran = await runWithoutHistory(2);
    expect(ran.notes).to.deep.equal([
      'Not every case was checked against the whole shortlist: GET /api/v1/artists?include=history&limit=100 was answered 503.',
    ]);
    expect(ran.skipped).to.deep.equal([
      {
        name: 'boundary-page-before-the-last',
        reason: 'they need the whole shortlist, which this run does not have',
      },
    ]);
  });

  const rowsOf = async (scopes: readonly Scope[], ...slips: readonly DataSlip[]) => {
    const cases = await readNamed('artists');
    const limited = buildKey({ id: 'cur', form: 'current', perHour: undefined, scopes });
    const options = { keys: keySourceOf([limited, keys.variant]) };
    const own = { keys: { ...given.keys, current: limited.text } };
    const ran = await runOn(options, own, (target) =>
      runCases(cases, { ...target, send: slipping(target.sendAgain, ...slips) }),
    );
    return ran.cases.flatMap(({ unexpected }) => unexpected.map(({ line }) => line.row));
  };

  it('does not miss fields of a scope that a key lacks', async () => {
    expect(await rowsOf(scopes.filter((scope) => scope !== 'editorial:read'))).to.deep.equal([]);
  });

  it('misses a field of a scope that both keys have', async () => {
    const change = (text: unknown) => (String(text).length % 2 === 0 ? undefined : text);
    const slip = { form: 'variant', of: 'artists', at: 'scouting_report', change } as const;
    expect(await rowsOf(scopes, slip)).to.include('artist.editorial.scouting_report');
  });

  it('ends if a key is refused later, but not for a single 401', async () => {
    const refuse = async () => ({ status: 401, headers: {}, text: '{"error":{"message":"No."}}' });
    const answer = async () => ({ status: 200, headers: {}, text: '{"data":[]}' });
    const request = requestOf('/api/v1/signings');
    expect((await skipWhatKeysLack(refuse, answer, given.keys)(request)).status).to.equal(401);
    const ended = await catchError(() => skipWhatKeysLack(refuse, refuse, given.keys)(request));
    expect(ended).to.be.instanceOf(RunEnded);
    expect(String(ended)).to.include(
      'A key is refused since this run began. CURRENT_KEY: GET /api/v1/artists?limit=1',
    );
  });
});

describe('walkShortlist', () => {
  const artists = numberedArtists.slice(0, 230).map((artist, index) => ({
    ...artist,
    tier: index < 220 ? ('watch' as const) : undefined,
    signing: { status: index % 110 === 0 ? ('signed' as const) : undefined, note: undefined },
  }));

  const walk = (pairs: readonly IdPair[], listed = artists, log = createMemoryLog()) =>
    runOn(
      { keys: keySource({}), source: createTestSource({ artists: listed }), log },
      { ...given, pairs },
      (target) => walkShortlist(target),
    );

  it('finds artists by tier and signed, and names artists beyond the limit', async () => {
    const { cases, notes } = await walk([]);
    expect(cases.flatMap(({ unexpected }) => unexpected)).to.deep.equal([]);
    expect(notes[0]).to.include('230 artists: 203 reached by tier and signed, 0 by identifier, 27');
    expect(notes[1]).to.include('Artist 202, Artist 203').and.include('and 7 more');
    const [note] = (await walk([], artists.slice(0, 1))).notes;
    expect(note).to.include(' 1 artist: 1 reached by tier');
  });

  it('finds artists beyond the limit by known pairs', async () => {
    const log = createMemoryLog();
    const pairs = artists.map(({ id, documentId }) => ({ current: id, variant: documentId }));
    const { cases, notes } = await walk(pairs, artists, log);
    expect(cases.flatMap(({ unexpected }) => unexpected)).to.deep.equal([]);
    expect(notes.join()).to.include('203 reached by tier and signed, 27 by identifier, 0 not');
    expect(cases.at(-1)).to.deep.include({ name: 'all-by-id', items: { left: 27, right: 27 } });
    const sent = JSON.stringify(log.entries).match(
      /"form":"current","route":"\/api\/v1\/artists"/g,
    );
    expect(sent, '3 pages, 3 pages with history, 27 artists').to.have.lengthOf(33);
  });

  it('reports a wrong pair of identifiers', async () => {
    const { cases } = await walk([{ current: 'art_001', variant: 'doc_002' }]);
    const found = cases.flatMap(({ unexpected }) => unexpected.map(({ line }) => line.unexpected));
    expect(found).to.include('The variant form differs from "doc_002".');
  });
});

describe('chooseSample', () => {
  const items = Array.from({ length: 20 }, (_, index) => ({ current: `art_${index}` }));

  it('chooses each artist about as often as any other', () => {
    const counts = new Map<(typeof items)[number], number>();
    for (let seed = 1; seed <= 2_000; seed++) {
      const sample = chooseSample(items, 5, seed);
      expect(new Set(sample)).to.have.lengthOf(5);
      for (const item of sample) counts.set(item, (counts.get(item) ?? 0) + 1);
    }
    expect(Math.min(...counts.values())).to.be.greaterThan(400);
    expect(Math.max(...counts.values())).to.be.lessThan(600);
    expect(chooseSample(items, 5, 7)).to.deep.equal(chooseSample(items, 5, 7));
    expect(chooseSample(items, 50, 7)).to.have.lengthOf(20);
  });

  it('chooses the same artists for a seed after another one was added in front', () => {
    const sample = chooseSample([{ current: 'art_new' }, ...items], 5, 7);
    expect(sample).to.include.members([...chooseSample(items, 4, 7)]);
  });
});

describe('withRetryAfter', () => {
  /** The waits of a request that is answered with each of these statuses, and its last reply. */
  const waitsFor = async (
    replies: readonly (readonly [status: number, retryAfter: string])[],
    maxWaitSeconds = 60,
  ) => {
    const [waits, left]: [number[], (typeof replies)[number][]] = [[], [...replies]];
    const send = withRetryAfter(
      async () => {
        const [status, retryAfter] = left.shift() ?? [200, ''];
        return { status, headers: { 'retry-after': retryAfter }, text: '' };
      },
      async (_form, seconds) => {
        waits.push(seconds);
      },
      maxWaitSeconds,
    );
    const { status } = await send(requestOf('/api/v1/signings'));
    return { status, waits };
  };

  it('waits at least one second, whatever `Retry-After` a proxy sends with 429', async () => {
    const replies = ['0', '', '-1', '3'].map((seconds) => [429, seconds] as const);
    expect(await waitsFor(replies)).to.deep.equal({ status: 200, waits: [1, 1, 1, 3] });
  });

  it('recommends --max-wait if the wait is too long', async () => {
    const error = String(await catchError(() => waitsFor([[429, '20000']])));
    expect(error).to.include('The quota of the current form').and.include('--max-wait');
  });
});

describe('askSide', () => {
  for (const [form, path, count, truncated] of [
    ['variant', '/artists?limit=3', 3, true],
    ['variant', '/artists?limit=3', 2, false],
    ['variant', '/artists', 100, true],
    ['variant', '/artists?limit=999', 200, true],
    ['current', '/added?limit=3', 3, true],
    ['current', '/artists?limit=3', 3, false],
    ['variant', '/spikes', 3, false],
  ] as const)
    it(`treats ${count} items of ${path} as ${truncated ? 'truncated' : 'whole'} (${form})`, async () => {
      const data = Array.from({ length: count }, (_, index) => ({ name: `Name ${index}` }));
      const meta = form === 'current' ? { next_cursor: null } : undefined;
      const send = async () => ({ status: 200, headers: {}, text: JSON.stringify({ data, meta }) });
      const focus = { today: '2026-03-01', artist: undefined };
      const asked = await askSide(send, form, 'full', createSide(path), focus);
      expect(asked.truncated).to.equal(truncated);
    });
});

describe('openEmbeddedTarget', () => {
  it('keeps idle connections open for longer than anything blocks the process', async () => {
    const target = await openEmbeddedTarget({ folder: fixtureFolder, spikes });
    const { headers } = await target.send({
      form: 'current',
      key: 'full',
      method: 'GET',
      path: '/health',
      headers: {},
    });
    await target.close();
    expect(headers).to.include({ connection: 'keep-alive', 'keep-alive': 'timeout=3600' });
  });
});
