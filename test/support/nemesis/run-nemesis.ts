import { setTimeout as wait } from 'node:timers/promises';
import type { QuotaWindow } from '../../../src/domain/caller.ts';
import type { QuotaStatus } from '../../../src/ports.ts';
import { type Load, startLoad } from '../load.ts';
import { inTwoSeconds } from '../redis-quotas.ts';
import { until } from '../wait.ts';
import { checkHistory } from './check-history.ts';
import type { Count, Exchange, History, Interval } from './history.ts';
import { limitsBySubject, limitsOf, nemesisPartners, subjectOf } from './partners.ts';
import { createRandom } from './random.ts';
import { type Fault, gatewayCount } from './topology.ts';
import { startWorld, type TopologyName, type World } from './world.ts';

export interface NemesisOptions {
  readonly topology: TopologyName;
  readonly seconds: number;
  /** Determines which faults strike when, for how long, and who asks which gateway. */
  readonly seed: number;
  /** The faults to choose from, by name; all of them if it is missing. */
  readonly only?: readonly string[];
  /** Whether the gateways have a planted bug. */
  readonly hasBug?: boolean;
  /** Receives a line for every fault. */
  readonly say?: (line: string) => void;
}

/** Milliseconds from one quiet moment, when counts are compared, to the next. */
const countEveryMs = 20_000;

/** Milliseconds without requests before counts are read: refunds have arrived by then. */
const quietMs = 1_300;

/** Waits until every gateway answers every partner. Sentinel waits 30 s after a clock was set. */
const untilServed = async ({ ask }: World): Promise<void> => {
  for (let gateway = 0; gateway < gatewayCount; gateway++) {
    for (const partner of nemesisPartners) {
      const isAnswered = async (): Promise<boolean> =>
        (await ask(partner, gateway)).outcome !== 'unknown';
      await until(`gateway ${gateway} answers ${partner.name}`, isAnswered);
    }
  }
};

/** Asks 200 times a second. */
const startAsking = ({ ask }: World, random: () => number): Load<Exchange | undefined> =>
  startLoad(async () => {
    const partner = nemesisPartners[Math.floor(random() * nemesisPartners.length)];
    return partner && ask(partner, Math.floor(random() * gatewayCount));
  }, 5);

const readCount = async (
  { reader: { quotas, clock } }: World,
  subject: string,
  window: QuotaWindow,
): Promise<Count> => {
  let status: QuotaStatus | undefined;
  await until(
    'Redis answers the reader of counts, whose connections the faults broke too',
    async () => {
      status = await quotas.read(
        { subject, window, limit: Number.MAX_SAFE_INTEGER },
        inTwoSeconds(clock),
      );
      return true;
    },
  );
  return {
    at: performance.now(),
    subject,
    window,
    reset: (status?.endsAt ?? 0) / 1000,
    count: status?.used ?? 0,
  };
};

const readCounts = async (world: World): Promise<Count[]> => {
  const counts: Count[] = [];
  // the keys of a record of windows
  for (const partner of nemesisPartners)
    for (const window of Object.keys(limitsOf(partner)) as QuotaWindow[])
      counts.push(await readCount(world, subjectOf(partner), window));
  return counts;
};

/** Lets a fault strike for `lastsMs` and waits until all is served again. */
const strike = async (world: World, fault: Fault, lastsMs: number) => {
  const from = performance.now();
  await fault.begin();
  const began = performance.now();
  await wait(lastsMs);
  const outages = fault.isOutage ? [{ from: began + 50, to: performance.now() }] : [];
  await fault.end?.();
  await untilServed(world);
  await world.settled();
  world.gateways.expectAlive();
  if (fault.losesFrom === undefined) return { losses: [], outages };
  return {
    losses: [
      { from: from - fault.losesFrom, to: fault.losesUntilRecovery ? performance.now() : began },
    ],
    outages,
  };
};

/**
 * Four gateways on Redis, 200 requests a second and a schedule of faults, for `seconds`; then the
 * history is checked.
 */
export const runNemesis = async (options: NemesisOptions) => {
  const { topology, seconds, seed, only, hasBug = false, say = () => {} } = options;
  // A planted bug shows in counts, and counts that are read soon after the end of a window are of
  // hardly any requests.
  const beforeDayEnd = hasBug ? 60 + seconds : Math.min(45, seconds / 2) + 5;
  const world = await startWorld({ topology, beforeDayEnd, hasBug });
  try {
    const random = createRandom(seed);
    // of its own: how many requests are sent must not change the schedule
    const randomLoad = createRandom(seed + 1);
    const faults = world.faults.filter(({ name }) => only?.includes(name) ?? true);
    const [losses, outages, counts]: [Interval[], Interval[], Count[]] = [[], [], []];
    await untilServed(world);
    const startedAt = performance.now();
    let load = startAsking(world, randomLoad);
    let countedAt = startedAt;
    const count = async (): Promise<void> => {
      await load.stop();
      await wait(quietMs);
      counts.push(...(await readCounts(world)));
      countedAt = performance.now();
    };
    while (performance.now() - startedAt < seconds * 1000) {
      await wait(500 + random() * 1_500);
      const fault = faults[Math.floor(random() * faults.length)];
      const lastsMs = 500 + random() * 2_500;
      if (fault !== undefined) {
        const struckAt = performance.now();
        const struck = await strike(world, fault, lastsMs);
        losses.push(...struck.losses);
        outages.push(...struck.outages);
        const at = ((struckAt - startedAt) / 1000).toFixed(1);
        say(
          `${at} s: ${fault.name}, ${Math.round(lastsMs)} ms; served after ${Math.round(performance.now() - struckAt)} ms`,
        );
      }
      if (performance.now() - countedAt < countEveryMs) continue;
      await count();
      load = startAsking(world, randomLoad);
    }
    await count();
    const { exchanges, redisClock } = world;
    const history: History = {
      limits: limitsBySubject,
      exchanges,
      clock: redisClock.steps,
      losses,
      outages,
      counts,
    };
    return { history, findings: checkHistory(history) };
  } finally {
    await world.stop();
  }
};
