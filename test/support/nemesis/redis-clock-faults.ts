import type { ClockStep } from './history.ts';
import { createSettableClock } from './settable-clock.ts';
import { type Fault, failOverLosses } from './topology.ts';

const daySeconds = 86_400;

/**
 * Seconds that the clock is set ahead or back, in turn; between them it is set to shortly before
 * the end of its day.
 */
const stepSeconds = [31, -13, 67, -75];

/**
 * The clock of all data nodes of Redis, and the faults that set it. It starts as one at which a day
 * ends, with an hour and a minute, `beforeDayEnd` seconds from now.
 */
export const createRedisClock = (folder: string, beforeDayEnd: number) => {
  const clock = createSettableClock(folder, 'redis');
  const steps: ClockStep[] = [];
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
      begin() {
        const seconds = stepSeconds[turn++ % stepSeconds.length] ?? 0;
        set(clock.ahead() + seconds);
      },
      ...failOverLosses, // replication, fail-over and Sentinel go by it too
    },
    {
      name: 'set the clock of Redis to 5 s before the end of its day',
      begin: () => toDayEnd(5),
      ...failOverLosses,
    },
  ];
  return { clock, steps, faults };
};
