import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { openMongo } from '../../adapters/stores/mongodb/connection.ts';
import { useCleanup } from '../support/cleanup.ts';
import { startMongoProcess } from '../support/mongo-server.ts';

const execute = promisify(execFile);
const racer = fileURLToPath(new URL('../support/faults/take-lease.mjs', import.meta.url));

describe('an expired lease', () => {
  const cleanup = useCleanup(afterEach);

  it('is acquired by one of 24 concurrent processes', async () => {
    const server = await cleanup.start(startMongoProcess());
    const url = server.url('race');
    const { db } = cleanup.add(openMongo(url), ({ close }) => close());
    const names = Array.from({ length: 8 }, (_, index) => `race ${index}`);
    const expires_at = new Date(Date.now() - 1_000);
    await db
      .collection<{ _id: string }>('leases')
      .insertMany(names.map((_id) => ({ _id, token: 'dead', expires_at })));
    // 24 processes start one after the other on a busy machine
    const startAt = String(Date.now() + 25_000);
    const runs = await Promise.all(
      Array.from({ length: 24 }, () =>
        execute(process.execPath, [racer, url, startAt, ...names], { timeout: 100_000 }),
      ),
    );
    const taken = runs.flatMap(({ stdout }): string[] => JSON.parse(stdout).got);
    expect(taken.sort()).to.deep.equal(names);
  });
});
