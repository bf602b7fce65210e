import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { loadCore } from '../process/pinning.ts';
import { start } from '../process/started.ts';
import type { Order, Reply, SliceOrder, SliceResult } from './messages.ts';

/** The load generator, as the bench sees it. */
export interface Generator {
  readonly pid: number;
  /** Runs one turn. Rejects when an answer was not as it must be. */
  slice(order: SliceOrder): Promise<SliceResult>;
  /** Runs turns at the same time. */
  slices(orders: readonly SliceOrder[]): Promise<readonly SliceResult[]>;
  /** Processes that had a whole warm-up. */
  readonly warm: Set<number>;
  /** Gives up all connections. */
  closeConnections(): void;
}

/** Starts the load generator on its core. */
export const startGenerator = (): Generator => {
  const file = fileURLToPath(new URL('./generator.js', import.meta.url));
  const { child, pid } = start(process.execPath, [file], {
    core: loadCore,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const send = (order: Order): void => void child.send(order);
  const runSlices = async (slices: readonly SliceOrder[]): Promise<readonly SliceResult[]> => {
    const answered = once(child, 'message');
    send({ kind: 'slices', slices });
    const [reply]: Reply[] = await answered;
    if (reply === undefined) throw new Error('the load generator said nothing');
    if ('failure' in reply) throw new Error(reply.failure);
    return reply.results;
  };
  return {
    pid,
    warm: new Set(),
    slices: runSlices,
    async slice(order) {
      const [result] = await runSlices([order]);
      if (result === undefined) throw new Error('the load generator ran no slice');
      return result;
    },
    closeConnections: () => send({ kind: 'close' }),
  };
};
