import type { Db } from 'mongodb';
import type { DocumentFault } from '../../../src/domain/document-fault.ts';
import type { KeyRecords } from '../../../src/ports.ts';
import { membersOf, type NamedDocument } from '../documents/collection-reader.ts';
import { createKeyReader, type KeyCollections, keyRecordsOf } from '../documents/key-reader.ts';
import type { ResumableSource } from '../state/kept-source.ts';
import { readNamedDocuments } from './batches.ts';
import { readTwice } from './connection.ts';

const isDemoKey = ({ value }: NamedDocument): boolean => 'demo_key' in membersOf(value);

/** Demo keys are refused: their texts are published with the gateway, and this database serves real partners. */
const demoKeyFault = ({ name }: NamedDocument): DocumentFault => ({
  event: 'document left out',
  collection: 'api_keys',
  document: name(),
  reason: 'demo_key: demo keys are refused here',
});

/** Creates the source of keys and organizations in MongoDB. `load` rejects when reading fails twice. */
export const createMongoKeys = (db: Db, formNames: readonly string[]): ResumableSource<KeyRecords, KeyCollections> => {
  let read = createKeyReader(formNames);
  let collections = read([], []);
  let last: { readonly text: string; readonly records: KeyRecords } | undefined;

  const load = async (): Promise<KeyRecords> => {
    const [organizations, keys] = await Promise.all([
      readNamedDocuments(db, 'organizations'),
      readNamedDocuments(db, 'api_keys'),
    ]);
    const realKeys = keys.filter((key) => !isDemoKey(key));
    const next = read(realKeys, organizations);
    const { faults = [], ...records } = keyRecordsOf(next, formNames);
    const loaded = { ...records, faults: [...keys.filter(isDemoKey).map(demoKeyFault), ...faults] };
    const text = JSON.stringify(loaded);
    if (last?.text !== text) last = { text, records: loaded };
    collections = next;
    return last.records;
  };

  return {
    load: () => readTwice(load),
    state: () => collections,
    resume(former, records) {
      read = createKeyReader(formNames, former);
      collections = former;
      last = { text: JSON.stringify(records), records };
    },
  };
};
