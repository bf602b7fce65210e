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

const describeHolder = async ({ documents }: Pick<OperatorDatabase, 'documents'>): Promise<string> => {
  for await (const { holder, acquired_at, expires_at } of documents.find('leases', { where: { _id: [id] } }))
    return `${textOf(holder)}, since ${textOf(acquired_at)}, until ${textOf(expires_at)} unless it goes on`;
  return 'just now';
};

/**
 * Works while no other import writes to the database. The lease is renewed until the work ends; a process that dies leaves it
 * for at most 150 seconds. Rejects with one line that says who imports, when somebody does.
 *
 * @param importer who imports, and the machine's clock in epoch milliseconds, for a database that does not tell its own
 */
export const withImportLease = async <Result>(
  database: Pick<OperatorDatabase, 'documents' | 'leases' | 'now'>,
  { actor, machineNow }: { readonly actor: string; readonly machineNow: () => number },
  work: (lease: Lease) => Promise<Result>,
): Promise<Result> => {
  const { leases } = database;
  // The database's time, so that clocks of the machines that import do not matter.
  const expiry = async () => new Date(((await database.now()) ?? machineNow()) + leaseMs);
  const [token, holder] = [randomUUID(), `${actor} on ${hostname()}, process ${process.pid}`];
  const expires_at = await expiry();
  const acquired_at = new Date(expires_at.getTime() - leaseMs);
  if (!(await leases.take({ _id: id, token, holder, acquired_at, expires_at }))) {
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
