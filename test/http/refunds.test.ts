import { type IncomingMessage, request } from 'node:http';
import { expect } from 'chai';
import { createEmbeddedQuotas } from '../../adapters/stores/embedded/quotas.ts';
import type { HistorySource } from '../../src/ports.ts';
import type { UsageEvent } from '../../src/usage/counter.ts';
import type { ComparedForm } from '../../tools/migration/mapping/forms.ts';
import { buildKey, keySourceOf } from '../support/builders.ts';
import { createManualClock } from '../support/clock.ts';
import { longSeries, numberedArtists } from '../support/forms/numbered-artists.ts';
import { brokenArtist } from '../support/forms/situations.ts';
import { createTestGateway, fullKeys, type TestGateway, useGateway } from '../support/gateway.ts';
import { createTestSource } from '../support/source.ts';

const listPath = '/api/v1/artists?include=history&limit=60&tier=watch';
const nextPath = '/api/v1/artists?include=history&limit=60&tier=breaking';

const hoarder = buildKey({ id: 'hoarder', form: 'current', organizationId: 'org_hoarder' });
const other = buildKey({ id: 'other', form: 'current', organizationId: 'org_other' });

describe('refunds of lists with history that a client does not read', () => {
  const readIds: string[] = [];
  const usage: UsageEvent[] = [];
  const histories: HistorySource = {
    async read({ id }) {
      readIds.push(id);
      return { series: [longSeries], complete: true };
    },
  };
  const unread: IncomingMessage[] = [];
  // before the hook of `useGateway`, which waits for open connections
  afterEach(() => {
    for (const response of unread.splice(0)) response.destroy();
  });
  const gateway = useGateway(
    () =>
      createTestGateway({
        source: createTestSource({
          artists: numberedArtists.map(
            (artist, index) => ({ ...artist, tier: index < 60 ? 'watch' : 'breaking' }) as const,
          ),
        }),
        histories,
        usage: { count: (event) => void usage.push(event) },
        settings: { BODY_CACHE_MB: '1' },
        keys: keySourceOf(
          [hoarder, other],
          { id: 'org_hoarder', perMinute: 10, perDay: 100 },
          { id: 'org_other', perMinute: 10, perDay: 100 },
        ),
      }),
    true,
  );
  beforeEach(() => {
    readIds.length = 0;
    usage.length = 0;
  });

  /** Begins a list whose client takes the head and no byte of the body. */
  const begin = (path: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const headers = { Authorization: `Bearer ${hoarder.text}` };
      request({ host: '127.0.0.1', port: gateway.port, path, headers, agent: false })
        .on('response', (response) => {
          response.on('error', () => {});
          unread.push(response);
          resolve(response);
        })
        .on('error', reject)
        .end();
    });

  it('are not made: later lists return 503, then 429, and read no history', async () => {
    for (let times = 0; times < 2; times++)
      expect((await begin(listPath)).statusCode).to.equal(200);
    const before = readIds.length;
    const statuses: number[] = [];
    for (let times = 0; times < 12; times++)
      statuses.push((await gateway.send(nextPath, hoarder.text)).status);
    expect(statuses).to.deep.equal([...Array(8).fill(503), ...Array(4).fill(429)]);
    expect(readIds.length - before).to.equal(0);
    const lines = gateway.log.entries.filter(({ level }) => level !== 'info');
    expect(lines.map(({ level, event }) => `${level} ${event}`)).to.deep.equal([
      'warn request refused',
    ]);
    expect(usage.filter(({ status }) => status === 503).map(({ quota }) => quota)).to.deep.equal(
      Array(8).fill('granted'),
    );
  });

  it('leave the list of another organization as it is', async () => {
    for (let times = 0; times < 2; times++)
      expect((await begin(listPath)).statusCode).to.equal(200);
    const reply = await gateway.send(nextPath, other.text);
    expect(reply.status).to.equal(200);
    expect(JSON.parse(reply.text).data).to.have.length(60);
  });
});

describe('refunds of failures', () => {
  const open = (form: ComparedForm): Promise<TestGateway> =>
    createTestGateway({
      source: createTestSource({ artists: [brokenArtist] }),
      keys: keySourceOf([buildKey({ form, id: 'client', perHour: 4 })], {
        perMinute: 4,
        perDay: 100,
      }),
    });
  const key = (form: ComparedForm) => buildKey({ form, id: 'client' }).text;

  for (const form of ['current', 'variant'] as const)
    it(`are complete in the ${form} form: no window has used a unit`, async () => {
      const gateway = await open(form);
      for (let times = 0; times < 6; times++)
        expect((await gateway.send('/api/v1/artists', key(form))).status).to.equal(500);
      const reply = await gateway.send('/api/v1/signings', key(form));
      expect(reply.headers['x-ratelimit-remaining']).to.equal('3');
      expect(reply.headers['x-ratelimit-day-remaining']).to.equal(
        form === 'current' ? '99' : undefined,
      );
      await gateway.close();
    });

  it('are unnecessary while data is too old: no quota is charged', async () => {
    let charges = 0;
    const quotas = createEmbeddedQuotas(createManualClock());
    const gateway = await createTestGateway({
      quotas: {
        ...quotas,
        consume(...given) {
          charges += 1;
          return quotas.consume(...given);
        },
      },
    });
    const ask = async () => (await gateway.get('/api/v1/artists', fullKeys.current.text)).status;
    expect([await ask(), charges]).to.deep.equal([200, 1]);
    gateway.clock.advance(gateway.gateway.settings.maxStalenessMs + 1);
    await gateway.gateway.keys.refresh();
    expect([await ask(), charges]).to.deep.equal([503, 1]);
    await gateway.close();
  });
});
