import { randomUUID } from 'node:crypto';
import type { Collection, Db } from 'mongodb';
import { isDuplicate } from './errors.ts';

/** A right that one process at a time has. It ends by itself unless it is renewed. */
export interface Lease {
  /** Rejects when another process took the lease meanwhile. */
  confirm(): Promise<void>;
  release(): Promise<void>;
}

export interface LeaseOptions {
  /** What the lease is for; the id of its document. */
  readonly name: string;
  /** Who asks for it, for others to read. */
  readonly holder: string;
  /** The machine's clock in epoch milliseconds, for a database that does not tell its own. */
  readonly machineNow: () => number;
}

interface LeaseDocument {
  readonly _id: string;
  readonly token: string;
  readonly holder: string;
  readonly acquired_at: Date;
  readonly expires_at: Date;
}

/** How long a lease lasts, and how often it is renewed, milliseconds. It outlasts the longest reply (120 s). */
const leaseMs = 150_000;
const renewalMs = 30_000;

/** The time of the database's clock, so that clocks of the machines that use it do not matter. */
const databaseNow = async (db: Db, machineNow: () => number): Promise<number> => {
  const { localTime } = await db.command({ hello: 1 });
  return localTime instanceof Date ? localTime.getTime() : machineNow();
};

const describeHolder = (held: LeaseDocument | null): string =>
  held === null
    ? 'just now'
    : `${held.holder}, since ${held.acquired_at.toISOString()}, until ${held.expires_at.toISOString()} unless it goes on`;

/** Takes a lease that nobody has, or whose time is over. Rejects with one line that says who has it. */
const take = async (leases: Collection<LeaseDocument>, lease: LeaseDocument): Promise<void> => {
  const { _id, ...members } = lease;
  try {
    // The unique _id refuses the insertion while the stored lease lasts.
    await leases.updateOne({ _id, expires_at: { $lte: lease.acquired_at } }, { $set: members }, { upsert: true });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const held = await leases.findOne({ _id });
    throw new Error(
      `Another ${_id} is running (${describeHolder(held)}): nothing was written. Try again when it has ended.`,
      {
        cause: error,
      },
    );
  }
};

/** Acquires a lease and keeps renewing it until it is released. A process that dies leaves it for at most 150 seconds. */
export const acquireLease = async (db: Db, { name, holder, machineNow }: LeaseOptions): Promise<Lease> => {
  const leases = db.collection<LeaseDocument>('leases');
  const token = randomUUID();
  const acquired = await databaseNow(db, machineNow);
  const [acquired_at, expires_at] = [new Date(acquired), new Date(acquired + leaseMs)];
  await take(leases, { _id: name, token, holder, acquired_at, expires_at });

  const renew = async (): Promise<boolean> => {
    const expires = new Date((await databaseNow(db, machineNow)) + leaseMs);
    const { matchedCount } = await leases.updateOne({ _id: name, token }, { $set: { expires_at: expires } });
    return matchedCount === 1;
  };
  // A renewal that fails is not the end: the next one, or `confirm`, tries again.
  const timer = setInterval(() => void renew().catch(() => {}), renewalMs).unref();
  return {
    async confirm() {
      if (await renew()) return;
      const held = await leases.findOne({ _id: name });
      throw new Error(
        `Another ${name} began meanwhile (${describeHolder(held)}): this one stopped. Run it again later.`,
      );
    },
    async release() {
      clearInterval(timer);
      await leases.deleteOne({ _id: name, token });
    },
  };
};
