import type { Gateway } from './gateway.ts';

/** The interval of the event loop's own timer, which its delay includes, in milliseconds. */
const timerMs = 10;

/** The longest delay of the event loop, or its p99, since either was last asked, in milliseconds, as the gateway itself saw it. */
export const readDelay = async (gateway: Gateway, which: 'max' | 'p99'): Promise<number> => {
  const seconds = (await gateway.metrics()).get(`nodejs_eventloop_lag_${which}_seconds`) ?? Number.NaN;
  return Math.max(0, seconds * 1000 - timerMs);
};

const readings = 4;

/**
 * Memory that the gateway's objects and bytes take, in MiB: without what the process holds for later. The least of some
 * readings with garbage collected before each: what the gateway is about at that moment, as asking MongoDB, only adds.
 */
export const usedMiB = async (gateway: Gateway): Promise<number> => {
  const used: number[] = [];
  for (let reading = 0; reading < readings; reading++) {
    await gateway.collect();
    const metrics = await gateway.metrics();
    const of = (name: string): number => metrics.get(name) ?? Number.NaN;
    used.push((of('nodejs_heap_size_used_bytes') + of('nodejs_external_memory_bytes')) / 2 ** 20);
  }
  return Math.min(...used);
};
