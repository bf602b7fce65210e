import { startModule } from '../process/module.ts';
import { loadCore } from '../process/pinning.ts';
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
  const { pid, send, next } = startModule('load/generator.js', [], { core: loadCore });
  const tell = (order: Order): void => send(order);
  const slices = async (orders: readonly SliceOrder[]): Promise<readonly SliceResult[]> => {
    tell(orders);
    const reply = await next<Reply>();
    if (typeof reply === 'string') throw new Error(reply);
    return reply;
  };
  return {
    pid,
    warm: new Set(),
    slices,
    async slice(order) {
      const [result] = await slices([order]);
      if (result === undefined) throw new Error('the load generator ran no slice');
      return result;
    },
    closeConnections: () => tell('close'),
  };
};
