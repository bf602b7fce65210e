import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { keyText } from '../../src/keys/key-format.ts';
import { type DatabaseUnderFault, demoKey, startDatabaseUnderFault } from '../support/faults/database.ts';
import type { Sample } from '../support/load.ts';
import { startLoad } from '../support/load.ts';
import { until } from '../support/wait.ts';

const list = '/api/v1/artists?limit=1';
const promisedMs = 5_000;

/** When the last request with this status was sent. */
const lastSentWith = (samples: readonly Sample[], status: number): number =>
  Math.max(...samples.filter(({ answer }) => answer?.status === status).map(({ sentAt }) => sentAt));

const firstSentWith = (samples: readonly Sample[], status: number): number =>
  Math.min(...samples.filter(({ answer }) => answer?.status === status).map(({ sentAt }) => sentAt));

describe('key changes', () => {
  let setup: DatabaseUnderFault;
  const statusOf = async (id: string) => (await setup.gateway.get(list, demoKey(id))).status;
  const load = (id: string) => startLoad(() => setup.gateway.get(list, demoKey(id)), 20);
  const setKey = (_id: string, change: object) =>
    setup.db.collection<{ _id: string }>('api_keys').updateOne({ _id }, { $set: change });

  before(async () => {
    setup = await startDatabaseUnderFault({ settings: { KEYS_REFRESH_SECONDS: '4' } });
    await until('the gateway serves', async () => (await statusOf('qaCurrent')) === 200);
  });
  after(() => setup.stop());

  it('revoke a key within 5 s, in its own form', async () => {
    const running = load('qaVariant');
    await wait(500);
    const revokedAt = performance.now();
    await setKey('qaVariant', { revoked_at: new Date('2026-08-01T00:00:00Z') });
    await wait(promisedMs + 1_000);
    const samples = await running.stop();
    expect(firstSentWith(samples, 401)).to.be.lessThan(Number.POSITIVE_INFINITY);
    expect(lastSentWith(samples, 200) - revokedAt).to.be.lessThan(promisedMs);
    expect((await setup.gateway.get(list, demoKey('qaVariant'))).body).to.match(/^{"error":"unauthorized","message":/);
    await setKey('qaVariant', { revoked_at: null });
    await until('it is accepted again', async () => (await statusOf('qaVariant')) === 200);
  });
});

describe('keys over time', () => {
  let setup: DatabaseUnderFault;
  const keys = () => setup.db.collection<{ _id: string }>('api_keys');
  const expire = (_id: string, at: Date) => keys().updateOne({ _id }, { $set: { expires_at: at } });
  const load = (id: string) => startLoad(() => setup.gateway.get(list, demoKey(id)), 20);
  const wallClock = (sentAt: number) => performance.timeOrigin + sentAt;

  before(async () => {
    setup = await startDatabaseUnderFault({ settings: { FIXED_NOW: '' } });
    await until('the gateway serves', async () => (await setup.gateway.get(list, demoKey('qaCurrent'))).status === 200);
  });
  after(() => setup.stop());

  it('are refused from the instant they expire, without an effect on their successor', async () => {
    const [former, successor] = [load('qaVariant'), load('qaSwitch1')];
    const expiresAt = new Date(Date.now() + 3_000);
    await expire('qaVariant', expiresAt);
    await wait(5_000);
    const [formerSamples, successorSamples] = [await former.stop(), await successor.stop()];
    expect(successorSamples.every(({ answer }) => answer?.status === 200)).to.equal(true);
    // The gateway reads the clock between the sending of a request and its answer.
    const refused = formerSamples.filter(({ answer }) => answer?.status === 401);
    const firstRefused = Math.min(...refused.map(({ sentAt, answer }) => wallClock(sentAt + (answer?.ms ?? 0))));
    expect(firstRefused).to.be.within(expiresAt.getTime() - 100, expiresAt.getTime() + 1_000);
    expect(wallClock(lastSentWith(formerSamples, 200))).to.be.lessThan(expiresAt.getTime() + 100);
  });

  it('are all unavailable, known or unknown, when the keys are too old', async () => {
    setup.proxy.hold();
    const current = demoKey('qaCurrent');
    const unknown = keyText('unknown01', '0'.repeat(43));
    // With an unknown key: for a known one the catalogue may be too old first.
    await until('the keys are too old', async () => (await setup.gateway.get(list, unknown)).status === 503);
    expect((await setup.gateway.get(list, current)).status).to.equal(503);
    expect((await setup.gateway.get(list, demoKey('qaVariant'))).status).to.equal(500);
    expect((await setup.gateway.get(list, demoKey('varFull01'))).status).to.equal(500);
    setup.proxy.release();
    await until('it serves again', async () => (await setup.gateway.get(list, current)).status === 200);
  });
});
