import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { OperatorDatabase } from '../stores/database.ts';
import type { StoredDocument } from '../stores/documents/stored-document.ts';
import { hasEnded, thisProcess } from './lease-holder.ts';

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
  /** Is told in one line when the lease was another import's that has died. */
  readonly onTakeOver: (message: string) => void;
  /** Takes the lease also from an import that renews it. */
  readonly takeOver?: boolean;
}

type LeaseDatabase = Pick<OperatorDatabase, 'documents' | 'leases' | 'now'>;

/**
 * How long a lease lasts without a renewal, and how often it is renewed, milliseconds. An import renews it also before each
 * batch, so that one that was stopped for longer writes nothing after another has begun.
 */
const leaseMs = 30_000;
const renewalMs = 5_000;

const id = 'import';

const textOf = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value));

const storedLease = async ({ documents }: Pick<LeaseDatabase, 'documents'>): Promise<StoredDocument | undefined> => {
  for await (const lease of documents.find('leases', { where: { _id: [id] } })) return lease;
  return undefined;
};

const describeHolder = ({ holder, acquired_at }: StoredDocument): string =>
  `${textOf(holder)}, since ${textOf(acquired_at)}`;

/** How long a lease still lasts, in whole seconds; negative when it has expired, NaN when it does not say. */
const secondsLeft = ({ expires_at }: StoredDocument, now: number): number =>
  expires_at instanceof Date ? Math.ceil((expires_at.getTime() - now) / 1000) : Number.NaN;

/** Clocks differ, where the database does not tell the time. */
const maxAheadMs = 60_000;

/** Whether a stored lease is one that an import stores, and none that ends in the year 9999. */
const isOfImport = ({ expires_at }: StoredDocument, now: number): boolean =>
  expires_at instanceof Date && expires_at.getTime() <= now + leaseMs + maxAheadMs;

const refusal = (held: StoredDocument | undefined, now: number): string => {
  if (held === undefined) return 'Another import ended just now: nothing was written. Run it again.';
  if (!isOfImport(held, now))
    return `The lock of imports was not stored by an import (expires_at is ${textOf(held['expires_at'])}): nothing was written. When no import runs, run it again with --take-over.`;
  const wait = `if it has died, its lock is free in ${secondsLeft(held, now)} s`;
  return `Another import is running (${describeHolder(held)}): nothing was written. Try again when it has ended; ${wait}.`;
};

/** Why a lease could be taken from its holder; `undefined` when there was none, or it gave the lease back meanwhile. */
const takenOver = (former: StoredDocument | undefined, now: number): string | undefined => {
  if (former === undefined) return undefined;
  const silentSeconds = leaseMs / 1000 - secondsLeft(former, now);
  const reason = hasEnded(former) ? 'its process has ended' : `nobody renewed it for ${silentSeconds} s`;
  if (!hasEnded(former) && !(secondsLeft(former, now) <= 0)) return undefined;
  return `Took over the lock of another import (${describeHolder(former)}): ${reason}.`;
};

/**
 * Works while no other import writes to the database. The lease is renewed until the work ends. That of a process which has
 * ended on this machine is taken over at once, any other one 30 seconds after its last renewal, and with `takeOver` whoever has
 * it: an import that has it then stops before its next batch. Rejects with one line that says who imports, when somebody does.
 */
export const withImportLease = async <Result>(
  database: LeaseDatabase,
  { actor, machineNow, onTakeOver, takeOver = false }: Importer,
  work: (lease: Lease) => Promise<Result>,
): Promise<Result> => {
  const { leases } = database;
  // The database's time, so that clocks of the machines that import do not matter.
  const time = async (): Promise<number> => (await database.now()) ?? machineNow();
  const [token, holder] = [randomUUID(), `${actor} on ${hostname()}, process ${process.pid}`];
  if (takeOver) await database.documents.remove('leases', [id]);
  const former = await storedLease(database);
  const now = await time();
  const [acquired_at, expires_at] = [new Date(now), new Date(now + leaseMs)];
  const lease = { _id: id, token, holder, ...thisProcess(), acquired_at, expires_at };
  if (!(await leases.take(lease, former !== undefined && hasEnded(former) ? former['token'] : undefined)))
    throw new Error(refusal(await storedLease(database), now));
  const message = takenOver(former, now);
  if (message !== undefined) onTakeOver(message);
  const renew = async (): Promise<boolean> => leases.renew(id, token, new Date((await time()) + leaseMs));
  // A renewal that fails is not the end: the next one, or `confirm`, tries again.
  const timer = setInterval(() => void renew().catch(() => {}), renewalMs).unref();
  try {
    return await work({
      async confirm() {
        if (await renew()) return;
        const held = await storedLease(database);
        const other = held === undefined ? 'and has ended' : `(${describeHolder(held)})`;
        throw new Error(`Another import began meanwhile ${other}: this one stopped. Run it again later.`);
      },
    });
  } finally {
    clearInterval(timer);
    await leases.release(id, token);
  }
};
