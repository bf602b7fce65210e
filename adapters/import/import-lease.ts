import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OperatorDatabase } from '../stores/database.ts';

/** A lock that expires: one import at a time writes. */
export interface Lease {
  /** Renews it. Rejects when another import took it meanwhile. */
  confirm(): Promise<void>;
}

/** Who imports. */
export interface Importer {
  readonly actor: string;
  /** The machine's clock in epoch milliseconds, for a database that does not tell its own. */
  readonly machineNow: () => number;
  /** Is told once, in one line, whose import it waits for. */
  readonly onWait: (message: string) => void;
  /** Ends the wait with its reason. */
  readonly interruption: AbortSignal;
}

type LeaseDatabase = Pick<OperatorDatabase, 'documents' | 'leases' | 'now'>;

/**
 * How long a lease lasts without a renewal, how often it is renewed, and how often another import asks for it, milliseconds. An
 * import also confirms it before each command, so that one that stood still for longer writes nothing after another has begun.
 */
const leaseMs = 30_000;
const renewalMs = 5_000;
const retryMs = 500;

const id = 'import';

const textOf = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value));

const describeHolder = async ({ documents }: Pick<LeaseDatabase, 'documents'>): Promise<string> => {
  for await (const { holder, acquired_at } of documents.find('leases', { where: { _id: [id] } }))
    return `${textOf(holder)}, since ${textOf(acquired_at)}`;
  return 'which has ended';
};

/**
 * Works while no other import writes to the database, and first waits until that is so: for an import that has died 30 seconds
 * after its last renewal. A lease that no import stores, such as one that ends in the year 9999, counts as none.
 */
export const withImportLease = async <Result>(
  database: LeaseDatabase,
  { actor, machineNow, onWait, interruption }: Importer,
  work: (lease: Lease) => Promise<Result>,
): Promise<Result> => {
  const { leases } = database;
  // The database's time, so that clocks of the machines that import do not matter.
  const time = async (): Promise<number> => (await database.now()) ?? machineNow();
  const [token, holder] = [randomUUID(), `${actor} on ${hostname()}, process ${process.pid}`];
  const take = async (): Promise<boolean> => {
    const now = await time();
    return leases.take({ _id: id, token, holder, acquired_at: new Date(now), expires_at: new Date(now + leaseMs) });
  };
  for (let isTold = false; !(await take()); isTold = true) {
    if (!isTold) onWait(`Waiting for another import (${await describeHolder(database)}).`);
    await sleep(retryMs);
    interruption.throwIfAborted();
  }
  const renew = async (): Promise<boolean> => leases.renew(id, token, new Date((await time()) + leaseMs));
  // A renewal that fails is not the end: the next one, or `confirm`, tries again.
  const timer = setInterval(() => void renew().catch(() => {}), renewalMs).unref();
  try {
    return await work({
      async confirm() {
        if (await renew()) return;
        const other = await describeHolder(database);
        throw new Error(`Another import began meanwhile (${other}): this one stopped. Run it again later.`);
      },
    });
  } finally {
    clearInterval(timer);
    await leases.release(id, token);
  }
};
