import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { currentForm } from '../../adapters/forms/current/form.ts';
import type { Form } from '../../adapters/forms/form.ts';
import { variantForm } from '../../adapters/forms/variant/form.ts';
import { createApp } from '../../adapters/http/app.ts';
import { splitTarget } from '../../adapters/http/request-target.ts';
import { commonHeaders, noStore } from '../../adapters/http/response-headers.ts';
import { createHttpServer } from '../../adapters/http/server.ts';
import { type Allowance, scopes } from '../../src/domain/caller.ts';
import { dayMs } from '../../src/domain/time.ts';
import { assembleGateway } from '../../src/gateway.ts';
import { generateKey } from '../../src/keys/generate-key.ts';
import type { Clock, KeySource, Log, Meter, QuotaStore } from '../../src/ports.ts';
import { windowEnd } from '../../src/quota/quota.ts';
import { version } from '../../src/runtime/config.ts';
import type { RemoteCatalogue } from './remote-catalogue.ts';

const formatUrlHost = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** The only key, used for every request, even with another key or none. */
const localKeys = (partner: string, { access }: RemoteCatalogue) => {
  const { id, hash, text } = generateKey();
  const source: KeySource = {
    async load() {
      const { isRejected, lacking } = access();
      return {
        keys: [
          {
            id,
            hash,
            organizationId: 'local',
            partner,
            form: 'variant',
            scopes: scopes.filter((scope) => !lacking.has(scope)),
            perHour: undefined,
            allowEnvelopeOverride: false,
            sunset: undefined,
            deprecatedAt: undefined,
            createdAt: 0,
            expiresAt: undefined,
            revokedAt: isRejected ? 0 : undefined,
            replacedBy: undefined,
            trial: undefined,
          },
        ],
        organizations: [
          {
            id: 'local',
            name: partner,
            perMinute: undefined,
            perDay: undefined,
            suspendedAt: undefined,
          },
        ],
      };
    },
  };
  return { source, text };
};

const endlessQuotas = (clock: Clock): QuotaStore => {
  const read = ({ window }: Allowance) => {
    const now = clock.now();
    const endsAt = windowEnd(window, now);
    return { granted: true, used: 0, endsAt, msLeft: endsAt - now };
  };
  return {
    consume: async (allowances) => allowances.map(read),
    refund: async () => {},
    read: async (allowance) => read(allowance),
  };
};

const noMeter: Meter = { request() {}, connectionDropped() {}, refresh() {}, store() {} };

export interface LocalOptions {
  readonly catalogue: RemoteCatalogue;
  readonly partner: string;
  readonly form: Form;
  readonly host: string;
  readonly port: number;
  readonly log: Log;
  readonly record?: (target: string) => void;
}

/**
 * Serves the variant form from a remote catalogue to programs of this machine. Pages in a browser
 * get 404: they send an `Origin`, or another `Host` after DNS rebinding.
 */
export const openLocal = async (options: LocalOptions) => {
  const { catalogue, partner, form, host, port, log, record } = options;
  const { clock } = catalogue;
  const keys = localKeys(partner, catalogue);
  const gateway = assembleGateway({
    catalogue: catalogue.source,
    spikes: catalogue.spikes,
    histories: { read: async () => ({ series: [], complete: true }) },
    keys: keys.source,
    quotas: endlessQuotas(clock),
    clock,
    log,
    settings: {
      catalogueRefreshMs: dayMs, // `refresh` below
      keysRefreshMs: dayMs,
      maxStalenessMs: dayMs,
      keysMaxStalenessMs: Number.POSITIVE_INFINITY,
      spikes: { floor: 0, thresholdPercent: 0 }, // the service has found them
      storeTimeoutMs: 250,
      bodyCacheBytes: 32 * 1024 * 1024,
      publicUrl: undefined,
      unknownKeyForm: variantForm.name,
    },
    maxLoadMs: Number.POSITIVE_INFINITY, // it waits for the quota
    version,
  });
  await gateway.keys.refresh();
  // both forms, so that errors and messages are the gateway's
  const app = createApp(
    gateway,
    [currentForm, form],
    () => undefined,
    () => `Bearer ${keys.text}`,
  );
  const answer = app.callback();
  const hosts = ['127.0.0.1', 'localhost', '[::1]', formatUrlHost(host).toLowerCase()];
  const isOwn = ({ headersDistinct: { host, origin, ...others } }: IncomingMessage): boolean =>
    hosts.includes((host ?? []).join().replace(/:\d*$/, '').toLowerCase()) &&
    origin === undefined &&
    (others['sec-fetch-site'] ?? ['none']).join() === 'none';
  const refuse = (response: ServerResponse): void => {
    const message = 'Only programs of this machine are served: send its name in Host.';
    const text = JSON.stringify(form.presentProblem('not_found', message, ''));
    response
      .writeHead(404, {
        ...commonHeaders(form, randomUUID()),
        ...noStore,
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(text),
      })
      .end(text);
  };
  const front = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!isOwn(request)) return refuse(response);
    if (request.method === 'GET') record?.(splitTarget(request.url ?? '').text);
    await answer(request, response);
  };
  const { server, close, closeConnections } = createHttpServer(front, {
    form: currentForm,
    keepAliveMs: 65_000,
    clock,
    log,
    meter: noMeter,
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  const bound = typeof address === 'object' ? address?.port : port;
  return {
    gateway,
    /** Loads what has changed. Rejects if the service is down. */
    refresh: () => gateway.catalogue.refresh().finally(() => gateway.keys.refresh()),
    url: `http://${formatUrlHost(host)}:${bound}`,
    async close(): Promise<void> {
      closeConnections();
      await close();
    },
  };
};
