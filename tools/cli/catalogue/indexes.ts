import { type DefineCommand, example } from '../command.ts';
import { withContext } from '../context.ts';
import { type Column, printListing } from '../terminal/table.ts';

interface IndexRow {
  readonly index: string;
  readonly state: 'present' | 'created' | 'missing';
}

const columns: readonly Column<IndexRow>[] = [
  { title: 'index', show: ({ index }) => index },
  { title: 'state', show: ({ state }) => state },
];

interface IndexesOptions {
  readonly dryRun?: boolean | undefined;
  readonly json?: boolean | undefined;
}

const run = ({ dryRun = false, json }: IndexesOptions): Promise<void> =>
  withContext(async ({ database: { indexes } }) => {
    const { missing, obstacles } = await indexes.check();
    if (!dryRun) await indexes.create();
    const absent = dryRun ? 'missing' : 'created';
    const rows = indexes.needed.map(
      (index) => ({ index, state: missing.includes(index) ? absent : 'present' }) as const,
    );
    printListing(rows, columns, { json });
    if (dryRun && missing.length > 0) {
      const remedy =
        obstacles.length === 0
          ? '"artist-gateway catalogue indexes" creates them'
          : obstacles.join('; ');
      throw new Error(`${missing.length} missing: ${remedy}.`);
    }
  });

export const indexesCommand: DefineCommand = (command) =>
  command
    .option('--dry-run', 'create nothing, and fail when one is missing')
    .option('--json', 'print a JSON array')
    .description('create the indexes that are missing (in MONGODB_URL), and list all')
    .addHelpText(...example('artist-gateway catalogue indexes --dry-run'))
    .action(run);
