import { expect } from 'chai';
import { createHealthChecks, refresherCheck } from '../../src/runtime/health-checks.ts';
import { createRefresher } from '../../src/runtime/refresher.ts';
import { createManualClock } from '../support/clock.ts';
import { createMemoryLog } from '../support/log.ts';

const create = (load = async () => 1) => {
  const clock = createManualClock('2026-08-22T12:00:00.000Z');
  const log = createMemoryLog();
  const refresher = createRefresher({
    name: 'keys',
    load,
    intervalMs: 4_000,
    maxStalenessMs: 300_000,
    clock,
    log,
  });
  let outage: string | undefined;
  const parts = [
    refresherCheck('keys', refresher, () => undefined),
    { name: 'quotas', check: async () => outage },
  ];
  const readiness = createHealthChecks(parts, clock, log);
  return { clock, log, refresher, readiness, fail: (reason?: string) => (outage = reason) };
};

describe('health checks', () => {
  it('report which part is not ready, why, and since when', async () => {
    const { clock, refresher, readiness, fail } = create();
    expect(readiness.last()).to.deep.equal({ ready: false, parts: {} });
    const keys = { ready: false, since: '2026-08-22T12:00:00.000Z', reason: 'never loaded' };
    const quotas = { ready: true, since: '2026-08-22T12:00:00.000Z' };
    expect(await readiness.check()).to.deep.equal({ ready: false, parts: { keys, quotas } });
    await refresher.refresh();
    clock.advance(1_000);
    expect((await readiness.check()).ready).to.equal(true);
    clock.advance(301_000);
    fail('down');
    const down = { ready: false, since: '2026-08-22T12:05:02.000Z', reason: 'down' };
    const parts = { keys: { ...down, reason: 'last loaded 302 s ago' }, quotas: down };
    expect(await readiness.check()).to.deep.equal({ ready: false, parts });
    clock.advance(10_000);
    fail('down still');
    const later = await readiness.check();
    expect(later.parts['quotas']).to.deep.equal({ ...down, reason: 'down still' });
    expect(readiness.last().parts).to.deep.equal(later.parts);
  });

  it('log a part that is not ready 5 seconds after the start, once', async () => {
    const { clock, log, refresher, readiness, fail } = create();
    fail('connecting');
    await readiness.check();
    clock.advance(4_999);
    await refresher.refresh();
    await readiness.check();
    expect(log.entries).to.deep.equal([]);
    clock.advance(1);
    await readiness.check();
    await readiness.check();
    expect(log.entries).to.deep.equal([
      { level: 'warn', event: 'not ready', facts: { part: 'quotas', reason: 'connecting' } },
    ]);
  });

  it('report why a source fails', async () => {
    const { refresher, readiness } = create(() =>
      Promise.reject(new Error('MongoDB: connection refused')),
    );
    await refresher.refresh().catch(() => {});
    const { parts } = await readiness.check();
    expect(parts['keys']).to.include({ reason: 'never loaded: MongoDB: connection refused' });
  });

  it('report a value that is fresh but not usable, with the reason', async () => {
    const { clock, log, refresher } = create();
    const part = refresherCheck('keys', refresher, () => 'there is no key');
    const readiness = createHealthChecks([part], clock, log);
    await refresher.refresh();
    const { parts } = await readiness.check();
    expect(parts['keys']).to.deep.include({ ready: false, reason: 'there is no key' });
  });

  it('log the loss and the return of readiness once each', async () => {
    const { log, refresher, readiness, fail } = create();
    await refresher.refresh();
    await readiness.check();
    fail('down');
    await readiness.check();
    await readiness.check();
    fail();
    await readiness.check();
    await readiness.check();
    expect(log.entries).to.deep.equal([
      { level: 'warn', event: 'not ready', facts: { part: 'quotas', reason: 'down' } },
      {
        level: 'info',
        event: 'ready again',
        facts: { part: 'quotas', notReadySince: '2026-08-22T12:00:00.000Z' },
      },
    ]);
  });

  it('log a planned loss without a warning', async () => {
    const { clock, log } = create();
    let reason: string | undefined;
    const part = { name: 'process', isPlanned: true, check: () => reason };
    const readiness = createHealthChecks([part], clock, log);
    await readiness.check();
    reason = 'stopping';
    expect((await readiness.check()).ready).to.equal(false);
    expect(log.entries).to.deep.equal([
      { level: 'info', event: 'not ready', facts: { part: 'process', reason } },
    ]);
  });

  it('run once for simultaneous calls', async () => {
    let checks = 0;
    const check = () => {
      checks += 1;
      return undefined;
    };
    const parts = [{ name: 'part', check }];
    const readiness = createHealthChecks(parts, createManualClock(), createMemoryLog());
    await Promise.all([readiness.check(), readiness.check()]);
    expect(checks).to.equal(1);
  });

  it('run automatically between start and stop', async () => {
    const { readiness } = create();
    readiness.start();
    await new Promise((resolve) => setImmediate(resolve));
    readiness.stop();
    expect(readiness.last().parts).to.have.all.keys('keys', 'quotas');
  });
});
