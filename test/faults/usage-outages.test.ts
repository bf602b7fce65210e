import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { createMongoDocuments } from '../../adapters/stores/mongodb/documents.ts';
import { createUsageReader } from '../../tools/operator/usage.ts';
import { useCleanup } from '../support/cleanup.ts';
import { readFixtures } from '../support/documents.ts';
import {
  type DatabaseUnderFault,
  demoKey,
  faults,
  startDatabaseUnderFault,
} from '../support/faults/database.ts';
import { expectOnlyOutages } from '../support/faults/quotas.ts';
import { countStatuses, startLoad } from '../support/load.ts';
import { settlesWithin, until } from '../support/wait.ts';

const list = '/api/v1/artists?limit=3';
const keys = [demoKey('qaCurrent'), demoKey('qaVariant')];

describe('usage counting', () => {
  const cleanup = useCleanup(afterEach);
  let setup: DatabaseUnderFault;

  /**
   * Starts a gateway that tolerates stale sources for 60 s; resolves when it is ready, without
   * sending it a request.
   */
  const start = async (settings: Record<string, string>): Promise<void> => {
    const tolerant = {
      MAX_STALENESS_SECONDS: '60',
      KEYS_MAX_STALENESS_SECONDS: '60',
      OPERATIONS_PORT: 'free',
    };
    setup = await cleanup.start(
      startDatabaseUnderFault({ settings: { ...tolerant, ...settings } }),
    );
    await until('the gateway serves', async () => (await setup.gateway.ready()).status === 200);
  };
  const send = (index: number) => setup.gateway.get(list, keys[index % keys.length]);

  /** Formats the written counts like `countStatuses`. */
  const written = async (): Promise<string> => {
    const counts = new Map<number, number>();
    for (const { status, requests } of await createUsageReader(
      createMongoDocuments(setup.db),
    ).loadDays('2026-01-01')) {
      counts.set(status, (counts.get(status) ?? 0) + requests);
    }
    return [...counts].map(([status, requests]) => `${status} × ${requests}`).join(', ');
  };
  const linesOf = (event: string) =>
    setup.gateway.lines.filter((line) => line.includes(`"${event}"`)).length;

  for (const { name, begin, end } of faults) {
    it(`delays no request while ${name}, and counts every request once afterwards`, async () => {
      await start({ USAGE_FLUSH_SECONDS: '0.2' });
      let index = 0;
      const load = cleanup.add(
        startLoad(() => send(index++), 20),
        ({ stop }) => stop(),
      );
      await until('something is written', async () => (await written()) !== '');
      await begin(setup);
      await until('the failed write is logged', () => linesOf('usage not written (retrying)') > 0);
      const { metric } = setup.gateway;
      expect(await metric('gateway_usage_write_errors_total')).to.be.greaterThan(0);
      const age = () => metric('gateway_usage_write_age_seconds');
      await until('nothing is written for 2 s', async () => (await age()) > 2);
      // a day and an hour of two keys
      expect(await metric('gateway_usage_pending_entries')).to.be.at.least(4);
      await load.answered();
      await end(setup);
      await until('the recovery is logged', () => linesOf('usage written again') > 0);
      const samples = await load.stop();
      expect(samples.length).to.be.greaterThan(50);
      expectOnlyOutages(samples);
      const sent = countStatuses(samples);
      expect(sent).to.match(/^200 × \d+$/);
      await until('all of it is written', async () => (await written()) === sent);
      await wait(1_000); // time for several more writes
      expect(await written()).to.equal(sent);
      expect(linesOf('usage not written (retrying)')).to.equal(1);
      expect(await metric('gateway_usage_pending_entries')).to.equal(0);
      expect(await metric('gateway_usage_uncounted_total')).to.equal(0);
    });
  }

  it('writes its counts on shutdown', async () => {
    await start({ USAGE_FLUSH_SECONDS: '600' });
    for (let index = 0; index < 20; index++) await send(index);
    expect(await written()).to.equal('');
    setup.gateway.signal('SIGTERM');
    expect(await setup.gateway.exit).to.deep.equal({ code: 0, signal: null });
    expect(await written()).to.equal('200 × 20');
  });

  it('writes all of its counts on shutdown to a database that takes its time, also after Ctrl-C', async () => {
    await start({ USAGE_FLUSH_SECONDS: '600' });
    const ids = readFixtures().api_keys.map(({ _id }) => String(_id));
    const paths = [
      '/artists?limit=1',
      '/artists?limit=x',
      '/artists/nobody',
      '/spikes',
      '/signings',
      '/added',
      '/nothing',
    ];
    for (const id of ids)
      await Promise.all(
        paths.map((path) => setup.gateway.get(`/api/v1${path}`, demoKey(id)).catch(() => {})),
      );
    // two batches and more
    expect(await setup.gateway.metric('gateway_usage_pending_entries')).to.be.above(150);
    setup.proxy.delay(500);
    setup.gateway.signal('SIGINT');
    expect(await setup.gateway.exit).to.deep.equal({ code: 0, signal: null });
    expect(linesOf('usage lost at shutdown')).to.equal(0);
  });

  it('does not delay the shutdown while MongoDB is paused, and logs the loss', async () => {
    await start({ USAGE_FLUSH_SECONDS: '600' });
    await send(0);
    setup.mongo.pause();
    setup.gateway.signal('SIGTERM');
    // a write is given up after 30 s
    expect(await settlesWithin(25_000, setup.gateway.exit)).to.equal(true);
    expect(await setup.gateway.exit).to.deep.equal({ code: 0, signal: null });
    expect(linesOf('usage lost at shutdown')).to.equal(1);
    setup.mongo.resume();
  });
});
