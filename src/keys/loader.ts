import type { DocumentFault } from '../domain/document-fault.ts';
import type { KeyRecords, KeySource, Log } from '../ports.ts';
import { createFaultLog } from '../runtime/fault-log.ts';
import { buildKeyDirectory, type KeyDirectory } from './authenticate.ts';

/** Collections without a document, which leave nobody to be judged. */
const emptyCollections = ({ missing }: KeyDirectory): readonly DocumentFault[] =>
  missing === undefined
    ? []
    : [
        {
          event: 'collection empty, not ready',
          collection: 'api_keys, organizations',
          document: 'all',
          reason: missing,
        },
      ];

/**
 * Creates the load function of the keys' follower: it returns the previous directory when the source has nothing new. Logs the
 * faults of documents. Rejects when the source does.
 */
export const createKeyLoader = (source: KeySource, log: Log) => {
  const logFaults = createFaultLog(log);
  let last: KeyRecords | undefined;
  return async (previous: KeyDirectory | undefined): Promise<KeyDirectory> => {
    const records = await source.load();
    const directory = previous !== undefined && records === last ? previous : buildKeyDirectory(records);
    last = records;
    logFaults([...directory.faults, ...emptyCollections(directory)]);
    return directory;
  };
};
