import { setTimeout as wait } from 'node:timers/promises';
import { createCleanup } from '../test/support/cleanup.ts';
import { type Drill, drills, type Fault } from '../test/support/deploy/drills.ts';
import { startPrometheus } from '../test/support/deploy/prometheus.ts';
import { freePort } from '../test/support/ports.ts';

/**
 * Causes seven faults, each at a gateway of its own, and watches the alerts of
 * `deploy/prometheus/alerts.yml` in a real Prometheus that scrapes every second. Each fault must
 * raise its alert and no other, and the alert must clear within 60 s after the fault ends. Takes
 * about five minutes; the exit code is 1 when a drill fails. Run it with `npm run drill:alerts`.
 */
const maxRaiseSeconds = 240;
const maxClearSeconds = 60;

process.setMaxListeners(0); // every process that a drill starts adds one
// redis-server does not keep this process running, and its end is awaited
const alive = setInterval(() => {}, 1_000);
const cleanup = createCleanup();
const opened: { readonly drill: Drill; readonly instance: string; readonly fault: Fault }[] = [];
for (const drill of drills) {
  const port = await freePort();
  const fault = await drill.open({ cleanup, settings: { OPERATIONS_PORT: String(port) } });
  opened.push({ drill, instance: `127.0.0.1:${port}`, fault });
}
const prometheus = cleanup.add(
  await startPrometheus(opened.map(({ instance }) => instance)),
  ({ stop }) => stop(),
);

/**
 * Seconds until the alerts of a target meet a condition; `undefined` when they do not in time.
 * `others` collects wrong alerts.
 */
const waitFor = async (
  { drill, instance }: (typeof opened)[number],
  others: Set<string>,
  isMet: (firing: readonly string[]) => boolean,
  maxSeconds: number,
): Promise<number | undefined> => {
  const start = performance.now();
  for (;;) {
    const firing = await prometheus.firing(instance);
    for (const name of firing) if (name !== drill.alert) others.add(name);
    const seconds = (performance.now() - start) / 1000;
    if (isMet(firing)) return seconds;
    if (seconds > maxSeconds) return undefined;
    await wait(500);
  }
};

const formatSeconds = (seconds: number | undefined): string =>
  seconds === undefined ? 'never' : `${seconds.toFixed(0)} s`;

const runDrill = async (target: (typeof opened)[number]): Promise<void> => {
  const { drill, fault } = target;
  const others = new Set<string>();
  const begun = Promise.resolve(fault.begin());
  const raisedAfter = await waitFor(
    target,
    others,
    (firing) => firing.includes(drill.alert),
    maxRaiseSeconds,
  );
  await begun;
  await fault.end();
  const clearedAfter = await waitFor(
    target,
    others,
    (firing) => firing.length === 0,
    maxClearSeconds,
  );
  const isPassed = raisedAfter !== undefined && clearedAfter !== undefined && others.size === 0;
  if (!isPassed) process.exitCode = 1;
  console.log(
    `${isPassed ? 'pass' : 'FAIL'}  ${drill.name}: ${drill.alert} after ${formatSeconds(raisedAfter)}, ` +
      `clear ${formatSeconds(clearedAfter)} after the end; other alerts: ${[...others].join(', ') || 'none'}`,
  );
};

try {
  await wait(5_000); // a few scrapes of healthy gateways first
  await Promise.all(opened.map(runDrill));
} catch (failure) {
  console.error(failure);
  process.exitCode = 1;
} finally {
  await cleanup.run();
  clearInterval(alive);
}
