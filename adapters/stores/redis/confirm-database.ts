import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import type { RedisClient } from './connection.ts';
import { reasonOf } from './errors.ts';

/** The driver's error of a refused `SELECT`: the number is out of range, or the user lacks the right. */
const refusedSelect = z.object({
  name: z.literal('ReplyError'),
  command: z.object({ name: z.literal('select') }),
  message: z.string().regex(/^(ERR|NOPERM) /),
});

/**
 * Waits until Redis has accepted the numbered database of the URL: at most `withinMs` milliseconds, and no longer than until
 * the first failure to connect. Rejects with one line when Redis refuses the number, which no retry can change.
 */
export const confirmDatabase = async (client: RedisClient, database: number, withinMs: number): Promise<void> => {
  if (database === 0) return;
  const answered = new Promise<void>((resolve, reject) => {
    client.once('ready', resolve);
    client.once('error', (error: unknown) => {
      if (!refusedSelect.safeParse(error).success) return resolve();
      const line = `REDIS_URL names the database ${database}, which Redis refuses to select (${reasonOf(error)}).`;
      reject(new Error(line));
    });
  });
  await Promise.race([answered, wait(withinMs, undefined, { ref: false })]);
};
