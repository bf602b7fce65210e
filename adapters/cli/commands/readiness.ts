import { Command } from 'commander';
import { inactiveReason } from '../../../src/keys/key-policy.ts';
import { loadAllowances } from '../../../src/quota/allowances.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { loadKeyRegistry } from '../key-registry.ts';
import { withDatabase } from '../open-database.ts';
import { readCount, readSubjectName } from '../option-parsers.ts';
import { resolveSubject } from '../resolve-subject.ts';
import { printJson } from '../terminal/table.ts';
import { loadReadiness } from './readiness-load.ts';
import { printReadiness } from './readiness-print.ts';

interface ReadinessOptions {
  readonly days: number;
  readonly json?: true;
}

const move = { from: 'variant', to: 'current' } as const;

const tell = (name: string, { days, json }: ReadinessOptions): Promise<void> =>
  withDatabase(async (db) => {
    const issued = await loadKeyRegistry(db);
    const named = resolveSubject(issued, name);
    const { organization } = named;
    const now = systemClock().now(); // requests were counted by it, whatever FIXED_NOW says
    const pinned = issued.keys.filter(
      (key) =>
        key.organizationId === organization.id && key.form === move.from && inactiveReason(key, now) === undefined,
    );
    const keys = named.kind === 'key' ? [named.key] : pinned;
    const readiness = await loadReadiness(db, await loadAllowances(), { organization, keys, move, days, now });
    if (json) printJson(readiness);
    else printReadiness(readiness);
  });

/** Tells what a partner has to change before it can move to the current form, by what it really sends. */
export const readinessCommand = (): Command =>
  new Command('readiness')
    .description(
      'tell what a partner must change to move to the current form, by what it sends, and what its quota would be',
    )
    .argument('<organization|key>', 'an id; organization:ID or key:ID if it could be either', readSubjectName)
    .option('--days <count>', 'what it sent in so many UTC days, today among them', readCount, 30)
    .option('--json', 'print a JSON object')
    .addHelpText('after', '\nExample:\n  artist-gateway readiness 3fK9sQ2xA --days 14')
    .action(tell);
