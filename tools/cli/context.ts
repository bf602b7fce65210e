import { setTimeout as wait } from 'node:timers/promises';
import { formNames } from '../../adapters/forms/forms.ts';
import type { OperatorDatabase } from '../../adapters/stores/database.ts';
import { loadDatabase, loadSharedQuotas } from '../../adapters/stores/load-stores.ts';
import type { SharedQuotaStore } from '../../adapters/stores/shared-quotas.ts';
import type { Allowance } from '../../src/domain/caller.ts';
import { formatDuration } from '../../src/domain/quantities.ts';
import type { KeySource, QuotaStatus } from '../../src/ports.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { maxClockMs } from '../../src/runtime/clock-watch.ts';
import { noLog } from '../../src/runtime/no-log.ts';
import { explainFailure } from '../../src/runtime/store-error.ts';
import { createAuditLog } from '../operator/audit-log.ts';
import { createIdentifierReader } from '../operator/identifiers.ts';
import { createImportLog } from '../operator/import-log.ts';
import { createKeyAdmin, type KeyAdmin } from '../operator/key-admin.ts';
import { createUsageReader } from '../operator/usage.ts';
import {
  createKeyRegistry,
  type KeyRegistry,
  unreadableOrganizationIds,
} from './resolve-subject.ts';
import { storeSettings } from './settings.ts';
import { note, UsageError } from './terminal/messages.ts';

export interface QuotaCounts {
  /** The status of the current window; consumes nothing. */
  read(allowance: Allowance): Promise<QuotaStatus>;
  reset(allowance: Allowance): Promise<void>;
}

/**
 * Timeout of a database's reply, in milliseconds: enough for a batch of writes on a slow server.
 */
const databaseTimeoutMs = 120_000;

/**
 * Timeout of a Redis reply and of connecting, and the longest pause between two attempts, in
 * milliseconds.
 */
const redisTimeoutMs = 2_000;
const redisConnectMs = 3_000;
const redisRetryMs = 30;

const probe: Allowance = { subject: 'organization:probe', window: 'day', limit: 1 };

/** Resolves when Redis has answered once: the store opens without waiting for a connection. */
const untilConnected = async (
  quotas: SharedQuotaStore,
  deadlineIn: (ms: number) => number,
): Promise<void> => {
  const end = deadlineIn(redisConnectMs);
  for (;;) {
    try {
      await quotas.read(probe, deadlineIn(redisTimeoutMs));
      return;
    } catch (cause) {
      if (deadlineIn(0) < end) await wait(redisRetryMs);
      else {
        const { reason, remedy } = explainFailure(cause, 'REDIS_URL');
        throw new Error(`Redis cannot be reached (${reason}): ${remedy}.`, { cause });
      }
    }
  }
};

/** Opens the quotas in `REDIS_URL`, and closes them after the work. */
export const withQuotas = async <Result>(
  work: (quotas: QuotaCounts) => Promise<Result>,
): Promise<Result> => {
  const { redisUrl } = storeSettings();
  if (redisUrl === undefined) throw new UsageError('REDIS_URL is not set: this command needs it.');
  const clock = systemClock();
  const deadlineIn = (ms: number): number => clock.elapsed() + ms;
  const { open } = await loadSharedQuotas();
  const quotas = open({
    url: redisUrl,
    clock,
    log: noLog,
    timeoutMs: redisTimeoutMs,
  });
  const forSubject = async <Reply>({ subject }: Allowance, reply: Promise<Reply>) => {
    try {
      return await reply;
    } catch (cause) {
      const { reason, remedy } = explainFailure(cause, 'REDIS_URL');
      throw new Error(`Redis cannot count for ${subject} (${reason}): ${remedy}.`, { cause });
    }
  };
  try {
    await untilConnected(quotas, deadlineIn);
    return await work({
      read: (allowance) =>
        forSubject(allowance, quotas.read(allowance, deadlineIn(redisTimeoutMs))),
      reset: (allowance) =>
        forSubject(allowance, quotas.reset(allowance, deadlineIn(redisTimeoutMs))),
    });
  } finally {
    await quotas.close();
  }
};

const loadRegistry = async (source: KeySource, admin: KeyAdmin): Promise<KeyRegistry> => {
  const records = await source.load();
  for (const { event, collection, document, reason } of records.faults ?? []) {
    note(`Gateways report: ${event}: ${collection} ${document} ${reason}`);
  }
  const ids = unreadableOrganizationIds(records);
  const unreadable = ids.map(async (id) => {
    const { name, ended } = (await admin.organizationAccess(id)) ?? {};
    return { id, name, ended };
  });
  return createKeyRegistry(records, await Promise.all(unreadable));
};

/** What commands use of a database. Among the commands only this file and `doctor` open a store. */
const createContext = (database: OperatorDatabase, aheadMs: number) => {
  const { documents } = database;
  const audit = createAuditLog(documents);
  const keys = createKeyAdmin(documents, audit, formNames);
  return {
    keys,
    audit,
    imports: createImportLog(documents),
    usage: createUsageReader(documents),
    identifiers: createIdentifierReader(documents),
    database,
    loadRegistry: () => loadRegistry(database.keys, keys),
    /** The database's time in epoch milliseconds; `FIXED_NOW` fixes it as it does for a gateway. */
    now: (): number => storeSettings().fixedNow ?? systemClock().now() + aheadMs,
    /** The clock of usage counts, in epoch milliseconds: the machine's, also with `FIXED_NOW`. */
    usageNow: () => systemClock().now(),
  };
};

/** Milliseconds by which the database's clock is ahead. A difference above 2 s is printed. */
const readAhead = async (database: OperatorDatabase): Promise<number> => {
  const { now } = systemClock();
  const sentAt = now();
  const time = await database.now();
  if (time === undefined) return 0;
  const aheadMs = time - (sentAt + now()) / 2;
  if (Math.abs(aheadMs) <= maxClockMs) return aheadMs;
  const distance = `${formatDuration(Math.abs(aheadMs))} ${aheadMs < 0 ? 'ahead of' : 'behind'}`;
  note(
    `This machine's clock is ${distance} MongoDB's, which counts here: synchronise both with NTP.`,
  );
  return aheadMs;
};

export type Context = ReturnType<typeof createContext>;

/**
 * Works with the database in `MONGODB_URL` and closes it. A failure of the database rejects with
 * one line that says what to do, an unset variable with a `UsageError`.
 */
export const withContext = async <Result>(
  work: (context: Context) => Promise<Result>,
): Promise<Result> => {
  const { mongodbUrl } = storeSettings();
  if (mongodbUrl === undefined) {
    throw new UsageError(
      'MONGODB_URL is not set: this command needs it, with the database in its path.',
    );
  }
  const { openOperator } = await loadDatabase(mongodbUrl);
  const database = openOperator(mongodbUrl, { formNames, timeoutMs: databaseTimeoutMs });
  try {
    // rejects before the command has done anything when the database cannot be reached
    return await work(createContext(database, await readAhead(database)));
  } catch (error) {
    const failure = database.describeFailure(error);
    throw failure === undefined ? error : new Error(failure, { cause: error });
  } finally {
    await database.close();
  }
};
