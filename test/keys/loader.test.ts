import { expect } from 'chai';
import { createKeyLoader } from '../../src/keys/loader.ts';
import type { KeyRecords } from '../../src/ports.ts';
import { createRefresher } from '../../src/runtime/refresher.ts';
import { buildKey, buildOrganization } from '../support/builders.ts';
import { catchError } from '../support/catch-error.ts';
import { createManualClock } from '../support/clock.ts';
import { createMemoryLog } from '../support/log.ts';

const recordsWith = (revokedAt?: number): KeyRecords => ({
  keys: [{ ...buildKey().record, revokedAt }],
  organizations: [buildOrganization()],
});

describe('a load of keys that was given up', () => {
  it('takes effect with the next one, also when the source has nothing newer then', async () => {
    const [before, revoked] = [recordsWith(), recordsWith(1)];
    let end: (records: KeyRecords) => void = () => {};
    const late = new Promise<KeyRecords>((resolve) => {
      end = resolve;
    });
    const loads = [Promise.resolve(before), late, Promise.resolve(revoked)];
    const log = createMemoryLog();
    const source = { load: () => loads.shift() ?? Promise.resolve(revoked) };
    const { refresh, value } = createRefresher({
      name: 'keys',
      ...createKeyLoader(source, log),
      ...{ intervalMs: 1_000, maxStalenessMs: 1_000, maxLoadMs: 20 },
      ...{ clock: createManualClock(), log },
    });
    await refresh();
    await catchError(refresh);
    end(revoked);
    await late;
    await refresh();
    const [key] = [...(value()?.issued.values() ?? [])];
    expect(key?.caller).to.have.nested.property('key.revokedAt', 1);
  });
});
