import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { SettingError } from '../../../src/runtime/config.ts';
import type { RedisClient } from './connection.ts';
import { reasonOf } from './errors.ts';

/** The longest that opening waits for Redis to accept a numbered database, in milliseconds. */
const maxWaitMs = 1_000;

/**
 * The driver's error of a refused `SELECT`: the number is out of range, or the user lacks the
 * right.
 */
const refusedSelect = z.object({
  name: z.literal('ReplyError'),
  command: z.object({ name: z.literal('select') }),
  message: z.string().regex(/^(ERR|NOPERM) /),
});

/**
 * Waits until Redis has accepted the numbered database of the URL: at most a second, and no longer
 * than until the first failure to connect. Rejects with one line when Redis refuses the number,
 * which no retry can change.
 */
export const confirmDatabase = async (client: RedisClient, database: number): Promise<void> => {
  if (database === 0) return;
  const answered = once(client, 'ready').catch((error: unknown) => {
    if (!refusedSelect.safeParse(error).success) return;
    throw new SettingError(
      `REDIS_URL names the database ${database}, which Redis refuses to select (${reasonOf(error)}).`,
    );
  });
  await Promise.race([answered, wait(maxWaitMs, undefined, { ref: false })]);
};
