import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type DocumentStore,
  maxAheadMs,
  type OperatorDatabase,
} from '../../adapters/stores/database.ts';
import type { StoredDocument } from '../../adapters/stores/documents/stored-document.ts';
import { inBatches } from '../../src/domain/groups.ts';
import { collections } from './input-files.ts';
import { writtenBy } from './to-stored.ts';

/** A lock that expires: one import at a time writes. */
export interface Lease {
  /** Renews it. Rejects when another import took it meanwhile. */
  confirm(): Promise<void>;
  /**
   * Makes all documents this import's when the one before it was not released, so that its commands
   * which are still on their way find none. Resolves to how many were not yet: those are to be
   * compared again.
   */
  claim(): Promise<number>;
  /** Leaves it to expire, because the outcome of a command is not known. */
  abandon(): void;
}

/** Who imports. */
export interface Importer {
  readonly actor: string;
  /** The machine's clock in epoch milliseconds, for a database that does not report its own. */
  readonly machineNow: () => number;
  /** Receives once, in one line, whose import this one waits for. */
  readonly onWait: (message: string) => void;
  /** Ends the wait with its reason. */
  readonly interruption: AbortSignal;
}

type LeaseDatabase = Pick<OperatorDatabase, 'documents' | 'leases' | 'now'>;

/**
 * How long a lease lasts without a renewal, how often it is renewed, and how often another import
 * asks for it, milliseconds. An import also confirms it before each command, so that one that stood
 * still for longer writes nothing after another has begun.
 */
const leaseMs = 30_000;
const renewalMs = 5_000;
const retryMs = 500;

const id = 'import';

const holderText = (value: unknown): string =>
  value instanceof Date ? value.toISOString() : String(value);

const describeHolder = async ({ documents }: Pick<LeaseDatabase, 'documents'>): Promise<string> => {
  for await (const { holder, acquired_at } of documents.find('leases', { where: { _id: [id] } }))
    return `${holderText(holder)}, since ${holderText(acquired_at)}`;
  return 'which has ended';
};

/** The documents of one command of a claim. */
const claimSize = 200;

const claimAll = async (
  documents: DocumentStore,
  token: string,
  interruption: AbortSignal,
): Promise<number> => {
  let claimed = 0;
  for (const name of collections) {
    const others: StoredDocument[] = [];
    for await (const one of documents.find(name, { members: [writtenBy] })) {
      interruption.throwIfAborted();
      if (one[writtenBy] !== token) others.push({ _id: one['_id'] });
    }
    for (const some of inBatches(others, claimSize)) {
      interruption.throwIfAborted();
      claimed += await documents.update(
        name,
        some.map(({ _id }) => ({ _id, document: { [writtenBy]: token } })),
      );
    }
  }
  return claimed;
};

/** Whether an import has the lease at this time, by the rule of `Leases.take`. */
const isHeld = async (documents: DocumentStore, now: number): Promise<boolean> => {
  for await (const { expires_at: end } of documents.find('leases', { where: { _id: [id] } }))
    if (end instanceof Date)
      return end.getTime() > now && end.getTime() <= now + leaseMs + maxAheadMs;
  return false;
};

/** The artists and labels that are stored, each with the import that wrote it last. */
const readVersions = async (documents: DocumentStore): Promise<ReadonlySet<string>> => {
  const versions = new Set<string>();
  for (const collection of ['artists', 'labels'] as const)
    for await (const one of documents.find(collection, { members: [writtenBy] }))
      versions.add(`${collection} ${String(one['_id'])} ${String(one[writtenBy])}`);
  return versions;
};

/**
 * Reads while no import writes to the database, without a lease: who only reads may store none.
 * Rejects when an import has the lease before or after, or wrote artists or labels meanwhile.
 */
export const betweenImports = async <Result>(
  database: Pick<LeaseDatabase, 'documents' | 'now'>,
  machineNow: Importer['machineNow'],
  read: () => Promise<Result>,
): Promise<Result> => {
  const { documents } = database;
  const refuseHeld = async (): Promise<void> => {
    if (!(await isHeld(documents, (await database.now()) ?? machineNow()))) return;
    throw new Error(
      `An import is writing (${await describeHolder(database)}): run this again when it has ended.`,
    );
  };
  await refuseHeld();
  const before = await readVersions(documents);
  const result = await read();
  await refuseHeld();
  const after = await readVersions(documents);
  if (after.size !== before.size || [...after].some((version) => !before.has(version)))
    throw new Error('Artists or labels were changed while they were read: run this again.');
  return result;
};

/**
 * Works while no other import writes to the database, and first waits until that is so: for an
 * import that has died 30 seconds after its last renewal. A lease that no import stores, such as
 * one that ends in the year 9999, counts as none.
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
  const take = async () => {
    const now = await time();
    return leases.take({
      _id: id,
      token,
      holder,
      acquired_at: new Date(now),
      expires_at: new Date(now + leaseMs),
    });
  };
  let taken = await take();
  for (let isAnnounced = false; taken === 'held'; isAnnounced = true) {
    if (!isAnnounced) onWait(`Waiting for another import (${await describeHolder(database)}).`);
    await wait(retryMs);
    interruption.throwIfAborted();
    taken = await take();
  }
  const renew = async (): Promise<boolean> =>
    leases.renew(id, token, new Date((await time()) + leaseMs));
  // A renewal that fails is not the end: the next one, or `confirm`, tries again.
  const timer = setInterval(() => void renew().catch(() => {}), renewalMs).unref();
  let isAbandoned = false;
  const claim = async (): Promise<number> => {
    if (taken !== 'expired') return 0;
    isAbandoned = true; // the next import has to claim what this one does not
    const claimed = await claimAll(database.documents, token, interruption);
    isAbandoned = false;
    return claimed;
  };
  try {
    // also where the input is refused: the next import finds a lease that was released
    await claim();
    return await work({
      claim,
      abandon() {
        isAbandoned = true;
      },
      async confirm() {
        if (await renew()) return;
        const other = await describeHolder(database);
        throw new Error(
          `Another import began meanwhile (${other}): this one stopped. Run it again later.`,
        );
      },
    });
  } finally {
    clearInterval(timer);
    if (!isAbandoned) await leases.release(id, token);
  }
};
