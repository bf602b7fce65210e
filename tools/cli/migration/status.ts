import { join } from 'node:path';
import { makeOwnFolder, orUnwritable, writeOwnFile } from '../../../adapters/files/own-file.ts';
import { countOf } from '../../../src/domain/quantities.ts';
import { sharePercent } from '../../migration/daily-calls.ts';
import { requestedMove } from '../../migration/evidence.ts';
import {
  assessStatus,
  countSteps,
  type StatusKey,
  type StatusReport,
  type StatusRow,
} from '../../migration/status.ts';
import { type DefineCommand, example } from '../command.ts';
import { type Context, withContext } from '../context.ts';
import { readUsageDays } from '../option-parsers.ts';
import { formatTrial } from '../policy.ts';
import { withShowOptions } from '../shared-options.ts';
import { note, UsageError } from '../terminal/messages.ts';
import { type Column, none, printJson, printListing } from '../terminal/table.ts';
import { createGuideWriter } from './guide.ts';
import { loadEvidence } from './report.ts';
import { statusPage } from './status-page.ts';
import { guideHtml } from './write-guide.ts';

const createColumns = ({ days }: StatusReport): readonly Column<StatusRow>[] => [
  { title: 'key', show: ({ key }) => key },
  { title: 'organization', show: ({ organization_id }) => organization_id },
  { title: 'partner', show: ({ partner }) => partner, isWide: true },
  { title: 'state', show: ({ state }) => state, isWide: true },
  { title: 'next', show: ({ next }) => next },
  { title: 'verdict', show: ({ verdict }) => verdict, isWide: true },
  { title: 'calls a day', show: ({ calls_a_day }) => calls_a_day },
  { title: 'trend %', show: ({ trend_percent }) => trend_percent ?? none, isWide: true },
  { title: 'to change', show: ({ changes }) => changes },
  { title: 'over quota', show: ({ would_refuse }) => would_refuse, isWide: true },
  { title: 'last call', show: ({ last_at }) => last_at ?? `not in ${days} d` },
  { title: 'sunset', show: ({ sunset }) => sunset ?? none, isWide: true },
  { title: 'trial', show: formatTrial, isWide: true },
];

/** Writes the guides of all keys, a file each. */
const writeGuides = async (
  context: Context,
  keys: readonly StatusKey[],
  folder: string,
): Promise<void> => {
  const write = await createGuideWriter(context);
  await orUnwritable(folder, makeOwnFolder(folder));
  for (const { key, report, move } of keys) {
    const path = join(folder, `${key.id}.html`);
    const text = await write(key, report, move);
    await orUnwritable(path, writeOwnFile(path, [guideHtml(text, `For ${key.partner}`)]));
  }
  note(`${countOf(keys.length, 'guide')} written to ${folder}.`);
};

/** The days whose share of the current form a line of text names. */
const shareDays = 7;

const summaryOf = ({ keys, form, calls }: StatusReport): string => {
  const steps = countSteps(keys).map(([step, count]) => `${count} ${step}`);
  const share = sharePercent(calls, form, shareDays);
  const moved =
    share === undefined ? '' : ` In the ${form} form: ${share} % of calls in ${shareDays} days.`;
  const [end, ...others] = keys.flatMap(({ trial }) => trial?.until ?? []).sort();
  const tried =
    end === undefined
      ? ''
      : others.length === 0
        ? ` 1 in a trial until ${end}.`
        : ` ${others.length + 1} in trials, the first until ${end}.`;
  return `${countOf(keys.length, 'key')}: ${steps.join(', ')}.${moved}${tried}`;
};

export const statusCommand: DefineCommand = (command) =>
  withShowOptions(
    command
      .option('--days <count>', 'UTC days of usage to assess, including today', readUsageDays, 30)
      .addOption(command.createOption('--html', 'print one HTML page').conflicts(['json', 'csv']))
      .option('--guides <folder>', 'with --html: write the guides there as HTML, and link them')
      .addOption(command.createOption('--csv', 'print comma-separated values').conflicts('json')),
    'a JSON object',
  )
    .description('list all keys of the variant form by what to do next to move them')
    .addHelpText(...example('artist-gateway migration status'))
    .action(({ days, json, csv, html, guides, wide }) => {
      if (guides !== undefined && !html)
        throw new UsageError('--guides belongs to --html: its page links the guides.');
      return withContext(async (context) => {
        const period = { days, now: context.usageNow() };
        const [{ keys: all, organizations }, evidence] = await Promise.all([
          context.loadRegistry(),
          loadEvidence(context, period),
        ]);
        const { report, keys } = assessStatus({
          keys: all,
          organizations,
          ...period,
          ...evidence,
        });
        if (guides !== undefined) await writeGuides(context, keys, guides);
        if (html) process.stdout.write(statusPage(report, { now: period.now, guides }));
        else if (json) printJson(report);
        else {
          const empty = `No key is pinned to the ${requestedMove.from} form.`;
          printListing(report.keys, createColumns(report), {
            csv,
            wide,
            now: period.now,
            empty,
          });
          if (keys.length > 0) note(summaryOf(report));
        }
      });
    });
