import { Command, Option } from 'commander';
import type { Day } from '../../../src/domain/day.ts';
import { announceSunset, inactiveReason, sunsetError } from '../../../src/keys/key-policy.ts';
import { createKeyStore } from '../../stores/mongodb/key-store.ts';
import { type AuditOptions, auditEntry, currentTime, withAuditOptions } from '../audit-options.ts';
import { loadKeyRegistry } from '../key-registry.ts';
import { withDatabase } from '../open-database.ts';
import { readDay, readKeyId } from '../option-parsers.ts';
import { note } from '../terminal/messages.ts';
import { UsageError } from '../terminal/usage-error.ts';

interface SunsetOptions extends AuditOptions {
  readonly on?: Day;
  readonly off?: true;
}

const resultText = (id: string, day: Day | undefined, differs: boolean): string => {
  if (!differs) return `Key ${id} was so already.`;
  return day === undefined
    ? `Key ${id} is told of no end any more, within seconds.`
    : `Key ${id} is told within seconds that the variant form ends for it on ${day}. Nothing is cut off by itself.`;
};

const sunset = (id: string, options: SunsetOptions): Promise<void> => {
  const { on, off } = options;
  if (on === undefined && off === undefined)
    throw new UsageError('Say which day with --on DAY, or --off to take it back.');
  return withDatabase(async (db) => {
    const key = (await loadKeyRegistry(db)).key(id);
    const now = currentTime();
    const over = inactiveReason(key, now);
    if (over !== undefined) throw new Error(`${over}: nothing was changed.`);
    const refusal = on === undefined || on === key.sunset ? undefined : sunsetError(key, on, now);
    if (refusal !== undefined) throw new Error(refusal);
    const deed = auditEntry(options, 'keys sunset', now);
    note(resultText(id, on, await createKeyStore(db).changeKey(key, announceSunset(key, on, now), deed)));
  });
};

/** Announces to a key when the variant form ends for it. */
export const sunsetCommand = (): Command =>
  withAuditOptions(
    new Command('sunset')
      .description('announce to a key when the variant form ends for it (Deprecation, Sunset, Link), or take it back')
      .argument('<key>', 'the id of the key', readKeyId)
      .option('--on <day>', 'the form is promised until this day begins (UTC)', readDay)
      .addOption(new Option('--off', 'announce nothing any more').conflicts('on')),
  )
    .addHelpText(
      'after',
      '\nExample:\n  artist-gateway keys sunset 3fK9sQ2xA --on 2027-06-30 --reason "contract 2026/14"',
    )
    .action(sunset);
