import { setTimeout as wait } from 'node:timers/promises';
import type { Allowance } from '../../src/domain/caller.ts';
import type { FormFacts } from '../../src/domain/form-facts.ts';
import type { AuditLog, IdentifierReader, KeyAdmin, QuotaStatus, UsageReader } from '../../src/ports.ts';
import { type Allowances, createAllowances } from '../../src/quota/allowances.ts';
import { fixedClock, systemClock } from '../../src/runtime/clock.ts';
import { formNames, forms } from '../forms/forms.ts';
import { createMongoAuditLog } from '../stores/mongodb/audit-log.ts';
import { type MongoConnection, openMongo } from '../stores/mongodb/connection.ts';
import { describeMongoFailure } from '../stores/mongodb/errors.ts';
import { createMongoIdentifiers } from '../stores/mongodb/identifiers.ts';
import { createIndexes, missingIndexes, neededIndexes } from '../stores/mongodb/indexes.ts';
import { createMongoKeyAdmin } from '../stores/mongodb/key-admin.ts';
import { createMongoKeys } from '../stores/mongodb/keys.ts';
import { createMongoUsageReader } from '../stores/mongodb/usage.ts';
import type { RedisQuotas } from '../stores/redis/quotas.ts';
import { createKeyRegistry, type KeyRegistry } from './resolve-subject.ts';
import { storeSettings } from './settings.ts';
import { note } from './terminal/messages.ts';
import { mongodbPublisher } from './terminal/store-commands.ts';
import { UsageError } from './terminal/usage-error.ts';

/** The quotas that all gateways share. Rejects when Redis does not answer. */
export interface SharedQuotas {
  /** The status of the current window; consumes nothing. */
  read(allowance: Allowance): Promise<QuotaStatus>;
  /** Sets the count of the current window to 0. */
  reset(allowance: Allowance): Promise<void>;
}

/** The indexes that the gateway needs, each as `collection.name`. */
export interface Indexes {
  readonly needed: readonly string[];
  missing(): Promise<readonly string[]>;
  /** Creates the missing ones. */
  create(): Promise<void>;
}

/** The stores and facts that commands use. Among the commands only this file opens a store or knows which one it is. */
export interface Context {
  readonly keys: KeyAdmin;
  readonly audit: AuditLog;
  readonly usage: UsageReader;
  readonly identifiers: IdentifierReader;
  readonly indexes: Indexes;
  /** For an import, and statistics of the whole catalogue. */
  readonly db: Database;
  readonly forms: readonly FormFacts[];
  readonly allowances: Allowances;
  /** Loads the keys that a gateway would load. */
  loadRegistry(): Promise<KeyRegistry>;
  /** Opens the quotas in `REDIS_URL`, which no other member needs, and closes them after the work. */
  withQuotas<Result>(work: (quotas: SharedQuotas) => Promise<Result>): Promise<Result>;
  /** The time in epoch milliseconds; `FIXED_NOW` fixes it as it does for a gateway. */
  now(): number;
  /** The clock of usage counts, in epoch milliseconds: the machine's, also with `FIXED_NOW`. */
  usageNow(): number;
}

type Database = MongoConnection['db'];

/** Timeout of a MongoDB reply, in milliseconds: enough for a batch of writes on a slow server. */
const mongoTimeoutMs = 120_000;

/** Timeout of a Redis reply and of connecting, and the longest pause between two attempts, in milliseconds. */
const redisTimeoutMs = 2_000;
const redisConnectMs = 3_000;
const redisRetryMs = 30;

const currentTime = (): number => {
  const { fixedNow } = storeSettings();
  return (fixedNow === undefined ? systemClock() : fixedClock(fixedNow)).now();
};

const openMongoAt = (url: string): MongoConnection => {
  try {
    return openMongo(url, { socketTimeoutMS: mongoTimeoutMs, onCommand: mongodbPublisher() });
  } catch (cause) {
    // The driver's message may repeat a part of the URL, and with it a password.
    const message = 'MONGODB_URL is not usable: it must be a mongodb:// URL with the database in its path.';
    throw new UsageError(message, { cause });
  }
};

/**
 * Works with the database in `MONGODB_URL` and closes it. A failure of MongoDB rejects with one line that says what to do, an
 * unset variable with a `UsageError`.
 */
const withDatabase = async <Result>(work: (db: Database) => Promise<Result>): Promise<Result> => {
  const { mongodbUrl } = storeSettings();
  if (mongodbUrl === undefined) {
    throw new UsageError('MONGODB_URL is not set: this command needs it, with the database in its path.');
  }
  const connection = openMongoAt(mongodbUrl);
  try {
    await connection.db.command({ ping: 1 });
    return await work(connection.db);
  } catch (error) {
    const failure = describeMongoFailure(error);
    throw failure === undefined ? error : new Error(failure, { cause: error });
  } finally {
    await connection.close();
  }
};

const probe: Allowance = { subject: 'organization:probe', window: 'day', limit: 1 };

/** Resolves when Redis has answered once: the store opens without waiting for a connection. */
const untilConnected = async (
  quotas: RedisQuotas,
  deadlineIn: (ms: number) => number,
  lastError: () => string,
): Promise<void> => {
  const end = deadlineIn(redisConnectMs);
  for (;;) {
    try {
      await quotas.read(probe, deadlineIn(redisTimeoutMs));
      return;
    } catch (cause) {
      if (deadlineIn(0) < end) await wait(redisRetryMs);
      else throw new Error(`Redis cannot be reached (${lastError()}): start it, or correct REDIS_URL.`, { cause });
    }
  }
};

const withQuotas: Context['withQuotas'] = async (work) => {
  const { redisUrl } = storeSettings();
  if (redisUrl === undefined) throw new UsageError('REDIS_URL is not set: this command needs it.');
  const clock = systemClock();
  const deadlineIn = (ms: number): number => clock.elapsed() + ms;
  let lastError = 'no answer';
  const log = {
    info() {},
    warn() {},
    error(facts: object) {
      if ('reason' in facts) lastError = String(facts.reason);
    },
  };
  const { openRedisQuotas } = await import('../stores/redis/quotas.ts'); // most commands need no Redis
  const quotas = openRedisQuotas({ url: redisUrl, clock, log, timeoutMs: redisTimeoutMs });
  try {
    await untilConnected(quotas, deadlineIn, () => lastError);
    return await work({
      read: (allowance) => quotas.read(allowance, deadlineIn(redisTimeoutMs)),
      reset: (allowance) => quotas.reset(allowance, deadlineIn(redisTimeoutMs)),
    });
  } finally {
    await quotas.close();
  }
};

/** Loads keys and organizations, and prints the faults of their documents. */
const loadRegistry = async (db: Database): Promise<KeyRegistry> => {
  const records = await createMongoKeys(db, formNames).load();
  for (const { event, collection, document, reason } of records.faults ?? []) {
    note(`Gateways report: ${event}: ${collection} ${document} ${reason}`);
  }
  return createKeyRegistry(records);
};

/** Runs a command that needs MongoDB, as `withDatabase` does. */
export const withContext = <Result>(work: (context: Context) => Promise<Result>): Promise<Result> =>
  withDatabase((db) =>
    work({
      keys: createMongoKeyAdmin(db),
      audit: createMongoAuditLog(db),
      usage: createMongoUsageReader(db),
      identifiers: createMongoIdentifiers(db),
      indexes: { needed: neededIndexes, missing: () => missingIndexes(db), create: () => createIndexes(db) },
      db,
      forms,
      allowances: createAllowances(forms),
      loadRegistry: () => loadRegistry(db),
      withQuotas,
      now: currentTime,
      usageNow: () => systemClock().now(),
    }),
  );
