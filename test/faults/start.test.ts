import { once } from 'node:events';
import { cpSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { openMongo } from '../../adapters/stores/mongodb/connection.ts';
import { createMongoIndexes } from '../../adapters/stores/mongodb/indexes.ts';
import { useCleanup } from '../support/cleanup.ts';
import { run } from '../support/cli/run.ts';
import { demoKey, insertDocuments, readFixtures } from '../support/documents.ts';
import { shortIntervals } from '../support/faults/database.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { type MongoProcess, startMongoProcess } from '../support/mongo-server.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { rejectionOf, until } from '../support/wait.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const path = '/api/v1/artists?limit=1';

/** A Node option that runs code in the gateway's process, before the gateway. */
const preload = (code: string): string =>
  `--import=data:text/javascript,${encodeURIComponent(code)}`;

describe('start of the gateway', () => {
  const cleanup = useCleanup(afterEach);

  const startError = async (settings: Record<string, string>): Promise<string[]> =>
    (await rejectionOf(startGatewayProcess(settings))).split('\n').slice(1);

  const MONGODB_URL = 'mongodb://127.0.0.1:1/gateway';
  const longFolder = join(tmpdir(), 'long'.repeat(30));
  for (const [settings, expected] of [
    [{ PORT: 'http' }, /^PORT is "http": it must be a whole number from 0 to 65535\.$/],
    [
      { CATALOGUE_DIR: '/nowhere' },
      /^CATALOGUE_DIR is \/nowhere, and there are no api_keys in \/nowhere: .* make a key with "artist-gateway keys issue"[^\n]*$/,
    ],
    [
      { HOST: '192.0.2.1' },
      /^HOST is 192\.0\.2\.1: it is not an address of this machine \(EADDRNOTAVAIL\)\.$/,
    ],
    [
      { MONGODB_URL, STATE_DIR: longFolder },
      /^STATE_DIR is .*long: the path is too long\. Use at most 98 bytes\.$/,
    ],
  ] as const)
    it(`fails with one line that names the setting: ${JSON.stringify(settings)}`, async () => {
      expect((await startError(settings)).join('\n')).to.match(expected);
    });

  it('fails with one line that names the setting of a port in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    cleanup.add(other, async () => other.close());
    const { port } = other.address() as AddressInfo; // a TCP address is never a string
    expect(await startError({ PORT: String(port) })).to.deep.equal([
      `PORT is ${port}: another program listens there on 127.0.0.1. Set PORT to a free port (EADDRINUSE).`,
    ]);
    expect((await startError({ OPERATIONS_PORT: String(port) })).at(-1)).to.match(
      /^OPERATIONS_PORT is \d+: /,
    );
  });

  it('rejects demo keys in another catalogue', async () => {
    const folder = await cleanup.makeFolder('own');
    cpSync(join(root, 'fixtures/catalogue'), folder, { recursive: true });
    const { get, lines } = await cleanup.start(startGatewayProcess({ CATALOGUE_DIR: folder }));
    expect((await get(path, demoKey('qaCurrent'))).status).to.not.equal(200);
    expect(lines.join()).to.include('demo keys open the example catalogue only');
  });

  it('rejects the STATE_DIR of a running gateway, and accepts it after a kill', async () => {
    const settings = { MONGODB_URL, STATE_DIR: join(await cleanup.makeFolder('state'), 'state') };
    const first = await startGatewayProcess(settings);
    expect(await startError(settings)).to.deep.equal([
      `STATE_DIR is ${settings.STATE_DIR}: another gateway uses it. Give each gateway its own folder.`,
    ]);
    first.signal('SIGKILL');
    await first.exit;
    await cleanup.start(startGatewayProcess(settings));
  });

  for (const HOST of ['0.0.0.0', '::'])
    it(`logs a loopback address, and once that it is a sandbox, with HOST=${HOST}`, async () => {
      const gateway = await cleanup.start(startGatewayProcess({ HOST }));
      expect(gateway.url).to.match(/^http:\/\/127\.0\.0\.1:\d+$/);
      const isSaid = () =>
        gateway.lines.filter((line) => line.startsWith('Sandbox, not for production: ')).length ===
        1;
      await until('the line is written', isSaid);
    });

  it('exits on a SIGTERM before it listens, like process 1 of a container', async () => {
    const signalled = `import { Server } from 'node:net'; const { listen } = Server.prototype; process.on('SIGTERM', () => {});
      Server.prototype.listen = function (...given) { process.kill(process.pid, 'SIGTERM'); setTimeout(() => listen.apply(this, given), 1_000); return this; };`;
    const [ended, ...lines] = (
      await rejectionOf(cleanup.start(startGatewayProcess({ NODE_OPTIONS: preload(signalled) })))
    ).split('\n');
    expect(ended).to.equal('the gateway ended before it listened, with 0:');
    expect(lines.join())
      .to.include('"msg":"stopped before listening"')
      .and.not.include('"msg":"listening"');
  });

  for (const [command, version] of [
    ['serve', 'v18.19.0'],
    ['doctor', 'v20.18.3'],
  ] as const)
    it(`fails with one line on Node ${version}: ${command}`, async () => {
      const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
      const older = `Object.defineProperty(process, 'version', { value: '${version}' });`;
      const { code, stderr } = await run({ NODE_OPTIONS: preload(older) }, [command]);
      expect(code).to.equal(1);
      expect(stderr).to.equal(
        `artist-gateway needs Node ${engines.node.slice(2)} or later, and this is ${version}.\n`,
      );
    });

  it('fails with one line when a file of the reference is missing', async () => {
    const folder = await cleanup.makeFolder('incomplete');
    for (const name of ['dist', 'package.json'])
      cpSync(join(root, name), join(folder, name), { recursive: true });
    for (const name of ['node_modules', 'fixtures'])
      symlinkSync(join(root, name), join(folder, name));
    rmSync(join(folder, 'dist/site'), { recursive: true });
    const { code, stderr } = await run({ PORT: '0', OPERATIONS_PORT: '0' }, ['serve'], {
      program: join(folder, 'dist/tools/cli/artist-gateway.js'),
      // if it does not fail
      onStderr: (_text, child) => cleanup.add(child, async () => void child.kill('SIGKILL')),
    });
    expect(code).to.equal(1);
    expect(stderr.trimEnd().split('\n').at(-1)).to.match(
      /dist\/site is missing: run npm run build$/,
    );
  });
});

describe('stores that are down', () => {
  const cleanup = useCleanup(after);
  let mongo: MongoProcess;
  let redis: RedisServer;
  let gateway: GatewayProcess;

  const ready = async () => JSON.parse((await gateway.ready()).body);
  const get = (id: string) => gateway.get(path, demoKey(id));
  const warnings = () =>
    gateway.lines
      .filter((line) => line.startsWith('{'))
      .map((line): Record<'level' | 'msg' | 'reason', string | undefined> => JSON.parse(line))
      .filter(({ level }) => level === 'warn' || level === 'error');
  const mentions = (store: string) =>
    warnings().filter(({ reason }) => reason?.includes(`${store}: `));
  const start = async (database: string): Promise<void> => {
    const settings = {
      MONGODB_URL: mongo.url(database),
      REDIS_URL: redis.url(),
      OPERATIONS_PORT: 'free',
      STORE_TIMEOUT_MS: '2000', // a server that is down refuses connections immediately
      ...shortIntervals,
      KEYS_MAX_STALENESS_SECONDS: '2',
    };
    gateway = await cleanup.start(startGatewayProcess(settings));
  };
  const fill = async (database: string): Promise<void> => {
    const { db, close } = openMongo(mongo.url(database));
    await insertDocuments(db, readFixtures());
    await createMongoIndexes(db).create();
    await close();
  };
  const refused = ({ port }: { port: number }) => `connection refused (127.0.0.1:${port})`;

  before(async () => {
    mongo = await cleanup.start(startMongoProcess());
    redis = await cleanup.start(startRedisServer('--maxmemory-policy', 'noeviction'));
    await fill('gateway');
  });

  it('cause one log entry each, with the reason in words and without a stack', async () => {
    await start('gateway');
    await until('it is ready', async () => (await ready()).ready);
    expect((await get('qaCurrent')).status).to.equal(200);
    expect(warnings(), 'of a healthy start').to.deep.equal([]);
    await Promise.all([mongo.kill(), redis.kill()]);
    const away = `Redis: ${refused(redis)}`;
    await until('/ready says why', async () => {
      await get('qaCurrent');
      const { quotas, keys } = (await ready()).parts;
      const stale = `s ago: MongoDB: ${refused(mongo)}`;
      return (
        quotas.reason === away &&
        /^last loaded \d+ /.test(keys.reason) &&
        keys.reason.endsWith(stale)
      );
    });
    await until('the refused requests are logged', () => mentions('Redis').length > 0);
    const requests = mentions('Redis').filter(
      ({ msg, reason }) => msg === 'request failed' && reason === away,
    );
    expect(requests.length).to.be.at.most(1);
    const refreshes = mentions('MongoDB').filter(({ msg }) => msg === 'refresh failed');
    const reasons = new Set(refreshes.map(({ reason }) => reason));
    expect(reasons.size, 'each reason once').to.equal(refreshes.length);
    expect(reasons).to.not.be.empty;
    expect(gateway.hasLogged('"stack"')).to.equal(false);
    const unreachable = warnings().filter(({ msg }) => msg?.startsWith('Redis unreachable'));
    expect(unreachable).to.have.length(1);
    await gateway.stop();
  });

  it('do not keep the gateway from listening, which serves once they are up', async () => {
    await Promise.all([mongo.kill(), redis.kill()]);
    await start('empty'); // a server that keeps its documents still has a full `gateway`
    const neverLoaded = { ready: false, reason: `never loaded: MongoDB: ${refused(mongo)}` };
    for (const store of ['MongoDB', 'Redis'])
      await until(`/ready names ${store}`, async () =>
        (await gateway.ready()).body.includes(`${store}: connection refused`),
      );
    const { status, body } = await gateway.ready();
    const { parts } = JSON.parse(body);
    expect(status).to.equal(503);
    expect(parts.keys).to.include(neverLoaded);
    expect(parts.catalogue).to.include(neverLoaded);
    expect(parts.quotas).to.include({ ready: false, reason: `Redis: ${refused(redis)}` });
    expect(parts.process.ready).to.equal(true);
    expect((await gateway.get('/api/v1/health')).status).to.equal(200);
    expect((await gateway.get(path)).status).to.equal(401);
    const answer = await get('qaVariant');
    expect(answer.status).to.equal(503);
    expect(answer.body).to.match(/^{"error":{"code":"service_unavailable"/);
    await Promise.all([mongo.restart(), redis.restart()]);
    for (const text of ['no key and no organization', 'no artist'])
      await until('the empty database is reported', async () =>
        (await gateway.ready()).body.includes(`"there is ${text}"`),
      );
    expect((await get('qaVariant')).status).to.equal(503);
    await fill('empty');
    await until('it serves', async () => (await get('qaVariant')).status === 200);
  });
});

describe('an uncaught exception', () => {
  for (const thrown of ["throw new Error('boom')", "Promise.reject(new Error('boom'))"])
    it(`is logged, and the process exits with code 1: ${thrown}`, async () => {
      const code = `process.on('SIGUSR2', () => { ${thrown}; })`;
      const gateway = await startGatewayProcess({ NODE_OPTIONS: preload(code) });
      gateway.signal('SIGUSR2');
      expect(await gateway.exit).to.deep.equal({ code: 1, signal: null });
      const find = () => gateway.lines.find((line) => line.includes('uncaught exception, exiting'));
      await until('the exception is logged', () => find() !== undefined);
      expect(JSON.parse(find() ?? ''))
        .to.include({ level: 'error' })
        .and.nested.include({ 'err.message': 'boom' });
    });
});
