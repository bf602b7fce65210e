import { Command } from 'commander';
import { createIndexes, missingIndexes, neededIndexes } from '../../stores/mongodb/indexes.ts';
import { withDatabase } from '../open-database.ts';
import { type Column, printListing } from '../terminal/table.ts';

interface IndexRow {
  readonly index: string;
  readonly state: 'present' | 'created' | 'missing';
}

const columns: readonly Column<IndexRow>[] = [
  { title: 'index', show: ({ index }) => index },
  { title: 'state', show: ({ state }) => state },
];

const indexes = ({ check = false, json }: { readonly check?: boolean; readonly json?: boolean }): Promise<void> =>
  withDatabase(async (db) => {
    const missing = await missingIndexes(db);
    if (!check) await createIndexes(db);
    const absent = check ? 'missing' : 'created';
    const rows = neededIndexes.map(
      (index) => ({ index, state: missing.includes(index) ? absent : 'present' }) as const,
    );
    printListing(rows, columns, { json });
    if (check && missing.length > 0) {
      throw new Error(`${missing.length} missing: "artist-gateway catalogue indexes" creates them.`);
    }
  });

/** `catalogue indexes`: creates the indexes that the gateway needs. */
export const indexesCommand = (): Command =>
  new Command('indexes')
    .description('create the indexes that are missing (in MONGODB_URL), and list all')
    .option('--check', 'create nothing, and fail when one is missing')
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExample:\n  artist-gateway catalogue indexes --check')
    .action(indexes);
