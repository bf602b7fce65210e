import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { createEmbeddedQuotas } from '../../adapters/stores/embedded/quota.ts';
import { type FormName, formNames } from '../../src/domain/caller.ts';
import type { QuotaStore } from '../../src/ports.ts';
import { buildArtist, buildKey, buildOrganization } from '../support/builders.ts';
import { createManualClock } from '../support/clock.ts';
import { type ClientProxy, openClientProxy } from '../support/examples/client-proxy.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { createTestSource } from '../support/source.ts';

/** How each client is started, by the end of its file's name. */
const commands: Readonly<Record<string, readonly string[]>> = {
  ts: [process.execPath, '--import', 'tsx'],
  py: ['python3'],
  sh: ['bash'],
};

/** Every wait is so much shorter: 15 minutes are 90 ms, a minute is 6 ms. */
const factor = 0.0001;

const day = (back: number): string => new Date(Date.parse('2026-08-22') - back * 86_400_000).toISOString().slice(0, 10);

const artists = Array.from({ length: 12 }, (_, place) =>
  buildArtist({
    id: `art_${place}`,
    documentId: `doc_${place}`,
    name: `Artist "${place}" é`,
    dateAdded: day(place * 9),
  }),
);
const later = buildArtist({ id: 'art_late', documentId: 'doc_late', name: 'Later', dateAdded: day(0) });

const keys = {
  current: buildKey({ form: 'current' }),
  variant: buildKey({ form: 'variant', perHour: 2 }),
};

const keySource = {
  load: async () => ({
    keys: Object.values(keys).map(({ record }) => record),
    organizations: [buildOrganization({ perMinute: 2, perDay: 1000 })],
  }),
};

/** A quota store that cannot answer the first time it is asked. */
const failingOnce = (quotas: QuotaStore): QuotaStore => {
  let failed = false;
  return {
    ...quotas,
    async consume(allowance, deadline) {
      if (failed) return quotas.consume(allowance, deadline);
      failed = true;
      throw new Error('away');
    },
  };
};

/** The identifiers a client printed, in order, from its lines of text or of JSON. */
const printed = (output: string): readonly string[] =>
  output
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) =>
      line.startsWith('{') ? JSON.parse(line).data.map(({ id }: { id: string }) => id) : [line.split('\t')[0] ?? ''],
    );

describe('example clients', () => {
  let gateway: TestGateway;
  let front: ClientProxy;
  const source = createTestSource({ artists });

  beforeEach(async () => {
    source.change({ artists });
    const clock = createManualClock();
    const quotas = failingOnce(createEmbeddedQuotas(clock));
    gateway = await createTestGateway({ clock, source, keys: keySource, quotas });
    front = await openClientProxy(gateway, async (count) => {
      if (count === 4) source.change({ artists: [later, ...artists] });
      await gateway.gateway.catalogue.refresh();
    });
  });
  afterEach(async () => {
    front.close();
    await gateway.close();
  });

  const run = async (form: FormName, kind: string, ...options: readonly string[]): Promise<readonly string[]> => {
    const [program = '', ...before] = commands[kind] ?? [];
    const file = fileURLToPath(new URL(`../../examples/${form}/client.${kind}`, import.meta.url));
    const given = [...before, file, ...options, '--wait-factor', String(factor)];
    const env = { PATH: process.env['PATH'], ARTIST_API_URL: front.url, ARTIST_API_KEY: keys[form].text };
    const { stdout } = await promisify(execFile)(program, given, { env, timeout: 20_000 });
    return printed(stdout);
  };

  /** Nobody asked again before the time was up, or before so many seconds after an answer. */
  const expectPatience = (betweenAnswers = 0): void => {
    for (const [place, { retryAfter, at, status }] of front.seen.entries()) {
      const next = front.seen[place + 1];
      const seconds = status < 400 ? betweenAnswers : retryAfter;
      if (next !== undefined) expect(next.at - at).to.be.at.least(seconds * 1000 * factor);
    }
  };

  const statuses = (): readonly number[] => front.seen.map(({ status }) => status);
  const ids = artists.map(({ id }) => id);

  for (const kind of Object.keys(commands)) {
    it(`pages through the shortlist in the current form (${kind})`, async () => {
      expect(await run('current', kind, 'shortlist', '--page-size', '5')).to.deep.equal(ids);
      expect(statuses()).to.deep.equal([503, 200, 200, 429, 200]);
      expectPatience();
    }).timeout(20_000);

    it(`reads the shortlist in the variant form (${kind})`, async () => {
      const documents = artists.map(({ documentId }) => documentId);
      expect(await run('variant', kind, 'shortlist')).to.deep.equal(documents);
      expect(statuses()).to.deep.equal([500, 200]);
      expectPatience();
    }).timeout(20_000);

    it(`polls with an entity tag in the current form (${kind})`, async () => {
      const output = await run('current', kind, 'poll', '--polls', '4');
      // The artist who was added after the fourth request; whoever prints whole answers prints the first one again.
      expect([...new Set(output)]).to.have.members(['art_0', 'art_late']);
      expect(statuses()).to.deep.equal([503, 200, 304, 429, 200, 304]);
      const tagged = front.seen.map(({ ifNoneMatch }) => ifNoneMatch !== undefined);
      expect(tagged).to.deep.equal([false, false, true, true, true, true]);
      expectPatience(15 * 60);
    }).timeout(20_000);

    it(`polls in the variant form (${kind})`, async () => {
      const output = await run('variant', kind, 'poll', '--polls', '4');
      expect([...new Set(output)]).to.have.members(['doc_0', 'doc_late']);
      expect(statuses()).to.deep.equal([500, 200, 200, 429, 200, 200]);
      expect(front.seen.every(({ path }) => path.includes('new=1'))).to.equal(true);
      expectPatience(15 * 60);
    }).timeout(20_000);
  }

  for (const form of formNames) {
    it(`take the key of the ${form} form from the environment alone`, async () => {
      for (const kind of Object.keys(commands)) {
        const [program = '', ...before] = commands[kind] ?? [];
        const file = fileURLToPath(new URL(`../../examples/${form}/client.${kind}`, import.meta.url));
        const bare = { env: { PATH: process.env['PATH'] }, timeout: 20_000 };
        const failed = await promisify(execFile)(program, [...before, file, 'poll'], bare).catch(String);
        expect(failed).to.match(/ARTIST_API_KEY/);
      }
    }).timeout(20_000);
  }
});
