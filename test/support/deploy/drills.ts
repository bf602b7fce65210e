import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setInterval } from 'node:timers';
import { fixtureFolder } from '../../../src/runtime/config.ts';
import type { Cleanup } from '../cleanup.ts';
import { demoKey, startDatabaseUnderFault } from '../faults/database.ts';
import { createClient, startGatewayProcess } from '../gateway-process.ts';
import { freePort } from '../ports.ts';
import { startRedisServer } from '../redis-server.ts';
import { startTcpProxy } from '../tcp-proxy.ts';

/** Where a drill takes place: what it starts ends with `cleanup`. */
export interface Scene {
  readonly cleanup: Cleanup;
  /** The settings of its gateway: the operations port that Prometheus watches. */
  readonly settings: Readonly<Record<string, string>>;
}

/** How to cause a fault and how to mend it. */
export interface Fault {
  begin(): unknown;
  end(): unknown;
}

/** A fault that must raise one alert of `deploy/prometheus/alerts.yml`, and no other. */
export interface Drill {
  readonly name: string;
  readonly alert: string;
  /** Starts a gateway, and returns how to cause the fault and how to mend it. */
  open(scene: Scene): Promise<Fault>;
}

const startGateway = (
  { cleanup, settings }: Scene,
  more: Record<string, string>,
  stdout?: number,
) =>
  cleanup.start(
    startGatewayProcess({ ...settings, ...more }, stdout === undefined ? {} : { stdout }),
  );

/**
 * A gateway over a copy of the example catalogue, which the variable names. Resolves to the path of
 * a file in it.
 */
const openCopy = async (scene: Scene, variable: string, file: string) => {
  const folder = await scene.cleanup.makeFolder('copy');
  await cp(fixtureFolder, folder, { recursive: true });
  const keys: object[] = JSON.parse(await readFile(join(folder, 'api_keys.json'), 'utf8'));
  // Demo keys open the example catalogue only.
  const ownKeys = keys.map((key) => ({ ...key, demo_key: undefined, demo_fault: undefined }));
  await writeFile(join(folder, 'api_keys.json'), JSON.stringify(ownKeys));
  const gateway = await startGateway(scene, { [variable]: folder });
  return { gateway, file: join(folder, file) };
};

/**
 * With the default intervals: the alerts are made for them, not for the short ones of the fault
 * tests.
 */
const openDatabase = ({ cleanup, settings }: Scene) =>
  cleanup.start(
    startDatabaseUnderFault({ intervals: {}, settings: { ...settings, USAGE_FLUSH_SECONDS: '1' } }),
  );

/** Reads everything from a pipe, again and again, until the returned function is called. */
const drain = (descriptor: number): (() => void) => {
  const buffer = Buffer.alloc(1024 * 1024);
  const timer = setInterval(() => {
    try {
      while (readSync(descriptor, buffer) > 0);
    } catch (failure) {
      if (!(failure instanceof Error && 'code' in failure && failure.code === 'EAGAIN'))
        throw failure; // empty for now
    }
  }, 20);
  return () => clearInterval(timer);
};

export const drills: readonly Drill[] = [
  {
    name: 'Redis is stopped',
    alert: 'GatewayRedisUnavailable',
    async open(scene) {
      const redis = await scene.cleanup.start(startRedisServer());
      await startGateway(scene, { REDIS_URL: redis.url() });
      return { begin: () => redis.kill(), end: () => redis.restart() };
    },
  },
  {
    name: 'MongoDB is stopped',
    alert: 'GatewayMongoDBUnavailable',
    async open(scene) {
      const { mongo } = await openDatabase(scene);
      return { begin: () => mongo.pause(), end: () => mongo.resume() };
    },
  },
  {
    name: 'the file of keys is damaged',
    alert: 'GatewayKeysStale',
    async open(scene) {
      const { file } = await openCopy(scene, 'KEYS_DIR', 'api_keys.json');
      const keys = await readFile(file);
      return {
        begin: () => writeFile(file, keys.subarray(0, 100)),
        end: () => writeFile(file, keys),
      };
    },
  },
  {
    name: 'a key still calls after its sunset',
    alert: 'GatewayKeysNearSunset',
    async open(scene) {
      const { file, gateway } = await openCopy(scene, 'KEYS_DIR', 'api_keys.json');
      const keys: { readonly _id: string }[] = JSON.parse(await readFile(file, 'utf8'));
      const announce = (sunset: object) =>
        writeFile(
          file,
          JSON.stringify(
            keys.map((key) => (key._id === 'varFull01' ? { ...key, ...sunset } : key)),
          ),
        );
      return {
        async begin() {
          await announce({ sunset: '2026-01-01' });
          await gateway.get('/api/v1/signings', demoKey('varFull01'));
        },
        end: () => announce({}),
      };
    },
  },
  {
    name: 'an artist has a member that cannot be used',
    alert: 'GatewaySourceFaults',
    async open(scene) {
      const { file } = await openCopy(scene, 'CATALOGUE_DIR', 'artists.json');
      const [first, ...others]: object[] = JSON.parse(await readFile(file, 'utf8'));
      const change = (members: object) =>
        writeFile(file, JSON.stringify([{ ...first, ...members }, ...others]));
      return {
        begin: () => change({ country_code: 'nowhere', updated_at: '2026-11-01T00:00:00Z' }),
        end: () => change({ updated_at: '2026-11-02T00:00:00Z' }),
      };
    },
  },
  {
    name: 'usage cannot be written',
    alert: 'GatewayUsageNotWritten',
    async open(scene) {
      const { db, gateway } = await openDatabase(scene);
      const blocking = { form: 'current' }; // with the index, no total of this form can be stored
      return {
        async begin() {
          await db.collection('usage').createIndex({ form: 1 }, { unique: true });
          await db.collection('usage').insertOne(blocking);
          await gateway.get('/api/v1/signings', demoKey('curFull01'));
        },
        end: () => db.collection('usage').deleteOne(blocking),
      };
    },
  },
  {
    name: 'more requests than 256 wait for Redis',
    alert: 'GatewayLoadShed',
    async open(scene) {
      const redis = await scene.cleanup.start(startRedisServer());
      const proxy = scene.cleanup.add(await startTcpProxy(redis.port), ({ close }) => close());
      const gateway = await startGateway(scene, {
        REDIS_URL: redis.url(proxy.port),
        STORE_TIMEOUT_MS: '5000',
      });
      const client = scene.cleanup.add(createClient(400), async ({ end }) => end());
      return {
        async begin() {
          proxy.delay(500);
          const headers = { Authorization: `Bearer ${demoKey('curFull01')}` };
          const ask = () => client.get(`${gateway.url}/api/v1/artists`, headers);
          for (let rounds = 0; rounds < 10; rounds++)
            await Promise.allSettled(Array.from({ length: 400 }, ask));
        },
        end: () => proxy.delay(0),
      };
    },
  },
  {
    name: 'nobody reads the log',
    alert: 'GatewayLogStuck',
    async open(scene) {
      const fifo = join(await scene.cleanup.makeFolder('log'), 'stuck');
      spawnSync('mkfifo', [fifo]);
      const reader = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
      const writer = openSync(fifo, constants.O_WRONLY);
      const gateway = await startGateway(scene, { PORT: String(await freePort()) }, writer);
      closeSync(writer);
      return {
        async begin() {
          for (let rounds = 0; rounds < 200; rounds++)
            await Promise.allSettled(
              Array.from({ length: 50 }, () => gateway.get('/api/v1/health')),
            );
        },
        end: () => scene.cleanup.add(drain(reader), async (stop) => stop()),
      };
    },
  },
];
