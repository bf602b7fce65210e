import type { StoredDocument } from '../../../adapters/stores/documents/stored-document.ts';
import { countOf } from '../../../src/domain/quantities.ts';
import type { LevelCounts } from '../../import/plan-import.ts';
import { type DefineCommand, example } from '../command.ts';
import { withContext } from '../context.ts';
import { readCount } from '../option-parsers.ts';
import { withShowOptions } from '../shared-options.ts';
import { type Column, printListing } from '../terminal/table.ts';

const levels = ['artists', 'series', 'days', 'members', 'labels'] as const;

type Numbers = Readonly<Record<string, number>>;

export const auditedCounts = (counts: LevelCounts) => {
  const numbersOf = (what: 'created' | 'changed' | 'removed'): Numbers =>
    Object.fromEntries(
      levels.map((level) => [level, counts[level][what]] as const).filter(([, count]) => count > 0),
    );
  return {
    added: numbersOf('created'),
    changed: numbersOf('changed'),
    removed: numbersOf('removed'),
  };
};

const listOf = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : '');

const numbersIn = (value: unknown): string =>
  Object.entries(typeof value === 'object' && value !== null ? value : {})
    .map(([level, count]) =>
      level === 'series' ? `${count} series` : countOf(Number(count), level.slice(0, -1)),
    )
    .join(', ');

const columns: readonly Column<StoredDocument>[] = [
  { title: 'at', show: ({ at }) => (at instanceof Date ? at.toISOString() : 'no date') },
  { title: 'actor', show: ({ actor }) => String(actor) },
  { title: 'files', show: ({ files }) => listOf(files) },
  ...(['added', 'changed', 'removed'] as const).map(
    (title): Column<StoredDocument> => ({ title, show: (row) => numbersIn(row[title]) }),
  ),
  {
    title: 'stopped',
    show: ({ stopped }) => (stopped === undefined ? undefined : String(stopped)),
  },
];

export const logCommand: DefineCommand = (command) =>
  withShowOptions(
    command.option('--limit <count>', 'how many of the newest imports to list', readCount, 100),
  )
    .description('list the imports: who, when, which files, and what they changed; newest last')
    .addHelpText(...example('artist-gateway catalogue log --limit 10'))
    .action(({ limit, ...options }) =>
      withContext(async ({ imports, now }) =>
        printListing(await imports.read({ limit }), columns, { ...options, now: now() }),
      ),
    );
