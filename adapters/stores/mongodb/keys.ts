import type { Db } from 'mongodb';
import type { KeyRecords, KeySource } from '../../../src/ports.ts';
import { forEachInTurns } from '../../../src/runtime/cooperative.ts';
import { createKeyReader, keyRecordsOf } from '../documents/key-reader.ts';
import { readNamedDocuments, readVersion } from './batches.ts';
import { readTwice } from './connection.ts';

const recordsText = async (records: KeyRecords): Promise<string> => {
  const texts: string[] = [];
  await forEachInTurns(Object.values(records).flat(), (record) =>
    texts.push(JSON.stringify(record)),
  );
  return texts.join();
};

/**
 * Creates the source of keys and organizations in MongoDB. `load` rejects if reading fails twice.
 */
export const createMongoKeys = (db: Db, formNames: readonly string[]): KeySource => {
  const read = createKeyReader(formNames);
  let last: { readonly version: string; readonly records: KeyRecords } | undefined;
  const ofBoth = <Result>(readOne: (db: Db, collection: string) => Promise<Result>) =>
    Promise.all([readOne(db, 'organizations'), readOne(db, 'api_keys')]);

  const load = async (): Promise<KeyRecords> => {
    // Compares versions first: decoding unchanged keys was half of the growth of V8's old
    // generation.
    if (last !== undefined && (await ofBoth(readVersion)).join(' ') === last.version)
      return last.records;
    const [organizations, keys] = await ofBoth(readNamedDocuments);
    const version = `${organizations.version} ${keys.version}`;
    const loaded = keyRecordsOf(await read(keys.documents, organizations.documents), formNames);
    // Equal records keep the same object, even if unused fields differ.
    const previous = last?.records ?? loaded;
    const isSame = (await recordsText(previous)) === (await recordsText(loaded));
    last = { version, records: isSame ? previous : loaded };
    return last.records;
  };

  return { load: () => readTwice(load) };
};
