import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { useCleanup } from '../support/cleanup.ts';
import { demoKey } from '../support/documents.ts';
import { startDatabaseUnderFault } from '../support/faults/database.ts';
import { startLoad } from '../support/load.ts';
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
/** Requests in each window: more than a run sends. */
const limit = 100_000;

describe('a trial of the current form on three gateways', () => {
  const cleanup = useCleanup(after);

  it('starts within 5 s and expires, with exact quotas, while gateways and MongoDB fail', async () => {
    const redis = await cleanup.start(startRedisServer());
    const clocks = await cleanup.makeFolder('clocks');
    const setup = await cleanup.start(
      startDatabaseUnderFault({
        settings: { REDIS_URL: redis.url(), STORE_TIMEOUT_MS: '2000' },
        intervals: { KEYS_REFRESH_SECONDS: '4', CATALOGUE_REFRESH_SECONDS: '15' },
      }),
    );
    const change = (collection: string, _id: string, members: object) =>
      setup.db.collection<{ _id: string }>(collection).updateOne({ _id }, { $set: members });
    await change('api_keys', 'qaVariant', { quota: { per_hour: limit } });
    await change('organizations', 'org_qa', { quota: { per_minute: limit, per_day: limit } });
    const start = async (ahead: number) => {
      const clock = createSettableClock(clocks, `clock${ahead}`);
      clock.set(ahead);
      const STATE_DIR = await cleanup.makeFolder('state');
      const launch = () => cleanup.start(setup.startAnother({ ...clock.environment, STATE_DIR }));
      /** Epoch milliseconds of the last copy of the keys. */
      const copiedAt = () => statSync(join(STATE_DIR, 'keys.json')).mtimeMs;
      return { process: await launch(), launch, copiedAt };
    };
    const gateways = await Promise.all([0, skew, -skew].map(start));
    await until('all serve the variant form', async () => {
      const answers = await Promise.all(gateways.map((one) => one.process.get(list, key)));
      return answers.every(({ headers }) => headers['x-ratelimit-limit'] === String(limit));
    });
    await redis.command('FLUSHALL');

    const loads = await Promise.all(
      gateways.map((one) => cleanup.start(startLoad(() => one.process.get(list, key), 40))),
    );
    const changedAt = performance.now();
    const endsAt = changedAt + trialMs;
    const trial = { form: 'current', until: new Date(Date.now() + trialMs) };
    await change('api_keys', 'qaVariant', { trial });
    await until('each gateway serves the current form', () =>
      loads.every(
        ({ samples }) => samples.at(-1)?.answer?.headers['x-envelope-served'] === 'current',
      ),
    );
    const servedAt = Date.now();
    await until('the copies have the trial', () =>
      gateways.every(({ copiedAt }) => copiedAt() > servedAt),
    );
    const [begun, over] = [changedAt + promisedMs, endsAt + promisedMs];
    setup.proxy.hold();
    const [killed, frozen] = gateways;
    if (killed === undefined || frozen === undefined) throw new Error('too few gateways');
    killed.process.signal('SIGKILL');
    await killed.process.exit;
    killed.process = await killed.launch();
    frozen.process.signal('SIGSTOP');
    await loads[2]?.more(50);
    frozen.process.signal('SIGCONT');
    await until('each has answered after the trial', () =>
      loads.every(({ samples }) => samples.filter(({ sentAt }) => sentAt > over).length > 20),
    );
    const samples = await Promise.all(loads.map((load) => load.stop()));
    setup.proxy.release();

    const served = samples.map((of) =>
      of.flatMap(({ sentAt, answer }) =>
        answer?.status === 200
          ? [{ sentAt, answeredAt: sentAt + answer.ms, headers: answer.headers }]
          : [],
      ),
    );
    for (const answers of served) {
      const formsOf = (from: number, to: number) =>
        new Set(
          answers
            .filter(({ sentAt, answeredAt }) => sentAt > from && answeredAt < to)
            .map(({ headers }) => headers['x-envelope-served']),
        );
      const during = formsOf(begun, endsAt - skew * 1_000);
      const afterwards = formsOf(over, Number.POSITIVE_INFINITY);
      expect([...during, ...afterwards]).to.deep.equal(['current', 'variant']);
    }
    const late = samples.flat().filter(({ sentAt }) => sentAt > over);
    expect(late.filter(({ answer }) => answer?.status !== 200)).to.deep.equal([]);

    // The killed gateway may have counted requests whose answers were lost.
    const lost = samples.flat().filter(({ answer }) => answer === undefined).length;
    for (const [form, window] of [
      ['current', 'x-ratelimit-day'],
      ['variant', 'x-ratelimit'],
    ] as const) {
      const answers = served.flat().filter(({ headers }) => headers['x-envelope-served'] === form);
      /** The most units that headers report as used, by the end of their window. */
      const used = new Map<unknown, number>();
      for (const { headers } of answers) {
        const reset = headers[`${window}-reset`];
        const units = limit - Number(headers[`${window}-remaining`]);
        used.set(reset, Math.max(used.get(reset) ?? 0, units));
      }
      const units = [...used.values()].reduce((sum, one) => sum + one, 0);
      expect(units, form).to.be.within(answers.length, answers.length + lost);
    }
  });
});
