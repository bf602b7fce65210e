import { loadCore } from '../process/pinning.ts';
import { startModule } from '../process/started.ts';
import type { Reply, SliceOrder, SliceResult } from './messages.ts';

/** Starts the load generator on its core. */
export const startGenerator = () => {
  const { send, next } = startModule('load/generator.js', [], { core: loadCore });
  /** Runs turns at the same time. Rejects if a response is not as expected. */
  const slices = async (orders: readonly SliceOrder[]): Promise<readonly SliceResult[]> => {
    send(orders);
    const reply = await next<Reply>();
    if (typeof reply === 'string') throw new Error(reply);
    return reply;
  };
  return {
    /** Processes that had a whole warm-up. */
    warm: new Set<number>(),
    slices,
    /** Runs one turn. */
    async slice(order: SliceOrder): Promise<SliceResult> {
      const [result] = await slices([order]);
      if (result === undefined) throw new Error('the load generator ran no slice');
      return result;
    },
    closeConnections: () => send('close'),
  };
};
