import { availableParallelism } from 'node:os';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { type DefineCommand, example } from './command.ts';
import { gatewaySettings } from './settings.ts';
import { note } from './terminal/messages.ts';

/**
 * By how many percent the heap may grow before a full garbage collection is begun; V8's default lets it double. Most of the heap
 * is long-lived caches, so collecting sooner costs little. While the first catalogue is loaded the default applies: there is
 * little garbage, and each collection would read all that is loaded so far.
 */
const heapGrowthPercent = 20;

/**
 * On a single core the threads that mark in the background take turns with the event loop, which waits for up to four of them:
 * 40 to 60 ms at a time while lists with history are sent. V8 then marks in short steps of the event loop itself.
 */
const marksInBackground = availableParallelism() > 1;

const isFullCollection = (entry: object): boolean => {
  const detail = 'detail' in entry ? entry.detail : undefined;
  return detail instanceof Object && 'kind' in detail && detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
};

/** Has V8 begin a full collection, in steps, as soon as so many percent of the growth are used that it allows the heap. */
const collectAt = (percent: number): void => setFlagsFromString(`--incremental-marking-soft-trigger=${percent}`);

/**
 * Begins a full collection: otherwise what loading left (40 MB with 10,000 artists) stays until the growth is used that V8
 * allowed while it loaded. Later ones begin at half of the growth, so that they end before all of it is used. V8 by itself
 * begins when the young objects might not fit any more, 16 MB before the end: in a heap below 80 MB all the time.
 */
const limitHeap = (): void => {
  setFlagsFromString(`--heap-growing-percent=${2 * heapGrowthPercent}`);
  if (!marksInBackground) setFlagsFromString('--no-concurrent-marking');
  const observer = new PerformanceObserver((collections) => {
    if (!collections.getEntries().some(isFullCollection)) return;
    observer.disconnect();
    collectAt(50);
  });
  observer.observe({ entryTypes: ['gc'] });
  collectAt(1);
};

const serve = async (): Promise<void> => {
  const settings = gatewaySettings();
  for (const remark of settings.remarks) note(remark);
  const gateway = await import('../process/serve.ts'); // loads the HTTP stack, which `--help` does not need
  await gateway.serve(settings, limitHeap);
};

/** Runs the gateway. */
export const serveCommand: DefineCommand = (command) =>
  command
    .description('run the gateway; its settings are environment variables')
    .addHelpText(...example('PORT=8080 artist-gateway serve'))
    .action(serve);
