import { expect } from 'chai';
import { addDays } from '../../src/domain/day.ts';
import { type ComparedForm, comparedForms } from '../../tools/crosswalk/forms.ts';
import { buildArtist, buildKey, keySourceOf } from '../support/builders.ts';
import { expectContract } from '../support/contract.ts';
import { forward, type LocalServer, openLocalServer } from '../support/examples/local-server.ts';
import { clientKinds, runClient } from '../support/examples/programs.ts';
import { today } from '../support/forms/numbered-artists.ts';
import { createTestGateway, decodedText, type TestGateway } from '../support/gateway.ts';
import { createTestSource } from '../support/source.ts';

const optionNames = ['--base-url', '--polls', '--timeout', '--wait ', '--wait-factor'];

/** The factor of every wait: 15 minutes become 90 ms, a minute becomes 6 ms. */
const factor = 0.0001;

const artists = Array.from({ length: 12 }, (_, index) =>
  buildArtist({
    id: `art_${index}`,
    documentId: `doc_${index}`,
    name: `Artist "${index}" é`,
    dateAdded: addDays(today, -index * 9),
  }),
);
const later = buildArtist({
  id: 'art_late',
  documentId: 'doc_late',
  name: 'Later',
  dateAdded: today,
});

const keys = {
  current: buildKey({ form: 'current' }),
  variant: buildKey({ form: 'variant', perHour: 2 }),
};

/** Keys that end so many days from now, by the clock of this machine, which the clients read. */
const endingKeys = [29, 31].map((days) =>
  buildKey({ form: 'current', id: `days${days}`, expiresAt: Date.now() + days * 86_400_000 }),
);

const keySource = keySourceOf([...Object.values(keys), ...endingKeys], {
  perMinute: 2,
  perDay: 1000,
});

/** A request of a client, and the status of its answer. */
interface SeenRequest {
  readonly path: string;
  readonly ifNoneMatch: string | undefined;
  readonly status: number;
  readonly retryAfter: number;
  /** When it arrived, by `performance.now()`. */
  readonly at: number;
}

describe('example clients', () => {
  let gateway: TestGateway;
  let proxy: LocalServer;
  let seen: SeenRequest[];
  const source = createTestSource({ artists });

  beforeEach(async () => {
    source.change({ artists });
    seen = [];
    gateway = await createTestGateway({ source, keys: keySource });
    // Advances the gateway's clock by every `Retry-After`, so that the client may wait less.
    proxy = await openLocalServer(async (incoming, outgoing) => {
      const at = performance.now();
      const { url: path = '', headers } = incoming;
      const reply = await forward(gateway.port, incoming);
      expectContract(path, { ...reply, text: decodedText(reply) });
      const retryAfter = Number(reply.headers['retry-after'] ?? 0);
      seen.push({
        path,
        ifNoneMatch: headers['if-none-match'],
        status: reply.status,
        retryAfter,
        at,
      });
      gateway.clock.advance(retryAfter * 1000);
      if (seen.length === 3) source.change({ artists: [later, ...artists] });
      await Promise.all([gateway.gateway.keys.refresh(), gateway.gateway.catalogue.refresh()]);
      outgoing.writeHead(reply.status, [...reply.rawHeaders]).end(reply.body);
    });
  });
  afterEach(async () => {
    proxy.close();
    await gateway.close();
  });

  const waits = ['--wait-factor', String(factor)];

  /** Runs a client, with this environment beside the gateway's address. */
  const start = (
    form: ComparedForm,
    kind: string,
    env: Record<string, string>,
    options: readonly string[],
  ) => runClient(form, kind, [...options, ...waits], { ARTIST_API_URL: proxy.url, ...env });

  /** The identifiers that a client prints, in order. */
  const run = async (
    form: ComparedForm,
    kind: string,
    ...options: readonly string[]
  ): Promise<readonly string[]> => {
    const { code, lines, why } = await start(
      form,
      kind,
      { ARTIST_API_KEY: keys[form].text },
      options,
    );
    expect(code, why).to.equal(0);
    return lines.map((line) => line.split('\t')[0] ?? '');
  };

  /** Asserts that the client waited for each `Retry-After`, and 15 minutes after each answer. */
  const expectWaits = (): void => {
    for (const [index, { retryAfter, at, status }] of seen.entries()) {
      const next = seen[index + 1];
      const seconds = status < 400 ? 15 * 60 : retryAfter;
      if (next !== undefined) expect(next.at - at).to.be.at.least(seconds * 1000 * factor);
    }
  };

  const statuses = (): readonly number[] => seen.map(({ status }) => status);

  for (const kind of clientKinds) {
    it(`warn once when the key ends within 30 days, over pages of the size that is asked for (${kind})`, async () => {
      const warnings = await Promise.all(
        endingKeys.map(async ({ text }) => {
          const options = ['shortlist', '--page-size', '9'];
          const { code, errors, why } = await start(
            'current',
            kind,
            { ARTIST_API_KEY: text },
            options,
          );
          expect(code, why).to.equal(0);
          return errors.filter((line) => !line.includes('waiting'));
        }),
      );
      const date = new Date(endingKeys[0]?.record.expiresAt ?? 0).toUTCString();
      expect(warnings).to.deep.equal([[`This key expires on ${date}: ask for a new one.`], []]);
      for (const { path } of seen) expect(path).to.include('limit=9');
    });

    it(`poll with If-None-Match in the current form (${kind})`, async () => {
      const output = await run('current', kind, 'poll', '--polls', '4');
      expect(output).to.deep.equal(['art_0', 'art_late']); // it was added after the third request
      expect(statuses()).to.deep.equal([200, 304, 429, 200, 304]);
      const tagged = seen.map(({ ifNoneMatch }) => ifNoneMatch !== undefined);
      expect(tagged).to.deep.equal([false, true, true, true, true]);
      expectWaits();
    });

    it(`poll in the variant form (${kind})`, async () => {
      const output = await run('variant', kind, 'poll', '--wait', '--polls', '4');
      expect(output).to.deep.equal(['doc_0', 'doc_late']);
      expect(statuses()).to.deep.equal([200, 200, 429, 200, 200]);
      expect(seen.every(({ path }) => path.includes('new=1'))).to.equal(true);
      expectWaits();
    });
  }

  for (const form of comparedForms) {
    it(`of the ${form} form end with one line and exit code 1 without a key`, async () => {
      for (const kind of clientKinds) {
        for (const env of [{}, { ARTIST_API_KEY: '' }]) {
          const { code, errors, why } = await start(form, kind, env, ['poll']);
          expect([code, errors.length], why).to.deep.equal([1, 1]);
          expect(errors[0]).to.match(/^ARTIST_API_KEY is not set/);
        }
      }
    });

    it(`of the ${form} form name the same options and variables in --help`, async () => {
      for (const kind of clientKinds) {
        const { code, stdout } = await start(form, kind, {}, ['--help']);
        expect(code).to.equal(0);
        for (const name of [...optionNames, 'ARTIST_API_URL', 'ARTIST_API_KEY', 'shortlist'])
          expect(stdout, kind).to.include(name);
      }
    });
  }
});
