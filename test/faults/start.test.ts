import { once } from 'node:events';
import { cpSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { openMongo } from '../../adapters/stores/mongodb/connection.ts';
import { useCleanup } from '../support/cleanup.ts';
import { run } from '../support/cli/run.ts';
import { insertDocuments, readFixtures } from '../support/documents.ts';
import { demoKey, shortIntervals } from '../support/faults/database.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { startMongoProcess, startMongoServer } from '../support/mongo-server.ts';
import { startRedisServer } from '../support/redis-server.ts';
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

  it('fails with one line that names an invalid setting', async () => {
    expect(await startError({ PORT: 'http' })).to.deep.equal([
      'PORT is "http": it must be a whole number from 0 to 65535.',
    ]);
    expect(
      await startError({ MONGODB_URL: 'mongodb://127.0.0.1:1/gateway?nosuch=1' }),
    ).to.deep.equal(['MONGODB_URL is not usable: option nosuch is not supported.']);
    expect((await startError({ CATALOGUE_DIR: '/nowhere' })).join('\n')).to.match(
      /^CATALOGUE_DIR is \/nowhere, and there are no api_keys in \/nowhere: .* make a key with "artist-gateway keys issue"[^\n]*$/,
    );
  });

  it('refuses the demo keys for another catalogue, even in its own api_keys', async () => {
    const folder = await cleanup.makeFolder('own');
    cpSync(join(root, 'fixtures/catalogue'), folder, { recursive: true });
    const { get, lines } = await cleanup.start(startGatewayProcess({ CATALOGUE_DIR: folder }));
    expect((await get(path, demoKey('qaCurrent'))).status).to.not.equal(200);
    expect(lines.join()).to.include('demo keys open the example catalogue only');
  });

  it('refuses a STATE_DIR that another gateway uses, until that one is killed', async () => {
    const MONGODB_URL = 'mongodb://127.0.0.1:1/gateway';
    const settings = { MONGODB_URL, STATE_DIR: join(await cleanup.makeFolder('state'), 'state') };
    const first = await startGatewayProcess(settings);
    expect(await startError(settings)).to.deep.equal([
      `STATE_DIR is ${settings.STATE_DIR}: another gateway uses it. Give each gateway its own folder.`,
    ]);
    first.signal('SIGKILL');
    await first.exit;
    await cleanup.start(startGatewayProcess(settings));
  });

  it('says in one line that a gateway without stores is a sandbox', async () => {
    const gateway = await cleanup.start(startGatewayProcess({}));
    const isSaid = () =>
      gateway.lines.filter((line) => line.startsWith('Sandbox, not for production: ')).length === 1;
    await until('the line is written', isSaid);
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

  it('fails with one line that names HOST when it is no address of the machine', async () => {
    expect(await startError({ HOST: '192.0.2.1' })).to.deep.equal([
      'HOST is 192.0.2.1: it is not an address of this machine (EADDRNOTAVAIL).',
    ]);
    expect((await startError({ HOST: 'nowhere.invalid' })).at(-1)).to.match(
      /^HOST is nowhere\.invalid: /,
    );
    const operations = { OPERATIONS_HOST: '192.0.2.1', OPERATIONS_PORT: '9' };
    expect((await startError(operations)).at(-1)).to.match(/^OPERATIONS_HOST is 192\.0\.2\.1: /);
  });

  for (const host of ['0.0.0.0', '::'])
    it(`names the loopback address in its URL when it listens on every address: HOST=${host}`, async () => {
      const { url } = await cleanup.start(startGatewayProcess({ HOST: host }));
      expect(url).to.match(/^http:\/\/127\.0\.0\.1:\d+$/);
    });

  it('ends on a SIGTERM before it listens, as process 1 of a container, which the system never ends', async () => {
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

  for (const command of ['serve', 'doctor'])
    it(`fails with one line on an older Node than package.json allows: ${command}`, async () => {
      const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
      for (const version of ['v18.19.0', 'v20.18.3']) {
        const older = `Object.defineProperty(process, 'version', { value: '${version}' });`;
        const { code, stderr } = await run({ NODE_OPTIONS: preload(older) }, [command]);
        expect(code).to.equal(1);
        expect(stderr).to.equal(
          `artist-gateway needs Node ${engines.node.slice(2)} or later, and this is ${version}.\n`,
        );
      }
    });

  it('refuses a STATE_DIR whose path is too long for a lock', async () => {
    const STATE_DIR = join(await cleanup.makeFolder('long'), 'long'.repeat(30));
    const lines = await startError({ MONGODB_URL: 'mongodb://127.0.0.1:1/gateway', STATE_DIR });
    expect(lines).to.deep.equal([
      `STATE_DIR is ${STATE_DIR}: the path is too long. Use at most 98 bytes.`,
    ]);
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
      // one that does not fail
      onStderr: (_text, child) => cleanup.add(child, async () => void child.kill('SIGKILL')),
    });
    expect(code).to.equal(1);
    expect(stderr.trimEnd().split('\n').at(-1)).to.match(
      /dist\/site is missing: run npm run build$/,
    );
  });

  it('listens before its stores are reachable, reports which are not, and serves once they are', async () => {
    const [mongo, redis] = [
      await cleanup.start(startMongoProcess()),
      await cleanup.start(startRedisServer()),
    ];
    await Promise.all([mongo.kill(), redis.kill()]);
    const gateway = await cleanup.start(
      startGatewayProcess({
        MONGODB_URL: mongo.url('gateway'),
        REDIS_URL: redis.url(),
        OPERATIONS_PORT: 'free',
        ...shortIntervals,
      }),
    );
    const { get, ready, metric } = gateway;
    const refused = (port: number) => `connection refused (127.0.0.1:${port})`;
    const neverLoaded = { ready: false, reason: `never loaded: MongoDB: ${refused(mongo.port)}` };
    await until('/ready says why', async () =>
      (await ready()).body.includes('MongoDB: connection refused'),
    );
    await until('/ready says why', async () =>
      (await ready()).body.includes('Redis: connection refused'),
    );
    const { status, body } = await ready();
    const { parts } = JSON.parse(body);
    expect(status).to.equal(503);
    expect(parts.keys).to.include(neverLoaded);
    expect(parts.catalogue).to.include(neverLoaded);
    expect(parts.quotas).to.include({ ready: false, reason: `Redis: ${refused(redis.port)}` });
    expect(parts.process.ready).to.equal(true);
    expect((await get('/api/v1/health')).status).to.equal(200);
    expect((await get(path)).status).to.equal(401);
    for (const key of ['qaCurrent', 'qaVariant']) {
      const answer = await get(path, demoKey(key));
      expect(answer.status).to.equal(503);
      expect(answer.body).to.match(/^{"error":{"code":"service_unavailable"/);
    }
    expect(await metric('gateway_ready\\{part="quotas"\\}')).to.equal(0);
    expect(await metric('gateway_store_errors_total\\{store="quotas"\\}')).to.be.at.least(1);
    await Promise.all([mongo.restart(), redis.restart()]);
    const { db } = cleanup.add(openMongo(mongo.url('gateway')), ({ close }) => close());
    await insertDocuments(db, readFixtures());
    await until('it serves', async () => (await get(path, demoKey('qaVariant'))).status === 200);
  });
});

describe('a database without documents', () => {
  const cleanup = useCleanup(afterEach);

  it('is reported in words and answered with 503 until documents appear', async () => {
    const mongo = await cleanup.start(startMongoServer());
    const url = mongo.url('gateway_misspelt');
    const { db } = cleanup.add(openMongo(url), ({ close }) => close());
    const gateway = await cleanup.start(
      startGatewayProcess({ MONGODB_URL: url, OPERATIONS_PORT: 'free', ...shortIntervals }),
    );
    const { ready } = gateway;
    const reasons = async () =>
      Object.values(JSON.parse((await ready()).body).parts).map((part) => Object(part).reason);
    await until('both are reported', async () => {
      const found = await reasons();
      return (
        found.includes('there is no key and no organization') &&
        found.includes('there is no artist')
      );
    });
    expect((await ready()).status).to.equal(503);
    expect((await gateway.get(path, demoKey('qaVariant'))).status).to.equal(503);
    const lines = () =>
      gateway.lines.filter((line) => line.includes('collection empty, not ready')).length;
    await until('both are logged', () => lines() === 2);
    await insertDocuments(db, readFixtures());
    await until('it is ready', async () => (await ready()).status === 200);
    expect((await gateway.get(path, demoKey('qaVariant'))).status).to.equal(200);
    expect(lines()).to.equal(2);
  });
});

describe('an uncaught exception', () => {
  const faults = {
    'an exception': "process.on('SIGUSR2', () => { throw new Error('boom'); })",
    'a rejection': "process.on('SIGUSR2', () => Promise.reject(new Error('boom')))",
  };
  for (const [kind, code] of Object.entries(faults)) {
    it(`(${kind}) is logged, and the process exits with code 1`, async () => {
      const gateway = await startGatewayProcess({ NODE_OPTIONS: preload(code) });
      gateway.signal('SIGUSR2');
      expect(await gateway.exit).to.deep.equal({ code: 1, signal: null });
      await until('the exception is logged', () =>
        gateway.hasLogged('uncaught exception, exiting'),
      );
      const logged = gateway.lines.find((line) => line.includes('uncaught exception, exiting'));
      expect(JSON.parse(logged ?? ''))
        .to.include({ level: 'error' })
        .and.nested.include({ 'err.message': 'boom' });
    });
  }
});
