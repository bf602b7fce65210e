import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { forms } from '../../adapters/forms/forms.ts';
import { createEmbeddedCatalogue } from '../../adapters/stores/embedded/catalogue.ts';
import type { Artist } from '../../src/domain/model.ts';
import { fixtureFolder } from '../../src/runtime/config.ts';
import { leavesOf } from '../../tools/compare/checks/diff.ts';
import type { ComparedForm } from '../../tools/crosswalk/forms.ts';
import type { Json } from '../../tools/crosswalk/json.ts';
import { createManualClock } from '../support/clock.ts';
import { currentArtists, variantArtists } from '../support/compare/faulty.ts';
import {
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

/** Requests between two changes of the artists. */
const batchSize = 40;

/**
 * The example catalogue and as many artists as exceed every limit, and a change of numbers, texts
 * and songs of some of them.
 */
const createChangingSource = async () => {
  const example = createEmbeddedCatalogue({
    folder: fixtureFolder,
    clock: createManualClock(),
    rebaseToToday: false,
  });
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
  it(`finds no difference in ${runs} random requests while artists change (SHADOW_SEED=${seed})`, async function () {
    this.timeout(120_000 + runs * 100);
    const { source, changeSome } = await createChangingSource();
    const shadowed = await createShadowGateway({ source });
    const targets = forms.flatMap((form) =>
      fc
        .sample(targetsOf(form.name), { numRuns: Math.ceil(runs / 2), seed })
        // both forms are compared
        .map((target) => [form.name as ComparedForm, target.replace('/api/v1', '')] as const),
    );
    for (let start = 0; start < targets.length; start += batchSize) {
      changeSome(start / batchSize + 1);
      await shadowed.gateway.gateway.catalogue.refresh();
      for (const [form, path] of targets.slice(start, start + batchSize)) {
        await shadowed.get(form, path);
        await shadowed.settled();
      }
    }
    const verdicts = await shadowed.verdicts();
    expect(await shadowed.rows()).to.deep.equal({});
    expect(verdicts).to.deep.include({ different: 0, failed: 0 });
    expect(verdicts.same).to.be.greaterThan(runs / 6);
    await shadowed.gateway.close();
  });

  it('changes no byte of a reply, no quota and no count of usage', async () => {
    const requests = [
      ...shadowRequests,
      ...['/artists?limit=no', '/artists/nobody', '/nothing', '/artists?cursor=x'].map(
        (path) => ['current', path] as const,
      ),
      ...['/artists?limit=no&x=1', '/artists?id=nobody', '/added'].map(
        (path) => ['variant', path] as const,
      ),
    ];
    const answersOf = async (isOn: boolean) => {
      const shadowed = await createShadowGateway({ isOn });
      const replies: unknown[] = [];
      for (const [form, path] of [...requests, ...requests]) {
        const encoding = replies.length % 2 === 0 ? 'gzip' : 'identity';
        const headers = {
          'Accept-Encoding': encoding,
          Authorization: `Bearer ${fullKeys[form].text}`,
        };
        const request = { path: `/api/v1${path}`, headers };
        const { status, rawHeaders, body } = await sendRaw(shadowed.gateway.port, request);
        const ids = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|"Date","[^"]*"/g;
        const head = JSON.stringify(rawHeaders).replaceAll(ids, 'id');
        const text = (head.includes('"gzip"') ? gunzipSync(body) : body)
          .toString('latin1')
          .replaceAll(ids, 'id');
        // When a list is compressed depends on how fast the machine is.
        const coding = encoding === 'gzip' ? /"Content-(Encoding|Length)","\w+",/g : /$^/;
        replies.push([status, head.replace(coding, ''), text]);
        await shadowed.settled();
      }
      const { days, hours } = unwrittenTotals(shadowed.usage);
      const { same = 0, different } = await shadowed.verdicts();
      const counted = days.reduce((sum, { compared }) => sum + (compared?.answers ?? 0), 0);
      expect([counted, different]).to.deep.equal([same, 0]);
      await shadowed.gateway.close();
      return { replies, usage: [days.map(({ compared: _compared, ...day }) => day), hours], same };
    };
    const [on, off] = [await answersOf(true), await answersOf(false)];
    expect(on.same).to.be.greaterThan(20);
    expect(off.same).to.equal(0);
    expect(on.replies).to.deep.equal(off.replies);
    expect(on.usage).to.deep.equal(off.usage);
  });

  it('counts comparisons by key, beside its requests', async () => {
    const shadowed = await createShadowGateway({
      change: variantArtists({ show: (wire) => ({ ...wire, name: 'X' }) }),
    });
    for (const path of ['/artists', '/artists?fields=basic', '/spikes', '/artists?id=nobody']) {
      await shadowed.get('variant', path);
      await shadowed.settled();
    }
    const { days } = unwrittenTotals(shadowed.usage);
    const rows = days.map(({ keyId, route, status, requests, compared }) => [
      keyId,
      route,
      status,
      requests,
      compared,
    ]);
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
      if (settings['SHADOW'] !== undefined) await until('the answer was compared', isCompared);
      const text = await read();
      await gateway.stop();
      return text;
    };

    it('is on with SHADOW=1, and counted in the metrics', async () => {
      expect(await metricsOf({ SHADOW: '1' })).to.include(
        'gateway_shadow_comparisons_total{verdict="same"} 1',
      );
    });

    it('is off by default, and has no metrics then', async () => {
      expect(await metricsOf({})).to.not.include('shadow');
    });
  });

  describe('when it fails', () => {
    it('answers, counts it, and logs the row and the line of code of what throws, once', async () => {
      const cause = new TypeError('secret');
      cause.stack = 'TypeError: secret\n    at f (file:///app/tools/compare/checks/members.js:3:1)';
      const failure = Object.assign(new Error('The check threw.', { cause }), {
        row: 'artist.name',
      });
      const show = () => {
        throw failure;
      };
      const shadowed = await createShadowGateway({ change: currentArtists({ show }) });
      for (const path of ['/artists', '/artists?tier=watch']) {
        expect(await shadowed.get('variant', path)).to.equal(200);
        await shadowed.settled();
      }
      const [line, ...more] = shadowed.log.entries;
      expect(await shadowed.verdicts()).to.deep.include({ failed: 2 });
      const at = 'tools/compare/checks/members.js:3';
      expect(line?.facts).to.include({
        key: 'variantFull',
        form: 'variant',
        error: 'TypeError',
        row: 'artist.name',
        at,
      });
      expect(more).to.deep.equal([]);
      expect(JSON.stringify(line)).to.not.include('secret');
      await shadowed.gateway.close();
    });
  });

  describe('bounds its work', () => {
    it('to one answer a second', async () => {
      const shadowed = await createShadowGateway({ intervalMs: 1_000 });
      const compareTwice = async () => {
        for (let times = 0; times < 2; times++) await shadowed.get('current', '/artists');
        await shadowed.settled();
        return (await shadowed.verdicts()).same;
      };
      expect(await compareTwice()).to.equal(1);
      shadowed.gateway.clock.advance(999);
      expect(await compareTwice()).to.equal(1);
      shadowed.gateway.clock.advance(1);
      expect(await compareTwice()).to.equal(2);
      await shadowed.close();
    });

    it('to one comparison at a time', async () => {
      const shadowed = await createShadowGateway({
        source: createTestSource({ artists: numberedArtists }),
      });
      await Promise.all(
        Array.from({ length: 10 }, () => shadowed.get('variant', '/artists?limit=50')),
      );
      await shadowed.settled();
      expect((await shadowed.verdicts()).same).to.be.within(1, 9);
      await shadowed.close();
    });

    it('to answers of 50 items, in a turn of the event loop for each of them', async () => {
      const source = createTestSource({ artists: numberedArtists });
      const shadowed = await createShadowGateway({ source });
      let turns = 0;
      let isCounting = true;
      const count = (): void => {
        turns += 1;
        if (isCounting) setImmediate(count);
      };
      expect(await shadowed.get('variant', '/artists?limit=50')).to.equal(200);
      count();
      await shadowed.shadow.settled();
      isCounting = false;
      expect(turns).to.be.greaterThan(150);
      expect(await shadowed.get('variant', '/artists?limit=51')).to.equal(200);
      await shadowed.settled();
      expect(await shadowed.verdicts()).to.include({ same: 1, skipped: 1, different: 0 });
      await shadowed.close();
    });
  });

  describe('logs', () => {
    /** A gateway in which every member of both forms' artists is wrong, and its answers. */
    const openWrong = async (): Promise<readonly [ShadowGateway, readonly Json[]]> => {
      const wrong = variantArtists({
        show: (wire) =>
          JSON.parse(JSON.stringify(wire), (_name, value) =>
            typeof value === 'string' ? `${value}~` : value,
          ),
      });
      const shadowed = await createShadowGateway({ change: wrong });
      const bodies: Json[] = [];
      for (const [form, path] of shadowRequests) {
        const reply = await getDecoded(
          shadowed.gateway.port,
          `/api/v1${path}`,
          fullKeys[form].text,
        );
        bodies.push(reply.body);
        await shadowed.settled();
      }
      return [shadowed, bodies];
    };

    it('ids, rows and member paths, and nothing else of an answer', async () => {
      const [shadowed, bodies] = await openWrong();
      const text = JSON.stringify(shadowed.log.entries);
      expect(shadowed.log.entries.length).to.be.greaterThan(8);
      // ids, words of the schemas, small numbers
      const allowed = /^(art_\w+|[a-f0-9-]{36}|[a-z_]+|\d{1,3}|.{0,2})$/i;
      const texts = new Set(
        bodies
          .flatMap((body) => leavesOf(body))
          .map(({ value }) => JSON.stringify(String(value)).slice(1, -1)),
      );
      const values = [...texts].filter((leaf) => !allowed.test(leaf));
      expect(values.length).to.be.greaterThan(200);
      expect(values.filter((leaf) => text.includes(leaf))).to.deep.equal([]);
      await shadowed.gateway.close();
    });

    it('one line for each cause, again after an hour', async () => {
      const [shadowed] = await openWrong();
      const linesAbout = (row: string) =>
        shadowed.log.entries
          .filter(({ facts }) => 'row' in facts && facts.row === row)
          .map(({ facts }) => facts);
      const before = linesAbout('artist.name').length;
      expect(linesAbout('artist.name')[0]).to.include({
        key: 'currentFull',
        current: 'name',
        variant: 'name',
      });
      await shadowed.get('variant', '/artists?tier=watch');
      await shadowed.settled();
      expect(linesAbout('artist.name')).to.have.lengthOf(before);
      shadowed.gateway.clock.advance(3_600_000);
      const { keys, catalogue } = shadowed.gateway.gateway;
      // an hour later their copies are too old to serve
      await Promise.all([keys.refresh(), catalogue.refresh()]);
      await shadowed.get('variant', '/artists?tier=watch');
      await shadowed.settled();
      expect(linesAbout('artist.name')).to.have.lengthOf(before + 1);
      await shadowed.gateway.close();
    });
  });
});
