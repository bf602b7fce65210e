import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { createEmbeddedQuotas } from '../../adapters/stores/embedded/quotas.ts';
import { type ComparedForm, comparedForms } from '../../src/crosswalk/forms.ts';
import type { QuotaStore } from '../../src/ports.ts';
import { buildArtist, buildKey, keySourceOf } from '../support/builders.ts';
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

/** The factor of every wait: 15 minutes become 90 ms, a minute becomes 6 ms. */
const factor = 0.0001;

const daysAgo = (count: number): string =>
  new Date(Date.parse('2026-08-22') - count * 86_400_000).toISOString().slice(0, 10);

const artists = Array.from({ length: 12 }, (_, index) =>
  buildArtist({
    id: `art_${index}`,
    documentId: `doc_${index}`,
    name: `Artist "${index}" é`,
    dateAdded: daysAgo(index * 9),
  }),
);
const later = buildArtist({ id: 'art_late', documentId: 'doc_late', name: 'Later', dateAdded: daysAgo(0) });

const keys = {
  current: buildKey({ form: 'current' }),
  variant: buildKey({ form: 'variant', perHour: 2 }),
};

const keySource = keySourceOf(Object.values(keys), { perMinute: 2, perDay: 1000 });

/** A quota store that fails its first call. */
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

/** The identifiers in a client's output, in order, from lines of text or JSON. */
const printedIds = (output: string): readonly string[] =>
  output
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) =>
      line.startsWith('{') ? JSON.parse(line).data.map(({ id }: { id: string }) => id) : [line.split('\t')[0] ?? ''],
    );

describe('example clients', () => {
  let gateway: TestGateway;
  let proxy: ClientProxy;
  const source = createTestSource({ artists });

  beforeEach(async () => {
    source.change({ artists });
    const clock = createManualClock();
    const quotas = failingOnce(createEmbeddedQuotas(clock));
    gateway = await createTestGateway({ clock, source, keys: keySource, quotas });
    proxy = await openClientProxy(gateway, async (count) => {
      if (count === 4) source.change({ artists: [later, ...artists] });
      await gateway.gateway.catalogue.refresh();
    });
  });
  afterEach(async () => {
    proxy.close();
    await gateway.close();
  });

  /** Runs a client, with this environment beside the gateway's address. Rejects when it fails. */
  const start = (form: ComparedForm, kind: string, env: Record<string, string>, options: readonly string[]) => {
    const [program = '', ...before] = commands[kind] ?? [];
    const file = fileURLToPath(new URL(`../../examples/${form}/client.${kind}`, import.meta.url));
    const given = { env: { PATH: process.env['PATH'] ?? '', ARTIST_API_URL: proxy.url, ...env }, timeout: 20_000 };
    return promisify(execFile)(program, [...before, file, ...options], given);
  };

  const run = async (form: ComparedForm, kind: string, ...options: readonly string[]): Promise<readonly string[]> => {
    const waits = ['--wait-factor', String(factor)];
    const { stdout } = await start(form, kind, { ARTIST_API_KEY: keys[form].text }, [...options, ...waits]);
    return printedIds(stdout);
  };

  /** Asserts that the client waited for each `Retry-After`, and this many seconds after each answer. */
  const expectWaits = (secondsAfterAnswer = 0): void => {
    for (const [index, { retryAfter, at, status }] of proxy.seen.entries()) {
      const next = proxy.seen[index + 1];
      const seconds = status < 400 ? secondsAfterAnswer : retryAfter;
      if (next !== undefined) expect(next.at - at).to.be.at.least(seconds * 1000 * factor);
    }
  };

  const statuses = (): readonly number[] => proxy.seen.map(({ status }) => status);
  const ids = artists.map(({ id }) => id);

  for (const kind of Object.keys(commands)) {
    it(`page through the shortlist in the current form (${kind})`, async () => {
      expect(await run('current', kind, 'shortlist', '--page-size', '5')).to.deep.equal(ids);
      expect(statuses()).to.deep.equal([503, 200, 200, 429, 200]);
      expectWaits();
    }).timeout(20_000);

    it(`read the shortlist in the variant form (${kind})`, async () => {
      const documents = artists.map(({ documentId }) => documentId);
      expect(await run('variant', kind, 'shortlist')).to.deep.equal(documents);
      expect(statuses()).to.deep.equal([500, 200]);
      expectWaits();
    }).timeout(20_000);

    it(`poll with If-None-Match in the current form (${kind})`, async () => {
      const output = await run('current', kind, 'poll', '--polls', '4');
      // The artist that was added after the fourth request. Clients that print whole answers repeat the first one.
      expect([...new Set(output)]).to.have.members(['art_0', 'art_late']);
      expect(statuses()).to.deep.equal([503, 200, 304, 429, 200, 304]);
      const tagged = proxy.seen.map(({ ifNoneMatch }) => ifNoneMatch !== undefined);
      expect(tagged).to.deep.equal([false, false, true, true, true, true]);
      expectWaits(15 * 60);
    }).timeout(20_000);

    it(`poll in the variant form (${kind})`, async () => {
      const output = await run('variant', kind, 'poll', '--polls', '4');
      expect([...new Set(output)]).to.have.members(['doc_0', 'doc_late']);
      expect(statuses()).to.deep.equal([500, 200, 200, 429, 200, 200]);
      expect(proxy.seen.every(({ path }) => path.includes('new=1'))).to.equal(true);
      expectWaits(15 * 60);
    }).timeout(20_000);
  }

  /** Runs a client that fails, and returns its exit code and what it wrote to stderr. */
  const fail = async (form: ComparedForm, kind: string, env: Record<string, string>, ...options: readonly string[]) => {
    const [outcome] = await Promise.allSettled([start(form, kind, env, options)]);
    const reason = outcome.status === 'rejected' ? outcome.reason : { code: 0, stderr: outcome.value.stdout };
    return { code: reason.code as number, lines: String(reason.stderr).trimEnd().split('\n') };
  };

  for (const form of comparedForms) {
    const other = comparedForms.find((name) => name !== form) ?? form;
    const failures: readonly (readonly [string, Record<string, string>, readonly string[], RegExp])[] = [
      ['no key', {}, ['poll'], /^ARTIST_API_KEY is not set/],
      ['an empty key', { ARTIST_API_KEY: '' }, ['poll'], /^ARTIST_API_KEY is not set/],
      [
        'no server',
        { ARTIST_API_KEY: 'x' },
        ['poll', '--base-url', 'http://127.0.0.1:1'],
        /^No answer from http:..127/,
      ],
      ['a refused key', { ARTIST_API_KEY: 'x' }, ['shortlist'], /^401 .*shape of a key/],
      ['a key of the other form', { ARTIST_API_KEY: keys[other].text }, ['poll'], new RegExp(`the ${other} form`)],
    ];
    for (const [what, env, options, expected] of failures) {
      it(`of the ${form} form end with one line and exit code 1 for ${what}`, async () => {
        if (what.includes('other form')) await gateway.get('/api/v1/artists', keys[other].text); // the store fails once
        for (const kind of Object.keys(commands)) {
          const { code, lines } = await fail(form, kind, env, ...options);
          expect([code, lines.length], `${kind}: ${lines.join(' / ')}`).to.deep.equal([1, 1]);
          expect(lines[0]).to.match(expected);
        }
      }).timeout(30_000);
    }

    it(`of the ${form} form name the same options and variables in --help`, async () => {
      for (const kind of Object.keys(commands)) {
        const { code, lines } = await fail(form, kind, {}, '--help');
        expect(code).to.equal(0);
        for (const name of ['--base-url', '--polls', '--wait-factor', 'ARTIST_API_URL', 'ARTIST_API_KEY', 'shortlist'])
          expect(lines.join('\n'), kind).to.include(name);
      }
    }).timeout(30_000);
  }
});
