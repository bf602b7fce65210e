import { expect } from 'chai';
import { useCleanup } from '../support/cleanup.ts';
import {
  type DatabaseUnderFault,
  demoKey,
  startDatabaseUnderFault,
} from '../support/faults/database.ts';
import { startLoad } from '../support/load.ts';
import { until } from '../support/wait.ts';

const list = '/api/v1/artists?limit=1';
/** Milliseconds from one request to the next, at least. */
const everyMs = 20;

describe('key changes', () => {
  const cleanup = useCleanup(after);
  let setup: DatabaseUnderFault;
  const statusOf = async (id: string) => (await setup.gateway.get(list, demoKey(id))).status;
  const load = (id: string) => startLoad(() => setup.gateway.get(list, demoKey(id)), everyMs);
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
    await until('requests are served', () => running.samples.length > 20);
    const revokedAt = performance.now();
    await setKey('qaVariant', { revoked_at: new Date('2026-08-01T00:00:00Z') });
    const refusals = () => running.samples.filter(({ answer }) => answer?.status === 401).length;
    await until('it is refused', () => refusals() > 20);
    const later = (await running.stop()).filter(({ sentAt }) => sentAt > revokedAt);
    const [accepted, refused] = [200, 401].map((status) =>
      later.filter(({ answer }) => answer?.status === status),
    );
    // A busy machine sends fewer within 5 s.
    expect(accepted?.length).to.be.at.most(5_000 / everyMs);
    const firstRefusal = Math.min(
      ...(refused ?? []).map(({ sentAt, answer }) => sentAt + (answer?.ms ?? 0)),
    );
    const acceptedAgain = accepted?.filter(({ sentAt }) => sentAt > firstRefusal);
    expect(acceptedAgain, 'it stays refused').to.deep.equal([]);
    expect((await setup.gateway.get(list, demoKey('qaVariant'))).body).to.match(
      /^{"error":"unauthorized","message":/,
    );
    await setKey('qaVariant', { revoked_at: null });
    await until('it is accepted again', async () => (await statusOf('qaVariant')) === 200);
  });
});
