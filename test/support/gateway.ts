import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import supertest from 'supertest';
import type { Form } from '../../adapters/forms/form.ts';
import { forms as productForms } from '../../adapters/forms/forms.ts';
import { createApp, type ReferenceHandler } from '../../adapters/http/app.ts';
import { createHttpServer, type HttpServer } from '../../adapters/http/server.ts';
import { createEmbeddedCatalogue } from '../../adapters/stores/embedded/catalogue.ts';
import { createEmbeddedQuotas } from '../../adapters/stores/embedded/quotas.ts';
import { createMetrics, type Metrics } from '../../adapters/telemetry/metrics.ts';
import type { DemoFault } from '../../src/domain/caller.ts';
import { assembleGateway, type Gateway } from '../../src/gateway.ts';
import type {
  CatalogueSource,
  HistorySource,
  KeySource,
  Log,
  QuotaStore,
} from '../../src/ports.ts';
import { readConfig } from '../../src/runtime/config.ts';
import { fixtureFolder } from '../../src/runtime/folders.ts';
import type { UsageMeter } from '../../src/usage/counter.ts';
import { useStarted } from './cleanup.ts';
import { createManualClock, type ManualClock } from './clock.ts';
import { expectContract } from './contract.ts';
import { keySource, keys } from './forms/form-keys.ts';
import { createMemoryLog, type MemoryLog } from './log.ts';
import { type RawReply, type RawRequest, sendRaw } from './raw.ts';
import { testReference } from './reference.ts';

/** One key of each form with every scope and a quota that no test reaches. */
export const fullKeys = { current: keys.current.full, variant: keys.variant.full };

export interface TestGatewayOptions {
  readonly clock?: ManualClock;
  readonly source?: CatalogueSource & HistorySource;
  readonly histories?: HistorySource;
  /** Default: the keys of `form-keys.ts`. */
  readonly keys?: KeySource;
  /** Demo keys that show a fault, by id. */
  readonly demoFaults?: ReadonlyMap<string, DemoFault>;
  readonly quotas?: QuotaStore;
  readonly usage?: UsageMeter;
  /** Environment variables that the gateway is started with. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly forms?: readonly [Form, ...Form[]];
  /** The pages of these forms. */
  readonly reference?: ReferenceHandler;
  /** Receives the log instead of `TestGateway.log`. */
  readonly log?: Log;
}

export interface TestGateway {
  readonly gateway: Gateway;
  readonly clock: ManualClock;
  readonly log: MemoryLog;
  readonly metrics: Metrics;
  readonly httpServer: HttpServer;
  readonly port: number;
  /**
   * Sends a GET with a key's text; `undefined` sends none. Fails, like `send`, when the response
   * violates its contract.
   */
  get(path: string, key?: string, headers?: Record<string, string>): supertest.Test;
  /** Sends any request, byte for byte, with a key's text; `undefined` sends none. */
  send(path: string, key?: string, request?: Omit<RawRequest, 'path'>): Promise<RawReply>;
  /** Stops listening, for tests that open many gateways. */
  close(): Promise<void>;
}

/** The text of a reply, inflated. */
export const decodedText = ({ headers, body, text }: RawReply): string =>
  headers['content-encoding'] === 'gzip' ? gunzipSync(body).toString() : text;

const authorization = (key: string | undefined) =>
  key === undefined ? {} : { Authorization: `Bearer ${key}` };

/** Sends a GET as `TestGateway.get` does, whatever the contract says. */
export const getDecoded = (
  port: number,
  path: string,
  key?: string,
  headers = {},
): supertest.Test =>
  supertest(`http://127.0.0.1:${port}`)
    .get(path)
    .set({ ...authorization(key), ...headers });

/** Listens on a free loopback port, which it returns, without keeping the process alive. */
const listenOnLoopback = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    // a TCP address is never a string
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    server.unref();
  });

/**
 * Starts a gateway over the fixtures, or over the stores a test passes. Its sources are loaded
 * once.
 */
export const createTestGateway = async (options: TestGatewayOptions = {}): Promise<TestGateway> => {
  const { clock = createManualClock(), forms = productForms, reference = testReference } = options;
  const memory = createMemoryLog();
  const log = options.log ?? memory;
  const source =
    options.source ??
    createEmbeddedCatalogue({ folder: fixtureFolder, clock, rebaseToToday: false });
  const metrics = createMetrics('test');
  const { meter } = metrics;
  const settings = readConfig({ ...options.settings });
  const gateway = assembleGateway({
    catalogue: source,
    histories: options.histories ?? source,
    keys: options.keys ?? keySource,
    demoFaults: options.demoFaults,
    quotas: options.quotas ?? createEmbeddedQuotas(clock),
    usage: options.usage,
    clock,
    log,
    meter,
    settings,
    version: 'test',
  });
  // A source that fails leaves its refresher empty, as it does in a gateway that starts before its
  // stores.
  await Promise.allSettled([gateway.keys.refresh(), gateway.catalogue.refresh()]);
  const app = createApp(gateway, forms, reference);
  const httpServer = createHttpServer(app.callback(), {
    form: forms[0],
    keepAliveMs: settings.keepAliveMs,
    clock,
    log,
    meter,
  });
  const { server } = httpServer;
  const port = await listenOnLoopback(server);
  return {
    gateway,
    clock,
    log: memory,
    metrics,
    httpServer,
    port,
    get: (path, key, headers) =>
      getDecoded(port, path, key, headers).expect((reply) => expectContract(path, reply)),
    async send(path, key, request = {}) {
      const reply = await sendRaw(port, {
        ...request,
        path,
        headers: { ...authorization(key), ...request.headers },
      });
      expectContract(path, {
        ...reply,
        text: request.method === 'HEAD' ? undefined : decodedText(reply),
      });
      return reply;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
};

/** A gateway for the tests of a suite, or with `isEach` for each of them. */
export const useGateway = (
  open: () => Promise<TestGateway> = createTestGateway,
  isEach = false,
): TestGateway => useStarted(open, ({ close }) => close(), isEach);
