import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { endProcess, killWithTests } from '../support/child-process.ts';
import { useCleanup } from '../support/cleanup.ts';
import { demoKey, faults, startDatabaseUnderFault } from '../support/faults/database.ts';
import { until } from '../support/wait.ts';

/** `MONGODB_KILLS=100` waits for what happens in one of ten kills. */
const kills = Number(process.env['MONGODB_KILLS'] ?? 6);
const minuteMs = 60_000;

const current = demoKey('qaCurrent');

describe(`a gateway beside two busy programs, whose MongoDB is killed ${kills} times behind a proxy`, () => {
  const cleanup = useCleanup(afterEach);

  it('follows its sources again within a minute of each restart', async function () {
    this.timeout(kills * 2 * minuteMs);
    const setup = await cleanup.start(startDatabaseUnderFault());
    for (let busy = 0; busy < 2; busy++) {
      const loop = spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' });
      killWithTests(cleanup.add(loop, (child) => endProcess(child)));
    }
    const [outage] = faults; // the proxy ends the connections of a server that is down in order
    for (let times = 0; times < kills; times++) {
      await wait(100 + (times % 7) * 130);
      await outage?.begin(setup);
      await wait((times % 5) * 200);
      await outage?.end(setup);
      const set = { name: `After ${times}`, updated_at: new Date() };
      await setup.db.collection('artists').updateOne({ id: 'art_4jt8re' }, { $set: set });
      const shows = async () =>
        (await setup.gateway.get('/api/v1/artists?id=art_4jt8re', current)).body.includes(set.name);
      await until(`the change after kill ${times} shows`, shows, minuteMs);
    }
  });
});
