import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import type { Answer, GatewayProcess } from '../gateway-process.ts';
import { startGatewayProcess } from '../gateway-process.ts';
import type { Sample } from '../load.ts';
import { type RedisServer, startRedisServer } from '../redis-server.ts';
import { startTcpProxy, type TcpProxy } from '../tcp-proxy.ts';

/** Milliseconds. A reply may be slow on a busy machine; a later one counts as a hang of the gateway. */
const hangMs = 3_000;

/** A gateway whose quotas are in a Redis of its own, reached through a proxy. */
export interface QuotasUnderFault {
  readonly redis: RedisServer;
  readonly proxy: TcpProxy;
  readonly gateway: GatewayProcess;
  /** How many requests of the organization Redis has counted today. */
  countedToday(organization: string): Promise<number>;
  stop(): Promise<void>;
}

const msPerDay = 86_400_000;

/** Waits for the next UTC day when this one ends within a minute: counts are compared within one day. */
const awayFromMidnight = async (): Promise<void> => {
  const left = msPerDay - (Date.now() % msPerDay);
  if (left < 60_000) await wait(left + 1_000);
};

export const startQuotasUnderFault = async (settings: Record<string, string> = {}): Promise<QuotasUnderFault> => {
  await awayFromMidnight();
  const redis = await startRedisServer('--appendonly', 'yes');
  const proxy = await startTcpProxy(redis.port);
  const gateway = await startGatewayProcess({ REDIS_URL: redis.url(proxy.port), ...settings });
  return {
    redis,
    proxy,
    gateway,
    countedToday: async (organization) =>
      Number(await redis.command('GET', `quota:{organization:${organization}}:day`)),
    async stop() {
      await gateway.stop();
      await proxy.close();
      await redis.stop();
    },
  };
};

export const isOutage = ({ status, body, headers }: Answer): boolean =>
  status === 503 && body.startsWith('{"error":{"code":"service_unavailable"') && Number(headers['retry-after']) > 0;

export const isVariantOutage = ({ status, body, headers }: Answer): boolean =>
  status === 500 && body.startsWith('{"error":"server_error"') && Number(headers['retry-after']) > 0;

export const isServed = ({ answer }: Sample): boolean => answer?.status === 200;

/** Asserts that every request got a 200 or an outage in the current form, within 3 s, and none a 429. */
export const expectOnlyOutages = (samples: readonly Sample[]): void => {
  expect(samples.length).to.be.greaterThan(20);
  for (const { answer } of samples) {
    if (answer === undefined) throw new Error('a request got no answer');
    expect(answer.ms).to.be.lessThan(hangMs);
    expect(answer.status === 200 || isOutage(answer), `${answer.status} ${answer.body.slice(0, 200)}`).to.equal(true);
  }
};
