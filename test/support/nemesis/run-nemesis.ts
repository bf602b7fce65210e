import { setTimeout as wait } from 'node:timers/promises';
import { dayMs } from '../../../src/domain/time.ts';
import type { QuotaStatus } from '../../../src/ports.ts';
import { createCleanup } from '../cleanup.ts';
import { createClient, type GatewayProcess, startGatewayProcess } from '../gateway-process.ts';
import { startLoad } from '../load.ts';
import { inTwoSeconds, openTestRedisQuotas } from '../redis-quotas.ts';
import { until } from '../wait.ts';
import { checkHistory } from './check-history.ts';
import {
  type Count,
  createExchange,
  type Exchange,
  type History,
  type Interval,
  windowsOf,
} from './history.ts';
import {
  keyOf,
  type NemesisPartner,
  nemesisPartners,
  subjectOf,
  writePartners,
} from './partners.ts';
import { createRandom } from './random.ts';
import { createSettableClock } from './settable-clock.ts';
import { type Fault, failOverLosses, type TopologyName, topologies } from './topologies.ts';

interface NemesisOptions {
  readonly topology: TopologyName;
  readonly seconds: number;
  /** Determines which faults strike when, for how long, and which gateway gets each request. */
  readonly seed: number;
  /** Receives a line for every fault. */
  readonly say: (line: string) => void;
}

const gatewayCount = 4;

/** Milliseconds from one quiet moment, when counts are compared, to the next. */
const countEveryMs = 20_000;

/** Milliseconds without requests before counts are read: refunds have arrived by then. */
const quietMs = 1_300;

const daySeconds = dayMs / 1000;

/**
 * Seconds that the clock of Redis is set ahead or back, in turn; between them it is set to shortly
 * before the end of its day.
 */
const redisSteps = [31, -13, 67, -75];

/** Seconds that a gateway's clock is set to, in turn. */
const gatewaySteps = [3_600, -90, daySeconds * 10, -daySeconds * 400, 0];

/**
 * The clock of all data nodes of Redis, and the faults that set it. It starts as one at which a day
 * ends, with an hour and a minute, `beforeDayEnd` seconds from now.
 */
const createRedisClock = (folder: string, beforeDayEnd: number) => {
  const clock = createSettableClock(folder, 'redis');
  const steps: History['clock'][number][] = [];
  const set = (ahead: number): void => {
    clock.set(ahead);
    steps.push({ at: performance.now(), offset: Date.now() - performance.now() + ahead * 1000 });
  };
  const toDayEnd = (seconds: number): void => {
    const now = Math.floor(Date.now() / 1000) + clock.ahead();
    set(clock.ahead() + daySeconds - (now % daySeconds) - seconds);
  };
  toDayEnd(beforeDayEnd);
  let turn = 0;
  const faults: readonly Fault[] = [
    {
      name: 'set the clock of Redis',
      begin: () => set(clock.ahead() + (redisSteps[turn++ % redisSteps.length] ?? 0)),
      ...failOverLosses, // replication, fail-over and Sentinel use it too
    },
    {
      name: 'set the clock of Redis to 5 s before the end of its day',
      begin: () => toDayEnd(5),
      ...failOverLosses,
    },
  ];
  return { clock, steps, faults };
};

/** Starts the gateways: processes that are killed, frozen, and whose clocks are set. */
const startGateways = async (redisUrl: (gateway: number) => string, folder: string) => {
  const client = createClient(512);
  const indexes = Array.from({ length: gatewayCount }, (_, index) => index);
  const clocks = indexes.map((index) => createSettableClock(folder, `gateway-${index}`));
  const start = (index: number): Promise<GatewayProcess> => {
    const settings = { KEYS_DIR: folder, REDIS_URL: redisUrl(index) };
    return startGatewayProcess({ ...settings, ...clocks[index]?.environment });
  };
  const gateways = await Promise.all(indexes.map(start));
  let [turn, steps] = [0, 0];
  const next = (): number => (turn = (turn + 1) % gatewayCount);
  /** Each strikes the next gateway. */
  const faults: readonly Fault[] = [
    {
      name: 'kill a gateway',
      begin: () => gateways[next()]?.signal('SIGKILL'),
      async end() {
        await gateways[turn]?.exit;
        gateways[turn] = await start(turn);
      },
    },
    {
      name: 'freeze a gateway',
      begin: () => gateways[next()]?.signal('SIGSTOP'),
      end: () => gateways[turn]?.signal('SIGCONT'),
    },
    {
      name: 'set the clock of a gateway',
      begin: () => clocks[next()]?.set(gatewaySteps[steps++ % gatewaySteps.length] ?? 0),
    },
  ];
  return {
    get: (index: number, path: string, key: string) =>
      client.get(`${gateways[index]?.url}${path}`, { Authorization: `Bearer ${key}` }),
    faults,
    /** Throws when one has ended that no fault has killed. */
    expectAlive() {
      const ended = gateways.find((gateway) => !gateway.isAlive());
      if (ended !== undefined)
        throw new Error(`a gateway has ended:\n${ended.lines.slice(-5).join('\n')}`);
    },
    async stop() {
      client.end();
      await Promise.all(gateways.map((gateway) => gateway.stop()));
    },
  };
};

/**
 * Four gateways on Redis, 200 requests a second and a schedule of faults, for `seconds`; then the
 * history is checked.
 */
export const runNemesis = async ({ topology: name, seconds, seed, say }: NemesisOptions) => {
  const cleanup = createCleanup();
  try {
    const folder = await cleanup.makeFolder('nemesis');
    await writePartners(folder, nemesisPartners);
    const redisClock = createRedisClock(folder, Math.min(45, seconds / 2) + 5);
    const topology = await cleanup.start(topologies[name](redisClock.clock));
    const gateways = await cleanup.start(startGateways(topology.url, folder));
    // The quotas, read past the gateways.
    const reader = cleanup.add(openTestRedisQuotas(topology.url(0)), ({ quotas }) =>
      quotas.close(),
    );
    const exchanges: Exchange[] = [];
    let asked = 0;
    /** Sends the partner's next request and records the exchange. Never rejects. */
    const ask = async (partner: NemesisPartner, gateway: number): Promise<Exchange> => {
      asked += 1;
      const path = partner.paths[asked % partner.paths.length] ?? '';
      const sentAt = performance.now();
      const answer = await gateways.get(gateway, path, keyOf(partner)).catch(() => undefined);
      const exchange = createExchange(subjectOf(partner), partner.limits, sentAt, answer);
      exchanges.push(exchange);
      return exchange;
    };

    /** Waits until every gateway serves every partner: Sentinel waits 30 s after a clock was set. */
    const untilServed = async (): Promise<void> => {
      for (let gateway = 0; gateway < gatewayCount; gateway++)
        for (const partner of nemesisPartners)
          await until(
            `gateway ${gateway} answers ${partner.name}`,
            async () => (await ask(partner, gateway)).outcome !== 'unknown',
          );
    };

    const [losses, outages, counts]: [Interval[], Interval[], Count[]] = [[], [], []];
    /** Lets a fault strike for `lastsMs` and waits until all is served again. */
    const strike = async (fault: Fault, lastsMs: number): Promise<void> => {
      const from = performance.now();
      await fault.begin();
      const began = performance.now();
      await wait(lastsMs);
      const to = performance.now();
      await fault.end?.();
      await untilServed();
      await topology.settled?.();
      gateways.expectAlive();
      const until = fault.losesUntilRecovery ? performance.now() : began;
      if (fault.losesFrom !== undefined) losses.push({ from: from - fault.losesFrom, to: until });
      if (fault.isOutage) outages.push({ from: began + 50, to });
    };

    const random = createRandom(seed);
    // of its own: how many requests are sent must not change the schedule
    const randomLoad = createRandom(seed + 1);
    const startAsking = () =>
      startLoad(async () => {
        const partner = nemesisPartners[Math.floor(randomLoad() * nemesisPartners.length)];
        return partner && ask(partner, Math.floor(randomLoad() * gatewayCount));
      }, 5);
    const faults = [...topology.faults, ...gateways.faults, ...redisClock.faults];
    await untilServed();
    const startedAt = performance.now();
    let load = startAsking();
    let countedAt = startedAt;
    const count = async (): Promise<void> => {
      await load.stop();
      await wait(quietMs);
      for (const partner of nemesisPartners)
        for (const window of windowsOf(partner.limits)) {
          const subject = subjectOf(partner);
          const allowance = { subject, window, limit: Number.MAX_SAFE_INTEGER };
          let status: QuotaStatus | undefined;
          await until('Redis replies on a connection that faults may have broken', async () => {
            status = await reader.quotas.read(allowance, inTwoSeconds(reader.clock));
            return true;
          });
          const [reset, count] = [(status?.endsAt ?? 0) / 1000, status?.used ?? 0];
          counts.push({ at: performance.now(), subject, window, reset, count });
        }
      countedAt = performance.now();
    };
    while (performance.now() - startedAt < seconds * 1000) {
      await wait(500 + random() * 1_500);
      const fault = faults[Math.floor(random() * faults.length)];
      const lastsMs = 500 + random() * 2_500;
      if (fault !== undefined) {
        const struckAt = performance.now();
        await strike(fault, lastsMs);
        const at = ((struckAt - startedAt) / 1000).toFixed(1);
        say(
          `${at} s: ${fault.name}, ${Math.round(lastsMs)} ms; served after ${Math.round(performance.now() - struckAt)} ms`,
        );
      }
      if (performance.now() - countedAt < countEveryMs) continue;
      await count();
      load = startAsking();
    }
    await count();
    const limits = Object.fromEntries(nemesisPartners.map((one) => [subjectOf(one), one.limits]));
    const history: History = {
      ...{ limits, exchanges, clock: redisClock.steps, losses, outages, counts },
    };
    return { history, findings: checkHistory(history) };
  } finally {
    await cleanup.run();
  }
};
