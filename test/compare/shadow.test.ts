import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { createJudgeThread, type JudgeThread } from '../../adapters/compare/shadow/judge-thread.ts';
import { forms } from '../../adapters/forms/forms.ts';
import { createEmbeddedCatalogue } from '../../adapters/stores/embedded/catalogue.ts';
import type { ComparedForm } from '../../src/crosswalk/forms.ts';
import { isObject, type Json } from '../../src/crosswalk/json.ts';
import type { Artist } from '../../src/domain/model.ts';
import { fixtureFolder } from '../../src/runtime/config.ts';
import { createManualClock } from '../support/clock.ts';
import { currentArtists, variantArtists } from '../support/compare/faulty.ts';
import {
  createFaultyThread,
  createShadowGateway,
  type ShadowGateway,
  shadowRequests,
} from '../support/compare/shadow-gateway.ts';
import { demoKey } from '../support/faults/database.ts';
import { numberedArtists } from '../support/forms/numbered-artists.ts';
import { fullKeys, getDecoded } from '../support/gateway.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { targetsOf } from '../support/http/odd-requests.ts';
import { freePort } from '../support/ports.ts';
import { sendRaw } from '../support/raw.ts';
import { createTestSource } from '../support/source.ts';
import { unwrittenTotals } from '../support/usage.ts';
import { until } from '../support/wait.ts';

const runs = Number(process.env['SHADOW_RUNS'] ?? 300);
const seed = Number(process.env['SHADOW_SEED'] ?? Date.now() % 2 ** 31);

/** Requests sent at the same time: fewer than may wait for their comparison. */
const batchSize = 40;

const onMessage = (work: string): string =>
  `import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => { ${work} });`;

/** Every text and number in a value. */
const leavesOf = (value: Json): readonly (string | number)[] => {
  if (typeof value === 'string' || typeof value === 'number') return [value];
  if (Array.isArray(value)) return value.flatMap(leavesOf);
  return isObject(value) ? Object.values(value).flatMap(leavesOf) : [];
};

/** The example catalogue and as many artists as exceed every limit, and a change of numbers, texts and songs of some of them. */
const createChangingSource = async () => {
  const example = createEmbeddedCatalogue({ folder: fixtureFolder, clock: createManualClock(), rebaseToToday: false });
  const { artists: listed, labels } = await example.load();
  const histories = await Promise.all(listed.map(({ artist }) => example.read(artist)));
  const series = histories.flatMap((history) => history.series);
  let artists: readonly Artist[] = [...listed.map(({ artist }) => artist), ...numberedArtists];
  const source = createTestSource({ artists, series, labels });
  const changeSome = (round: number): void => {
    const change = (artist: Artist): Artist => ({
      ...artist,
      name: `${artist.name} ${round}`,
      updatedAt: artist.updatedAt + round,
      songs: artist.songs.slice(0, round % 4),
      photoUrl: round % 3 === 0 ? undefined : artist.photoUrl,
      metrics: { ...artist.metrics, spotify_streams: round * 7 },
      signing: { ...artist.signing, status: round % 2 === 0 ? 'signed' : undefined },
    });
    artists = artists.map((artist, index) => (index % 60 === round % 60 ? change(artist) : artist));
    source.change({ artists, series, labels });
  };
  return { source, changeSome };
};

describe('shadow comparison', () => {
  let thread: JudgeThread;
  before(() => {
    thread = createJudgeThread();
  });
  after(() => thread.close());

  it(`finds no difference in ${runs} random requests while artists change (SHADOW_SEED=${seed})`, async function () {
    this.timeout(120_000 + runs * 100);
    const { source, changeSome } = await createChangingSource();
    const shadowed = await createShadowGateway({ thread, source });
    const targets = forms.flatMap(
      (form) =>
        fc
          .sample(targetsOf(form.name), { numRuns: Math.ceil(runs / 2), seed })
          .map((target) => [form.name as ComparedForm, target.replace('/api/v1', '')] as const), // both forms are compared
    );
    for (let start = 0; start < targets.length; start += batchSize) {
      changeSome(start / batchSize + 1);
      await shadowed.gateway.gateway.catalogue.refresh();
      const batch = targets.slice(start, start + batchSize);
      await Promise.all(batch.map(([form, path]) => shadowed.get(form, path)));
      await shadowed.settled();
    }
    const verdicts = await shadowed.verdicts();
    expect(await shadowed.rows()).to.deep.equal({});
    expect(verdicts).to.deep.include({ different: 0, dropped: 0, failed: 0 });
    expect(verdicts.same).to.be.greaterThan(runs / 3);
    await shadowed.gateway.close();
  });

  it('changes no byte of a reply, no quota and no count of usage', async () => {
    const requests = [
      ...shadowRequests,
      ...['/artists?limit=no', '/artists/nobody', '/nothing', '/artists?cursor=x'].map(
        (path) => ['current', path] as const,
      ),
      ...['/artists?limit=no&x=1', '/artists?id=nobody', '/added'].map((path) => ['variant', path] as const),
    ];
    const answersOf = async (share: number) => {
      const shadowed = await createShadowGateway({ thread, share });
      const replies: unknown[] = [];
      for (const [form, path] of [...requests, ...requests]) {
        const encoding = replies.length % 2 === 0 ? 'gzip' : 'identity';
        const headers = { 'Accept-Encoding': encoding, Authorization: `Bearer ${fullKeys[form].text}` };
        const request = { path: `/api/v1${path}`, headers };
        const { status, rawHeaders, body } = await sendRaw(shadowed.gateway.port, request);
        const ids = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|"Date","[^"]*"/g;
        const head = JSON.stringify(rawHeaders).replaceAll(ids, 'id');
        const text = (head.includes('"gzip"') ? gunzipSync(body) : body).toString('latin1').replaceAll(ids, 'id');
        // When a list is compressed depends on how fast the machine is.
        const coding = encoding === 'gzip' ? /"Content-(Encoding|Length)","\w+",/g : /$^/;
        replies.push([status, head.replace(coding, ''), text]);
      }
      await shadowed.settled();
      const { days, hours } = unwrittenTotals(shadowed.usage);
      const { same = 0, different } = await shadowed.verdicts();
      const counted = days.reduce((sum, { compared }) => sum + (compared?.answers ?? 0), 0);
      expect([counted, different]).to.deep.equal([same, 0]);
      await shadowed.gateway.close();
      return { replies, usage: [days.map(({ compared: _compared, ...day }) => day), hours], same };
    };
    const [on, off] = [await answersOf(1), await answersOf(0)];
    expect(on.same).to.be.greaterThan(20);
    expect(off.same).to.equal(0);
    expect(on.replies).to.deep.equal(off.replies);
    expect(on.usage).to.deep.equal(off.usage);
  });

  it('counts comparisons by key, beside its requests', async () => {
    const shadowed = await createShadowGateway({
      thread,
      change: variantArtists({ show: (wire) => ({ ...wire, name: 'X' }) }),
    });
    for (const path of ['/artists', '/artists?fields=basic', '/spikes', '/artists?id=nobody'])
      await shadowed.get('variant', path);
    await shadowed.settled();
    const { days } = unwrittenTotals(shadowed.usage);
    const rows = days.map(({ keyId, route, status, requests, compared }) => [keyId, route, status, requests, compared]);
    expect(rows).to.have.deep.members([
      ['variantFull', '/api/v1/artists', 200, 2, { answers: 2, differed: 1 }],
      ['variantFull', '/api/v1/spikes', 200, 1, { answers: 1, differed: 0 }],
      ['variantFull', '/api/v1/artists', 404, 1, undefined],
    ]);
    expect(await shadowed.verdicts()).to.deep.include({ same: 2, different: 1 });
    await shadowed.gateway.close();
  });

  describe('of the built gateway', () => {
    const metricsOf = async (settings: Record<string, string>): Promise<string> => {
      const port = await freePort();
      const gateway = await startGatewayProcess({ ...settings, OPERATIONS_PORT: String(port) });
      const { status } = await gateway.get('/api/v1/artists', demoKey('curFull01'));
      expect(status).to.equal(200);
      const read = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const isCompared = async () => (await read()).includes('comparisons_total{verdict="same"} 1');
      if (settings['SHADOW_SHARE'] !== undefined) await until('the answer was compared', isCompared);
      const text = await read();
      await gateway.stop();
      return text;
    };

    it('is on with SHADOW_SHARE, and counted in the metrics', async () => {
      expect(await metricsOf({ SHADOW_SHARE: '1' })).to.include('gateway_shadow_comparisons_total{verdict="same"} 1');
    });

    it('is off by default, and has no metrics then', async () => {
      expect(await metricsOf({})).to.not.include('shadow');
    });
  });

  describe('when it fails', () => {
    const failures: readonly (readonly [string, string, number, string])[] = [
      ['a throw in the worker thread', onMessage('throw new TypeError("secret");'), 10_000, 'threw'],
      ['a worker thread that ends', onMessage('process.exit(3);'), 10_000, 'ended'],
      ['a worker thread that hangs', onMessage('for (;;);'), 150, 'too slow'],
    ];
    for (const [what, program, maxMs, reason] of failures) {
      it(`answers, and counts ${what}`, async () => {
        const shadowed = await createShadowGateway({ thread: createFaultyThread(program, maxMs) });
        for (let sent = 0; sent < 2; sent++) {
          expect(await shadowed.get('current', '/artists')).to.equal(200);
          await shadowed.settled();
        }
        expect(await shadowed.verdicts()).to.deep.include({ failed: 2, same: 0, dropped: 0 });
        expect(await shadowed.failures()).to.deep.equal({ threw: 0, ended: 0, 'too slow': 0, [reason]: 2 });
        const [line, ...more] = shadowed.log.entries;
        expect(line?.event).to.equal('comparison of the forms failed');
        expect(line?.facts).to.include({ reason, key: 'currentFull' });
        expect(more, 'one line for one cause').to.deep.equal([]);
        expect(JSON.stringify(shadowed.log.entries)).to.not.include('secret');
        await shadowed.close();
      });
    }

    it('answers, and counts a presenter of the other form that throws', async () => {
      const show = () => {
        throw new TypeError('secret');
      };
      const shadowed = await createShadowGateway({ thread, change: currentArtists({ show }) });
      expect(await shadowed.get('variant', '/artists')).to.equal(200);
      await shadowed.settled();
      expect(await shadowed.verdicts()).to.deep.include({ failed: 1 });
      expect(shadowed.log.entries.map(({ facts }) => facts)[0]).to.include({ reason: 'threw', error: 'TypeError' });
      await shadowed.gateway.close();
    });

    it('logs the request, the row and the line of code of a check that throws', async () => {
      const throwing = createFaultyThread(
        onMessage(`const failure = new Error('secret'); failure.row = 'artist.name';
          failure.stack = 'Error: secret\\n    at f (file:///app/adapters/compare/checks/members.js:3:1)'; throw failure;`),
        10_000,
      );
      const shadowed = await createShadowGateway({ thread: throwing });
      await shadowed.get('current', '/artists');
      await shadowed.settled();
      const [line] = shadowed.log.entries;
      expect(line?.facts).to.include({ row: 'artist.name', at: 'adapters/compare/checks/members.js:3' });
      expect(line?.facts).to.have.property('requestId').that.is.a('string');
      await shadowed.close();
    });

    it('answers, and drops what does not fit into the queue', async () => {
      const shadowed = await createShadowGateway({ thread: createFaultyThread(onMessage(''), 60_000) });
      const statuses = await Promise.all(Array.from({ length: 100 }, () => shadowed.get('variant', '/spikes')));
      expect(new Set(statuses)).to.deep.equal(new Set([200]));
      await shadowed.gateway.send('/api/v1/health');
      expect((await shadowed.verdicts()).dropped).to.be.within(34, 36); // 64 wait, and up to 2 are being compared
      await shadowed.close();
    });

    it('compares nothing for 30 seconds after the worker thread failed', async () => {
      const faulty = createFaultyThread(onMessage('process.exit(3);'), 10_000);
      const shadowed = await createShadowGateway({ thread: faulty, pauseMs: 30_000 });
      const compareOnce = async () => {
        await shadowed.get('current', '/artists');
        await shadowed.settled();
        return shadowed.verdicts();
      };
      expect(await compareOnce()).to.deep.include({ failed: 1, dropped: 0 });
      expect(await compareOnce()).to.deep.include({ failed: 1, dropped: 1 });
      shadowed.gateway.clock.advance(30_000);
      expect(await compareOnce()).to.deep.include({ failed: 2, dropped: 1 });
      await shadowed.close();
    });
  });

  describe('logs', () => {
    /** A gateway in which every member of both forms' artists is wrong, and its answers. */
    const openWrong = async (): Promise<readonly [ShadowGateway, readonly Json[]]> => {
      const wrong = variantArtists({
        show: (wire) =>
          JSON.parse(JSON.stringify(wire), (_name, value) => (typeof value === 'string' ? `${value}~` : value)),
      });
      const shadowed = await createShadowGateway({ thread, change: wrong });
      const bodies: Json[] = [];
      for (const [form, path] of shadowRequests) {
        const reply = await getDecoded(shadowed.gateway.port, `/api/v1${path}`, fullKeys[form].text);
        bodies.push(reply.body);
      }
      await shadowed.settled();
      return [shadowed, bodies];
    };

    it('ids, rows and member paths, and nothing else of an answer', async () => {
      const [shadowed, bodies] = await openWrong();
      const text = JSON.stringify(shadowed.log.entries);
      expect(shadowed.log.entries.length).to.be.greaterThan(8);
      const allowed = /^(art_\w+|[a-f0-9-]{36}|[a-z_]+|\d{1,3}|.{0,2})$/i; // ids, words of the schemas, small numbers
      const texts = new Set(bodies.flatMap(leavesOf).map((leaf) => JSON.stringify(String(leaf)).slice(1, -1)));
      const values = [...texts].filter((leaf) => !allowed.test(leaf));
      expect(values.length).to.be.greaterThan(200);
      expect(values.filter((leaf) => text.includes(leaf))).to.deep.equal([]);
      await shadowed.gateway.close();
    });

    it('one line for each cause, again after an hour', async () => {
      const [shadowed] = await openWrong();
      const linesAbout = (row: string) =>
        shadowed.log.entries.filter(({ facts }) => 'row' in facts && facts.row === row).map(({ facts }) => facts);
      const before = linesAbout('artist.name').length;
      expect(linesAbout('artist.name')[0]).to.include({ key: 'currentFull', current: 'name', variant: 'name' });
      await shadowed.get('variant', '/artists?tier=watch');
      await shadowed.settled();
      expect(linesAbout('artist.name')).to.have.lengthOf(before);
      shadowed.gateway.clock.advance(3_600_000);
      const { keys, catalogue } = shadowed.gateway.gateway;
      await Promise.all([keys.refresh(), catalogue.refresh()]); // an hour later their copies are too old to serve
      await shadowed.get('variant', '/artists?tier=watch');
      await shadowed.settled();
      expect(linesAbout('artist.name')).to.have.lengthOf(before + 1);
      await shadowed.gateway.close();
    });
  });
});
