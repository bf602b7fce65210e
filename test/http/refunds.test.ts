import { type IncomingMessage, request } from 'node:http';
import { expect } from 'chai';
import type { HistorySource } from '../../src/ports.ts';
import type { UsageEvent } from '../../src/usage/counter.ts';
import { buildKey, keySourceOf } from '../support/builders.ts';
import { longSeries, numberedArtists } from '../support/forms/numbered-artists.ts';
import { createTestGateway, useGateway } from '../support/gateway.ts';
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
          ...['org_hoarder', 'org_other'].map((id) => ({ id, perMinute: 10, perDay: 100 })),
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
