import type { Server } from 'node:http';
import type { Clock, Log, Meter } from '../../src/ports.ts';

/** The shortest time between two log lines, in milliseconds: a crowd of clients must not fill the log. */
const minLogIntervalMs = 10_000;

/** Counts the connections that a server closes at once because too many are open, and logs how many there were. */
export const watchDroppedConnections = (
  server: Server,
  { clock, log, meter }: { readonly clock: Clock; readonly log: Log; readonly meter: Meter },
): void => {
  let unlogged = 0;
  let logAt = Number.NEGATIVE_INFINITY;
  server.on('drop', () => {
    meter.connectionDropped();
    unlogged += 1;
    if (clock.elapsed() < logAt) return;
    log.warn({ dropped: unlogged, limit: server.maxConnections }, 'too many connections, new ones closed');
    unlogged = 0;
    logAt = clock.elapsed() + minLogIntervalMs;
  });
};
