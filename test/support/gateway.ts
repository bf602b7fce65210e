import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import supertest from 'supertest';
import { forms } from '../../adapters/forms/forms.ts';
import { createApp } from '../../adapters/http/app.ts';
import type { Gateway } from '../../adapters/http/pipeline.ts';
import { createHttpServer, type HttpServer } from '../../adapters/http/server.ts';
import { createEmbeddedCatalogue } from '../../adapters/stores/embedded/catalogue.ts';
import { createEmbeddedQuotas } from '../../adapters/stores/embedded/quota.ts';
import { createMetrics, type Metrics } from '../../adapters/telemetry/metrics.ts';
import { createDisclosure } from '../../src/catalogue/disclosure.ts';
import { createCatalogueLoader } from '../../src/catalogue/loader.ts';
import { createSpikeFinder } from '../../src/catalogue/spikes.ts';
import type { FormName } from '../../src/domain/caller.ts';
import { buildKeyDirectory } from '../../src/keys/authenticate.ts';
import type { CatalogueSource, HistorySource, KeySource, Log, QuotaStore } from '../../src/ports.ts';
import { fixtureFolder } from '../../src/runtime/config.ts';
import { createFollower } from '../../src/runtime/follower.ts';
import type { UsageMeter } from '../../src/usage/counter.ts';
import { buildKey, buildOrganization } from './builders.ts';
import { createManualClock, type ManualClock } from './clock.ts';
import { expectContract } from './contract.ts';
import { createMemoryLog, type MemoryLog } from './log.ts';
import { type RawReply, type RawRequest, sendRaw } from './raw.ts';
import { testReference } from './reference.ts';

/** Keys with every scope and no quota worth mentioning, one for each form. */
export const fullKeys: Readonly<Record<FormName, ReturnType<typeof buildKey>>> = {
  current: buildKey({ form: 'current' }),
  variant: buildKey({ form: 'variant' }),
};

export const fullKeySource: KeySource = {
  load: async () => ({
    keys: Object.values(fullKeys).map(({ record }) => record),
    organizations: [buildOrganization()],
  }),
};

export interface TestGatewayOptions {
  readonly clock?: ManualClock;
  readonly source?: CatalogueSource & HistorySource;
  readonly histories?: HistorySource;
  readonly keys?: KeySource;
  readonly quotas?: QuotaStore;
  readonly usage?: UsageMeter;
  /** Takes the log instead of a memory that is read back. */
  readonly log?: Log;
}

export interface TestGateway {
  readonly gateway: Gateway;
  readonly clock: ManualClock;
  readonly log: MemoryLog;
  readonly metrics: Metrics;
  readonly front: HttpServer;
  readonly port: number;
  readonly http: ReturnType<typeof supertest>;
  /** A GET with a key's text; `undefined` sends none. Fails, like `send`, when the response is not as its contract says. */
  get(path: string, key?: string, headers?: Record<string, string>): supertest.Test;
  /** Any request, byte for byte, with a key's text; `undefined` sends none. */
  send(path: string, key?: string, request?: Omit<RawRequest, 'path'>): Promise<RawReply>;
  /** Stops listening, for tests that open many gateways. */
  close(): Promise<void>;
}

/** The port of a server that listens on loopback and keeps no process alive. */
const listenOnLoopback = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)); // TCP: never a text
    server.unref();
  });

/** A gateway over the fixtures, or over what a test brings, whose sources are loaded once. */
export const createTestGateway = async (options: TestGatewayOptions = {}): Promise<TestGateway> => {
  const clock = options.clock ?? createManualClock();
  const memory = createMemoryLog();
  const log = options.log ?? memory;
  const source = options.source ?? createEmbeddedCatalogue({ folder: fixtureFolder, clock, endsToday: false });
  const keySource = options.keys ?? fullKeySource;
  const parts = {
    histories: options.histories ?? source,
    disclosure: createDisclosure(),
    spikes: createSpikeFinder({ floor: 1000, thresholdPercent: 20 }),
  };
  const keys = createFollower({
    name: 'keys',
    load: async () => buildKeyDirectory(await keySource.load()),
    intervalMs: 4_000,
    maxStalenessMs: 300_000,
    clock,
    log,
  });
  const catalogue = createFollower({
    name: 'catalogue',
    load: createCatalogueLoader(source, parts, log),
    intervalMs: 15_000,
    maxStalenessMs: 900_000,
    clock,
    log,
  });
  // A source that fails leaves its follower empty, as it does in a gateway that starts before its stores.
  await Promise.allSettled([keys.refresh(), catalogue.refresh()]);
  const metrics = createMetrics('test');
  const { meter } = metrics;
  const gateway: Gateway = {
    clock,
    log,
    meter,
    usage: options.usage,
    keys,
    catalogue,
    quotas: options.quotas ?? createEmbeddedQuotas(clock),
    storeTimeoutMs: 250,
    bodyCacheBytes: 96 * 1024 * 1024,
    version: 'test',
  };
  const app = createApp(gateway, testReference);
  const front = createHttpServer(app.callback(), { form: forms[0], clock, log, meter });
  const { server } = front;
  const port = await listenOnLoopback(server);
  const http = supertest(`http://127.0.0.1:${port}`);
  return {
    gateway,
    clock,
    log: memory,
    metrics,
    front,
    port,
    http,
    get(path, key, headers = {}) {
      const request = http.get(path).set(headers);
      if (key !== undefined) request.set('Authorization', `Bearer ${key}`);
      return request.expect((response) => expectContract(path, response));
    },
    async send(path, key, request = {}) {
      const authorization = key === undefined ? {} : { Authorization: `Bearer ${key}` };
      const reply = await sendRaw(port, { ...request, path, headers: { ...authorization, ...request.headers } });
      expectContract(path, { ...reply, text: request.method === 'HEAD' ? undefined : reply.text });
      return reply;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
};
