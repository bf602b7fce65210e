import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { OperatorDatabase } from '../../adapters/stores/database.ts';

/** A lock that expires: only one import at a time writes. */
export interface Lease {
  confirm(): Promise<void>;
}

export interface Importer {
  readonly actor: string;
  /** The machine's clock in epoch milliseconds, for a database that does not report its own. */
  readonly machineNow: () => number;
}

type LeaseDatabase = Pick<OperatorDatabase, 'documents' | 'leases' | 'now'>;

/** Duration of a lease without a renewal, and the interval of renewals, in milliseconds. */
const leaseMs = 30_000;
const renewalMs = 5_000;

const id = 'import';

const textOf = (value: unknown): string =>
  value instanceof Date ? value.toISOString() : String(value);

const refuseHeld = async (
  { documents }: Pick<LeaseDatabase, 'documents'>,
  now: number,
): Promise<void> => {
  for await (const { holder, acquired_at, expires_at } of documents.find('leases', {
    where: { _id: [id] },
  }))
    if (expires_at instanceof Date && expires_at.getTime() > now)
      throw new Error(
        `Another import is running (${textOf(holder)}, since ${textOf(acquired_at)}): nothing was done. Run this again when it has ended.`,
      );
};

const newestImport = async ({
  documents,
}: Pick<LeaseDatabase, 'documents'>): Promise<string | undefined> => {
  const newest = { members: ['at'], order: ['at', '_id'], last: 1 };
  for await (const { _id } of documents.find('import_log', newest)) return String(_id);
  return undefined;
};

/**
 * Reads while no import writes to the database, without a lease: a reader may lack the right to
 * store one. Rejects if an import runs before or after, or ran in the meantime.
 */
export const betweenImports = async <Result>(
  database: Pick<LeaseDatabase, 'documents' | 'now'>,
  machineNow: Importer['machineNow'],
  read: () => Promise<Result>,
): Promise<Result> => {
  const observe = async () => {
    await refuseHeld(database, (await database.now()) ?? machineNow());
    return newestImport(database);
  };
  const before = await observe();
  const result = await read();
  if ((await observe()) !== before)
    throw new Error('An import ran during the export: run this again.');
  return result;
};

/**
 * Runs `work` while no other import writes to the database. Rejects if another import has the
 * lease, which expires 30 seconds after its last renewal.
 */
export const withImportLease = async <Result>(
  database: LeaseDatabase,
  { actor, machineNow }: Importer,
  work: (lease: Lease) => Promise<Result>,
): Promise<Result> => {
  const { leases } = database;
  // The database's time, so that clocks of the machines that import do not matter.
  const time = async (): Promise<number> => (await database.now()) ?? machineNow();
  const [token, holder] = [randomUUID(), `${actor} on ${hostname()}, process ${process.pid}`];
  const take = async (): Promise<boolean> => {
    const now = await time();
    const [acquired_at, expires_at] = [new Date(now), new Date(now + leaseMs)];
    return leases.take({ _id: id, token, holder, acquired_at, expires_at });
  };
  // a second attempt: the other import may have ended before its name was read
  while (!(await take())) await refuseHeld(database, await time());
  const renew = async (): Promise<boolean> =>
    leases.renew(id, token, new Date((await time()) + leaseMs));
  // A renewal that fails is not the end: the next one, or `confirm`, tries again.
  const timer = setInterval(() => void renew().catch(() => {}), renewalMs).unref();
  try {
    return await work({
      async confirm() {
        if (!(await renew()))
          throw new Error('Another import began in the meantime: this one stopped. Run it again.');
      },
    });
  } finally {
    clearInterval(timer);
    await leases.release(id, token);
  }
};
