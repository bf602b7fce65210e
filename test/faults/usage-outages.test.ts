import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { loadUsage } from '../../adapters/stores/mongodb/usage.ts';
import { type DatabaseUnderFault, demoKey, faults, startDatabaseUnderFault } from '../support/faults/database.ts';
import type { Load, Sample } from '../support/load.ts';
import { countStatuses, startLoad } from '../support/load.ts';
import { freePort } from '../support/ports.ts';
import { until } from '../support/wait.ts';

/** A reply may be slow on a busy machine; one that waits for a database that is away would take longer. */
const hang = 2_500;

const list = '/api/v1/artists?limit=3';
const keys = [demoKey('qaCurrent'), demoKey('qaVariant')];

describe('what partners use', () => {
  let world: DatabaseUnderFault;
  let operations: string;
  let load: Load | undefined;
  afterEach(async () => {
    await load?.stop();
    await world.stop();
  });

  /** Starts a gateway that relies on its sources for long; resolves when it serves, without having asked it anything. */
  const start = async (settings: Record<string, string>): Promise<void> => {
    const port = await freePort();
    const patient = { MAX_STALENESS_SECONDS: '60', KEYS_MAX_STALENESS_SECONDS: '60', OPERATIONS_PORT: String(port) };
    world = await startDatabaseUnderFault({ settings: { ...patient, ...settings } });
    operations = `http://127.0.0.1:${port}`;
    await until('the gateway serves', async () => (await fetch(`${operations}/ready`)).status === 200);
  };
  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`${operations}/metrics`)).text();
    return Number(new RegExp(`^${name} ([0-9.e+-]+)$`, 'm').exec(text)?.[1]);
  };
  const ask = (place: number) => world.gateway.get(list, keys[place % keys.length]);

  /** How many requests were written of, with which statuses; as a line to read. */
  const written = async (): Promise<string> => {
    const counts = new Map<number, number>();
    for (const { status, requests } of await loadUsage(world.db, '2026-01-01')) {
      counts.set(status, (counts.get(status) ?? 0) + requests);
    }
    return [...counts].map(([status, requests]) => `${status} × ${requests}`).join(', ');
  };
  const linesOf = (event: string) => world.gateway.lines.filter((line) => line.includes(`"${event}"`)).length;

  const expectAnswersAtOnce = (samples: readonly Sample[]): void => {
    expect(samples.length).to.be.greaterThan(50);
    for (const { answer } of samples) {
      expect(answer?.status).to.equal(200);
      expect(answer?.ms).to.be.lessThan(hang);
    }
  };

  for (const { name, begin, end } of faults) {
    it(`keeps no request waiting for MongoDB while ${name}, is written afterwards, and counts nothing twice`, async function () {
      this.timeout(60_000);
      await start({ USAGE_FLUSH_SECONDS: '0.2' });
      let place = 0;
      load = startLoad(() => ask(place++), 20);
      await until('something is written', async () => (await written()) !== '');
      await begin(world);
      await until('it is told that nothing can be written', () => linesOf('usage not written') > 0, 15_000);
      await wait(2_000);
      expect(await metric('gateway_usage_write_errors_total')).to.be.greaterThan(0);
      expect(await metric('gateway_usage_write_age_seconds')).to.be.greaterThan(2);
      expect(await metric('gateway_usage_pending_entries')).to.be.at.least(4); // a day and an hour of two keys
      await end(world);
      await until('it is told that it is written again', () => linesOf('usage is written again') > 0, 20_000);
      const samples = await load.stop();
      expectAnswersAtOnce(samples);
      const sent = countStatuses(samples);
      await until('all of it is written', async () => (await written()) === sent, 10_000);
      await wait(1_000); // several more writes
      expect(await written()).to.equal(sent);
      expect(linesOf('usage not written')).to.equal(1);
      expect(await metric('gateway_usage_pending_entries')).to.equal(0);
      expect(await metric('gateway_usage_uncounted_total')).to.equal(0);
      console.log(`      ${sent}, all of them counted once`);
    });
  }

  it('is written when the gateway is told to stop', async function () {
    this.timeout(30_000);
    await start({ USAGE_FLUSH_SECONDS: '600' });
    for (let place = 0; place < 20; place++) await ask(place);
    expect(await written()).to.equal('');
    world.gateway.signal('SIGTERM');
    expect(await world.gateway.exit).to.deep.equal({ code: 0, signal: null });
    expect(await written()).to.equal('200 × 20');
  });

  it('does not keep a gateway from stopping while MongoDB is frozen, and what is lost is told', async function () {
    this.timeout(30_000);
    await start({ USAGE_FLUSH_SECONDS: '600' });
    await ask(0);
    world.mongo.pause();
    const began = performance.now();
    world.gateway.signal('SIGTERM');
    expect(await world.gateway.exit).to.deep.equal({ code: 0, signal: null });
    expect(performance.now() - began).to.be.lessThan(5_000);
    expect(linesOf('usage lost at the end')).to.equal(1);
    world.mongo.resume();
  });
});
