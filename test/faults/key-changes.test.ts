import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { useCleanup } from '../support/cleanup.ts';
import {
  type DatabaseUnderFault,
  demoKey,
  startDatabaseUnderFault,
} from '../support/faults/database.ts';
import { allowedMs, startLoad } from '../support/load.ts';
import { until } from '../support/wait.ts';

const list = '/api/v1/artists?limit=1';
const promisedMs = 5_000;

describe('key changes', () => {
  const cleanup = useCleanup(after);
  let setup: DatabaseUnderFault;
  const statusOf = async (id: string) => (await setup.gateway.get(list, demoKey(id))).status;
  const load = (id: string) => startLoad(() => setup.gateway.get(list, demoKey(id)), 20);
  const setKey = (_id: string, change: object) =>
    setup.db.collection<{ _id: string }>('api_keys').updateOne({ _id }, { $set: change });

  before(async () => {
    setup = await cleanup.start(
      startDatabaseUnderFault({
        settings: { KEYS_REFRESH_SECONDS: '4', KEYS_MAX_STALENESS_SECONDS: '10' },
      }),
    );
    await until('the gateway serves', async () => (await statusOf('qaCurrent')) === 200);
  });

  it('revoke a key within 5 s, in its own form', async () => {
    const running = load('qaVariant');
    await wait(500);
    const revokedAt = performance.now();
    await setKey('qaVariant', { revoked_at: new Date('2026-08-01T00:00:00Z') });
    await until('it is refused', () =>
      running.samples.some(({ answer }) => answer?.status === 401),
    );
    await wait(500); // to see that it stays so
    const samples = await running.stop();
    const accepted = samples.filter(({ answer }) => answer?.status === 200);
    expect(Math.max(...accepted.map(({ sentAt }) => sentAt)) - revokedAt).to.be.lessThan(
      allowedMs(promisedMs, samples),
    );
    expect((await setup.gateway.get(list, demoKey('qaVariant'))).body).to.match(
      /^{"error":"unauthorized","message":/,
    );
    await setKey('qaVariant', { revoked_at: null });
    await until('it is accepted again', async () => (await statusOf('qaVariant')) === 200);
  });
});
