import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { loadCore } from '../process/pinning.ts';
import { start } from '../process/started.ts';
import type { Order, Reply, SliceOrder, SliceResult } from './messages.ts';

/** The load generator, as the bench sees it. */
export interface Generator {
  /** Runs one turn. Rejects when an answer was not as it must be. */
  slice(order: Omit<SliceOrder, 'kind'>): Promise<SliceResult>;
  /** Gives up all connections. */
  closeConnections(): void;
}

/** Starts the load generator on its core. */
export const startGenerator = (): Generator => {
  const file = fileURLToPath(new URL('./generator.js', import.meta.url));
  const { child } = start(process.execPath, [file], { core: loadCore, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const send = (order: Order): void => void child.send(order);
  return {
    async slice(order) {
      const answered = once(child, 'message');
      send({ kind: 'slice', ...order });
      const [reply]: Reply[] = await answered;
      if (reply === undefined) throw new Error('the load generator said nothing');
      if ('failure' in reply) throw new Error(reply.failure);
      return reply.result;
    },
    closeConnections: () => send({ kind: 'close' }),
  };
};
