import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import type { Db, Document } from 'mongodb';
import { useCleanup } from '../support/cleanup.ts';
import {
  artistDocuments,
  createInputFolder,
  seriesDocuments,
} from '../support/cli/input-folder.ts';
import { run } from '../support/cli/run.ts';
import { demoKey, startDatabaseUnderFault } from '../support/faults/database.ts';
import { countStatuses, startLoad } from '../support/load.ts';
import { until } from '../support/wait.ts';

const current = demoKey('qaCurrent');
const list = '/api/v1/artists?limit=3';

/** Changes how the server handles every `find` of gateways. */
const onFind = (db: Db, data: Document | undefined): Promise<Document> =>
  db.client.db('admin').command({
    configureFailPoint: 'failCommand',
    mode: data === undefined ? 'off' : 'alwaysOn',
    ...(data !== undefined && {
      data: { failCommands: ['find'], appName: 'artist-gateway', ...data },
    }),
  });

describe('a MongoDB server that keeps its data', () => {
  const cleanup = useCleanup(afterEach);

  const start = async (options: Parameters<typeof startDatabaseUnderFault>[0] = {}) => {
    const setup = await cleanup.start(startDatabaseUnderFault(options));
    const get = (path = list) => setup.gateway.get(path, current);
    await until('the gateway serves', async () => (await get()).status === 200);
    return { ...setup, get };
  };

  it('ends queries after maxTimeMS; the gateway logs why, serves its copy, and recovers', async () => {
    const { db, get, gateway } = await start();
    await onFind(db, { errorCode: 50 }); // MaxTimeMSExpired
    await until('the refresh has failed', () => gateway.hasLogged('refresh failed'));
    expect(gateway.lines.find((line) => line.includes('refresh failed'))).to.match(
      /"reason":"MongoDB: [^"]+"/,
    );
    expect((await get()).status).to.equal(200);
    await onFind(db, undefined);
    await db
      .collection('artists')
      .updateOne({ id: 'art_4jt8re' }, { $set: { name: 'After', updated_at: new Date() } });
    await until('a change shows', async () =>
      (await get('/api/v1/artists?id=art_4jt8re')).body.includes('After'),
    );
  });

  it('keeps confirmed writes of an import when it is killed; the next import completes', async () => {
    const settings = { MAX_STALENESS_SECONDS: '100', KEYS_MAX_STALENESS_SECONDS: '100' };
    const { db, get, gateway, mongo } = await start({ settings, server: { journal: true } });
    const count = 2_000;
    const folder = cleanup.add(await createInputFolder(), ({ remove }) => remove());
    await folder.write('artists', artistDocuments(count));
    await folder.write('history', seriesDocuments(count));
    const importing = { MONGODB_URL: `${mongo.url('gateway')}&journal=true` };
    const load = cleanup.add(
      startLoad(() => get(), 50),
      ({ stop }) => stop(),
    );
    let confirmed = 0;
    const killed = await run(importing, ['catalogue', 'import', folder.path], {
      onStderr(text) {
        if (confirmed > 0) return;
        confirmed = Number(/Writing: (\d+) of/.exec(text)?.[1] ?? 0);
        if (confirmed > 0) void mongo.kill();
      },
    });
    expect(killed.code, killed.stderr).to.equal(1);
    expect(killed.stderr.trim().split('\n').at(-1)).to.match(
      /^(MongoDB cannot be reached|The connection to MongoDB broke)/,
    );
    await wait(1_000);
    await mongo.restart();
    const imported = () => db.collection('artists').countDocuments({ name: /^Artist \d{4}$/ });
    expect(await imported()).to.be.within(confirmed, count - 1);
    await until('the lease of the dead import has expired', async () => {
      const again = await run(importing, ['catalogue', 'import', folder.path]);
      if (again.code !== 0) expect(again.stderr).to.match(/^Another import is running \(.+\)/);
      return again.code === 0;
    });
    expect(await imported()).to.equal(count);
    expect(countStatuses(await load.stop())).to.match(/^200 × \d+$/);
    const shown = async () =>
      (await get(`/api/v1/artists?id=art_${count}`)).body.includes(`Artist ${count}`);
    await until('the gateway has the last artist', shown);
    expect(gateway.isAlive()).to.equal(true);
  });
});
