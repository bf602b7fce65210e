import type { Order, Reply } from './messages.ts';
import { type Pool, runSlice } from './slice.ts';

/** The load generator: a process of its own, that does what it is told in messages. */
const pool: Pool = new Map();

const obey = async (order: Order): Promise<void> => {
  if (order === 'close') {
    for (const connection of [...pool.values()].flat()) connection.close();
    pool.clear();
    return;
  }
  const reply: Reply = await Promise.all(order.map((slice) => runSlice(pool, slice))).catch(String);
  process.send?.(reply);
};

process.on('message', (order: Order) => void obey(order));
process.on('disconnect', () => process.exit());
