import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { useCleanup } from '../support/cleanup.ts';
import { demoKey, startDatabaseUnderFault } from '../support/faults/database.ts';
import type { Answer, GatewayProcess } from '../support/gateway-process.ts';
import { createSettableClock } from '../support/nemesis/settable-clock.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { until } from '../support/wait.ts';

const list = '/api/v1/artists?limit=1';
const key = demoKey('qaVariant');

/** Gateways apply a change of a key within this time, in milliseconds. */
const promisedMs = 5_000;
/** How far the clocks of two gateways are wrong, in seconds. */
const skew = 2;
const trialMs = 20_000;
/** Requests in each window: more than a run asks for. */
const limit = 100_000;

interface Sample {
  readonly gateway: number;
  /** Epoch milliseconds, by the clock of the test. */
  readonly sentAt: number;
  readonly answeredAt: number;
  /** `undefined` when the connection failed. */
  readonly answer: Answer | undefined;
}

const formOf = ({ answer }: Sample) => answer?.headers['x-envelope-served'];

/** What answers say that was spent, summed over the windows (by their end) that they name. */
const spentOf = (served: readonly Sample[], window: string): number => {
  const spent = new Map<unknown, number>();
  for (const { answer } of served) {
    const reset = answer?.headers[`${window}-reset`];
    const used = limit - Number(answer?.headers[`${window}-remaining`]);
    spent.set(reset, Math.max(spent.get(reset) ?? 0, used));
  }
  return [...spent.values()].reduce((sum, one) => sum + one, 0);
};

/** Asks gateways one question each 40 ms, each after its last answer, until it is stopped. */
const startAsking = (gateways: readonly { readonly process: GatewayProcess }[]) => {
  const samples: Sample[] = [];
  let isStopped = false;
  const running = gateways.map(async (one, gateway) => {
    while (!isStopped) {
      const sentAt = Date.now();
      const answer = await one.process.get(list, key).catch(() => undefined);
      samples.push({ gateway, sentAt, answeredAt: Date.now(), answer });
      await wait(40);
    }
  });
  return {
    async stop(): Promise<readonly Sample[]> {
      isStopped = true;
      await Promise.all(running);
      return samples;
    },
  };
};

describe('a trial of the current form on three gateways', () => {
  const cleanup = useCleanup(after);

  it('begins within 5 s and ends by itself, while one is killed, one frozen and MongoDB away, with exact quotas', async () => {
    const redis = await cleanup.start(startRedisServer());
    const clocks = await cleanup.makeFolder('clocks');
    const settings = { REDIS_URL: redis.url() };
    const setup = await cleanup.start(
      startDatabaseUnderFault({
        settings,
        intervals: { KEYS_REFRESH_SECONDS: '4', CATALOGUE_REFRESH_SECONDS: '15' },
      }),
    );
    const keys = setup.db.collection<{ _id: string }>('api_keys');
    await keys.updateOne({ _id: 'qaVariant' }, { $set: { quota: { per_hour: limit } } });
    const stored = await keys.findOne<{ organization_id: string }>({ _id: 'qaVariant' });
    const organizations = setup.db.collection<{ _id: string }>('organizations');
    const quota = { per_minute: limit, per_day: limit };
    await organizations.updateOne({ _id: stored?.organization_id ?? '' }, { $set: { quota } });
    const start = async (ahead: number) => {
      const clock = createSettableClock(clocks, `clock${ahead}`);
      clock.set(ahead);
      const state = await cleanup.makeFolder('state');
      const launch = () => setup.startAnother({ ...clock.environment, STATE_DIR: state });
      return { process: await cleanup.start(launch()), launch };
    };
    const gateways = await Promise.all([0, skew, -skew].map(start));
    await until('all serve the variant form', async () => {
      const answers = await Promise.all(gateways.map((one) => one.process.get(list, key)));
      return answers.every(({ headers }) => headers['x-ratelimit-limit'] === String(limit));
    });
    await redis.command('FLUSHALL');

    const asking = startAsking(gateways);
    const changedAt = Date.now();
    const endsAt = changedAt + trialMs;
    const trial = { form: 'current', until: new Date(endsAt) };
    await keys.updateOne({ _id: 'qaVariant' }, { $set: { trial } });
    await wait(promisedMs + 3_000); // the copies on disk have it too
    setup.proxy.hold();
    const [killed, frozen] = gateways;
    if (killed === undefined || frozen === undefined) throw new Error('too few gateways');
    killed.process.signal('SIGKILL');
    await killed.process.exit;
    killed.process = await cleanup.start(killed.launch());
    frozen.process.signal('SIGSTOP');
    await wait(3_000);
    frozen.process.signal('SIGCONT');
    await wait(endsAt + promisedMs + 3_000 - Date.now());
    const samples = await asking.stop();
    setup.proxy.release();

    const answered = samples.filter(({ answer }) => answer?.status === 200);
    const [begun, over] = [changedAt + promisedMs, endsAt + promisedMs];
    const during = answered.filter(
      ({ sentAt, answeredAt }) => sentAt > begun && answeredAt < endsAt - skew * 1_000,
    );
    const afterwards = answered.filter(({ sentAt }) => sentAt > over);
    for (const [served, expected] of [
      [during, 'current'],
      [afterwards, 'variant'],
    ] as const) {
      expect(new Set(served.map(formOf)), expected).to.deep.equal(new Set([expected]));
      expect(new Set(served.map(({ gateway }) => gateway)).size, expected).to.equal(3);
    }
    const late = samples.filter(({ sentAt }) => sentAt > over);
    expect(late.filter(({ answer }) => answer?.status !== 200)).to.deep.equal([]);

    // The killed gateway may have counted requests whose answers were lost.
    const lost = samples.filter(({ answer }) => answer === undefined).length;
    for (const [form, window] of [
      ['current', 'x-ratelimit-day'],
      ['variant', 'x-ratelimit'],
    ] as const) {
      const served = answered.filter((sample) => formOf(sample) === form);
      expect(spentOf(served, window), form).to.be.within(served.length, served.length + lost);
    }
  });
});
