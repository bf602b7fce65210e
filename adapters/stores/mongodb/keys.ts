import type { Db, Document } from 'mongodb';
import type { KeyRecords, KeySource, Log, RejectedDocument } from '../../../src/ports.ts';
import { createKeyParser, parseOrganization } from '../documents/key-documents.ts';
import { formatIssue, type Parsed } from '../documents/parse-result.ts';
import { maxTimeMS, readTwice } from './connection.ts';

const readAll = async <Model>(
  db: Db,
  collection: string,
  parse: (document: Document) => Parsed<Model>,
  rejected: RejectedDocument[],
): Promise<Model[]> => {
  const models: Model[] = [];
  for await (const document of db.collection(collection).find({}, { sort: { _id: 1 }, maxTimeMS })) {
    const parsed = parse(document);
    if ('model' in parsed) models.push(parsed.model);
    else rejected.push({ collection, document: String(document['_id']), reason: formatIssue(parsed.issue) });
  }
  return models;
};

export interface MongoKeysOptions {
  /** The forms that keys may be pinned to. */
  readonly formNames: readonly string[];
  readonly log: Log;
}

/**
 * Creates the source of keys and organizations in MongoDB. A document that cannot be parsed is left out, and logged once until
 * it changes. `load` rejects when reading fails twice.
 */
export const createMongoKeys = (db: Db, { formNames, log }: MongoKeysOptions): KeySource => {
  const parseKey = createKeyParser(formNames);
  /** Refuses demo keys: their texts are published with the gateway, and this database serves real partners. */
  const parseRealKey = (document: Document): ReturnType<typeof parseKey> =>
    'demo_key' in document
      ? { issue: { path: 'demo_key', message: 'demo keys are refused here' } }
      : parseKey(document);
  let last: { readonly text: string; readonly records: KeyRecords } | undefined;
  let reported = new Set<string>();

  const report = (rejected: readonly RejectedDocument[]): void => {
    const texts = new Set(rejected.map((rejection) => JSON.stringify(rejection)));
    for (const rejection of rejected) {
      if (!reported.has(JSON.stringify(rejection))) log.warn({ ...rejection }, 'document left out');
    }
    reported = texts;
  };

  const load = async (): Promise<KeyRecords> => {
    const rejected: RejectedDocument[] = [];
    const [organizations, keys] = await Promise.all([
      readAll(db, 'organizations', parseOrganization, rejected),
      readAll(db, 'api_keys', parseRealKey, rejected),
    ]);
    const known = new Set(organizations.map(({ id }) => id));
    for (const { id, organizationId } of keys) {
      if (known.has(organizationId)) continue;
      const reason = `organization_id: there is no organization ${organizationId}`;
      rejected.push({ collection: 'api_keys', document: id, reason });
    }
    report(rejected);
    const records = { keys, organizations };
    const text = JSON.stringify(records);
    if (last?.text !== text) last = { text, records };
    return last.records;
  };

  return { load: () => readTwice(load) };
};
