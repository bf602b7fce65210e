import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import type { DefineCommand } from '../program.ts';
import { gatewaySettings } from '../settings.ts';
import { note } from '../terminal/messages.ts';

/**
 * By how many percent the heap may grow before a full garbage collection; V8's default lets it double. Most of the heap is
 * long-lived caches, so collecting sooner costs little. While the first catalogue is loaded the default applies: there is
 * little garbage, and each collection would read all that is loaded so far.
 */
const heapGrowthPercent = 20;

/**
 * On a single core the threads that mark in the background take turns with the event loop, which waits for up to four of them:
 * 40 to 60 ms at a time while lists with history are sent. V8 then marks in short steps of the event loop itself.
 */
const marksInBackground = availableParallelism() > 1;

const limitHeap = (): void => {
  setFlagsFromString(`--heap-growing-percent=${heapGrowthPercent}`);
  if (!marksInBackground) setFlagsFromString('--no-concurrent-marking');
};

const serve = async (): Promise<void> => {
  const settings = gatewaySettings();
  for (const remark of settings.remarks) note(remark);
  const gateway = await import('../../../src/main.ts'); // loads the HTTP stack, which `--help` does not need
  await gateway.serve(settings, limitHeap);
};

/** Runs the gateway. */
export const serveCommand: DefineCommand = (command) => command.action(serve);
