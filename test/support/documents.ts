import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Db } from 'mongodb';
import { z } from 'zod';
import { fixtureFolder } from '../../src/runtime/folders.ts';

export const collections = ['artists', 'history', 'labels', 'organizations', 'api_keys'] as const;
export type CollectionName = (typeof collections)[number];
export type StoredDocument = Record<string, unknown>;
export type StoredDocuments = Record<CollectionName, StoredDocument[]>;

const documentList = z.array(z.record(z.string(), z.unknown()));

const read = (name: CollectionName): StoredDocument[] =>
  documentList.parse(JSON.parse(readFileSync(join(fixtureFolder, `${name}.json`), 'utf8')));

/** Reads the documents of the example catalogue, as new copies each time. */
export const readFixtures = (): StoredDocuments => ({
  artists: read('artists'),
  history: read('history'),
  labels: read('labels'),
  organizations: read('organizations'),
  api_keys: read('api_keys'),
});

/** The text of a demo key of the example catalogue. */
export const demoKey = (id: string): string => {
  const text = read('api_keys').find(({ _id }) => _id === id)?.['demo_key'];
  if (typeof text !== 'string') throw new Error(`there is no demo key ${id}`);
  return text;
};

const instantMember = /_at$/;
const instantText = /^\d{4}-\d{2}-\d{2}T/;

/** Converts a document to how MongoDB stores it: instants are dates. */
export const toBson = (document: StoredDocument): StoredDocument =>
  Object.fromEntries(
    Object.entries(document).map(([name, value]) => [
      name,
      typeof value === 'string' && instantMember.test(name) && instantText.test(value)
        ? new Date(value)
        : value,
    ]),
  );

/** Replaces all collections by these documents, without the text of demo keys. */
export const insertDocuments = async (
  db: Db,
  documents: Partial<StoredDocuments>,
): Promise<void> => {
  for (const name of collections) {
    const list = (documents[name] ?? []).map(({ demo_key: _text, ...document }) =>
      toBson(document),
    );
    await db.collection(name).deleteMany({});
    if (list.length > 0) await db.collection(name).insertMany(list);
  }
};
