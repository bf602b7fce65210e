import { hostname } from 'node:os';
import type { ImportDatabase } from '../stores/mongodb/import.ts';
import { acquireLease, type Lease } from '../stores/mongodb/lease.ts';

export type { Lease };

export interface Importer {
  /** Who imports, for the message to another one. */
  readonly actor: string;
  /** The machine's clock in epoch milliseconds. */
  readonly machineNow: () => number;
}

/** Works while no other import writes to the database. Rejects with one line that says who imports, when somebody does. */
export const withImportLease = async <Result>(
  db: ImportDatabase,
  { actor, machineNow }: Importer,
  work: (lease: Lease) => Promise<Result>,
): Promise<Result> => {
  const holder = `${actor} on ${hostname()}, process ${process.pid}`;
  const lease = await acquireLease(db, { name: 'import', holder, machineNow });
  try {
    return await work(lease);
  } finally {
    await lease.release();
  }
};
