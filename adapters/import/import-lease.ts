import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { OperatorDatabase } from '../stores/database.ts';

/** A right to write that one import at a time has. */
export interface Lease {
  /** Renews it. Rejects when another import took it meanwhile. */
  confirm(): Promise<void>;
}

/** How long a lease lasts, and how often it is renewed, milliseconds. It outlasts the longest reply (120 s). */
const leaseMs = 150_000;
const renewalMs = 30_000;

const id = 'import';

const textOf = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value));

/** Clocks differ, where the database does not tell the time. */
const maxAheadMs = 60_000;

/** Why a stored lease is not what an import stores, such as one that ends in the year 9999; `undefined` when it is. */
const describeForeign = async (
  { documents }: Pick<OperatorDatabase, 'documents'>,
  now: number,
): Promise<string | undefined> => {
  for await (const { expires_at: until } of documents.find('leases', { where: { _id: [id] } })) {
    if (until instanceof Date && until.getTime() <= now + leaseMs + maxAheadMs) return undefined;
    return `The lock of imports was not stored by an import (expires_at is ${textOf(until)}): nothing was written. When no import runs, run it again with --take-over.`;
  }
  return undefined;
};

const describeHolder = async ({ documents }: Pick<OperatorDatabase, 'documents'>): Promise<string> => {
  for await (const { holder, acquired_at, expires_at } of documents.find('leases', { where: { _id: [id] } }))
    return `${textOf(holder)}, since ${textOf(acquired_at)}, until ${textOf(expires_at)} unless it goes on`;
  return 'just now';
};

/**
 * Works while no other import writes to the database. The lease is renewed until the work ends; a process that dies leaves it
 * for at most 150 seconds. Rejects with one line that says who imports, when somebody does.
 *
 * @param importer who imports; the machine's clock in epoch milliseconds, for a database that does not tell its own; and
 *   whether to take the lease whoever has it: an import that has it then stops before its next batch
 */
export const withImportLease = async <Result>(
  database: Pick<OperatorDatabase, 'documents' | 'leases' | 'now'>,
  importer: { readonly actor: string; readonly machineNow: () => number; readonly takeOver?: boolean },
  work: (lease: Lease) => Promise<Result>,
): Promise<Result> => {
  const { leases } = database;
  const { actor, machineNow, takeOver = false } = importer;
  // The database's time, so that clocks of the machines that import do not matter.
  const expiry = async () => new Date(((await database.now()) ?? machineNow()) + leaseMs);
  const [token, holder] = [randomUUID(), `${actor} on ${hostname()}, process ${process.pid}`];
  const expires_at = await expiry();
  const acquired_at = new Date(expires_at.getTime() - leaseMs);
  if (takeOver) await database.documents.remove('leases', [id]);
  if (!(await leases.take({ _id: id, token, holder, acquired_at, expires_at }))) {
    const foreign = await describeForeign(database, acquired_at.getTime());
    if (foreign !== undefined) throw new Error(foreign);
    const held = await describeHolder(database);
    throw new Error(`Another import is running (${held}): nothing was written. Try again when it has ended.`);
  }
  const renew = async (): Promise<boolean> => leases.renew(id, token, await expiry());
  // A renewal that fails is not the end: the next one, or `confirm`, tries again.
  const timer = setInterval(() => void renew().catch(() => {}), renewalMs).unref();
  try {
    return await work({
      async confirm() {
        if (await renew()) return;
        const held = await describeHolder(database);
        throw new Error(`Another import began meanwhile (${held}): this one stopped. Run it again later.`);
      },
    });
  } finally {
    clearInterval(timer);
    await leases.release(id, token);
  }
};
