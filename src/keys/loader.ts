import type { DocumentFault } from '../domain/document-fault.ts';
import type { KeyRecords, KeySource, Log } from '../ports.ts';
import { createFaultLog } from '../runtime/fault-log.ts';
import { buildKeyDirectory, type KeyDirectory } from './authenticate.ts';

/** Faults for empty collections: without keys and organizations every request is refused. */
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
 * Creates the load functions of the keys. `load` returns the previous directory if the source has
 * nothing new, and rejects if the source does. `recall` returns the directory of an earlier
 * process. Both log the faults of documents.
 */
export const createKeyLoader = (source: KeySource, log: Log) => {
  const logFaults = createFaultLog(log);
  /** What each directory was built from. */
  const recordsOf = new WeakMap<KeyDirectory, KeyRecords>();
  const build = (records: KeyRecords, previous?: KeyDirectory): KeyDirectory => {
    // Not the records of the last load: an abandoned load ends here too.
    const isUnchanged = previous !== undefined && recordsOf.get(previous) === records;
    const directory = isUnchanged ? previous : buildKeyDirectory(records);
    recordsOf.set(directory, records);
    logFaults([...directory.faults, ...emptyCollections(directory)]);
    return directory;
  };
  return {
    load: async (previous: KeyDirectory | undefined): Promise<KeyDirectory> =>
      build(await source.load(), previous),
    async recall() {
      const copy = await source.recall?.();
      return copy && { value: build(copy.contents), age: copy.age };
    },
  };
};
