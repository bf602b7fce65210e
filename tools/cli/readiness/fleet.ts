import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makeOwnFolder, orUnwritable, writeOwnFile } from '../../../adapters/files/own-file.ts';
import { forms } from '../../../adapters/forms/forms.ts';
import { countOf } from '../../../src/domain/quantities.ts';
import { sharePercent } from '../../migration/daily-calls.ts';
import { requestedMove } from '../../migration/evidence.ts';
import {
  assessFleet,
  countSteps,
  type FleetKey,
  type FleetReport,
  type FleetRow,
} from '../../migration/fleet.ts';
import { type ReadinessQuestion, readinessPeriod } from '../../migration/readiness.ts';
import type { Context } from '../context.ts';
import { createLetterWriter } from '../letter/create-letter-writer.ts';
import { letterHtml } from '../letter/letter.ts';
import { allowances, formatTrial } from '../policy.ts';
import type { ShowOptions } from '../shared-options.ts';
import { note } from '../terminal/messages.ts';
import { type Column, none, printJson, printListing } from '../terminal/table.ts';
import { fleetPage } from './fleet-page.ts';

const createColumns = ({ days }: FleetReport): readonly Column<FleetRow>[] => [
  { title: 'key', show: ({ key }) => key },
  { title: 'organization', show: ({ organization_id }) => organization_id, importance: 8 },
  { title: 'partner', show: ({ partner }) => partner, isCuttable: true, importance: 1 },
  { title: 'state', show: ({ state }) => state, importance: 5 },
  { title: 'next', show: ({ next }) => next },
  { title: 'verdict', show: ({ verdict }) => verdict, importance: 2 },
  { title: 'calls a day', show: ({ calls_a_day }) => calls_a_day },
  { title: 'trend %', show: ({ trend_percent }) => trend_percent ?? none, importance: 3 },
  { title: 'to change', show: ({ changes }) => changes, importance: 7 },
  { title: 'over quota', show: ({ would_refuse }) => would_refuse, importance: 6 },
  { title: 'last call', show: ({ last_at }) => last_at ?? `not in ${days} d`, importance: 9 },
  { title: 'sunset', show: ({ sunset }) => sunset ?? none, importance: 4 },
  { title: 'trial', show: formatTrial, importance: 0 },
];

export interface ReadinessOptions extends ShowOptions {
  readonly days: number;
  readonly letter?: boolean | undefined;
  readonly csv?: boolean | undefined;
  readonly html?: boolean | undefined;
  /** The folder that the letters are written to, which the page then links. */
  readonly letters?: string | undefined;
  readonly columns?: readonly string[] | undefined;
  /** The file with the members that the program of a key reads. */
  readonly reads?: string | undefined;
}

/** Loads the usage that an assessment needs: of one organization, or of all. */
export const loadEvidence = async (
  { usage, identifiers }: Context,
  question: Pick<ReadinessQuestion, 'days' | 'now'>,
  organizationId?: string,
) => {
  const { countsSince, replayedSince } = readinessPeriod(question);
  const [counts, minutes, artists] = await Promise.all([
    usage.loadDays(countsSince, organizationId),
    usage.loadMinutes(organizationId, replayedSince),
    identifiers.count(),
  ]);
  return { counts, minutes, artists, forms, allowances };
};

const letterFile = (id: string): string => `${id}.html`;

/** Writes the letters of a run, and names those of earlier runs to others of all `ids`. */
const writeLetters = async (
  context: Context,
  keys: readonly FleetKey[],
  { folder, ids }: { readonly folder: string; readonly ids: readonly string[] },
): Promise<void> => {
  const writeLetter = await createLetterWriter(context);
  await orUnwritable(folder, makeOwnFolder(folder));
  for (const { key, report, readiness } of keys) {
    const text = await writeLetter(key, report, readiness);
    const path = join(folder, letterFile(key.id));
    await orUnwritable(path, writeOwnFile(path, [letterHtml(text, `For ${key.partner}`)]));
  }
  note(`${countOf(keys.length, 'letter')} written to ${folder}.`);
  const written = new Set(keys.map(({ key }) => key.id));
  const found = new Set(await readdir(folder));
  const older = ids.filter((id) => !written.has(id) && found.has(letterFile(id)));
  if (older.length === 0) return;
  const are = older.length === 1 ? 'is of a key that is' : 'are of keys that are';
  note(
    `${countOf(older.length, 'older letter')} in ${folder} ${are} not in this run: ${older.join(', ')}.`,
  );
};

/** The days whose share of the current form a line of text names. */
const shareDays = 7;

const summaryOf = ({ keys, form, calls }: FleetReport): string => {
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

/**
 * Reports every key that is pinned to the form that partners are asked to leave, sorted by what to
 * do next.
 */
export const reportFleet = async (context: Context, options: ReadinessOptions): Promise<void> => {
  const { days, json, csv, html, letters } = options;
  const period = { days, now: context.usageNow() };
  const [{ keys: all, organizations, unreadable }, evidence] = await Promise.all([
    context.loadRegistry(),
    loadEvidence(context, period),
  ]);
  const { report, keys } = assessFleet({
    keys: all,
    organizations,
    move: requestedMove,
    ...period,
    ...evidence,
  });
  if (letters !== undefined) {
    const ids = new Set([...all, ...unreadable].flatMap(({ id }) => id ?? []));
    await writeLetters(context, keys, { folder: letters, ids: [...ids] });
  }
  if (html) process.stdout.write(fleetPage(report, { now: period.now, letters }));
  else if (json) printJson(report);
  else {
    const empty = `No key is pinned to the ${requestedMove.from} form.`;
    printListing(report.keys, createColumns(report), {
      csv,
      wide: options.wide,
      columns: options.columns,
      now: period.now,
      empty,
    });
    if (keys.length > 0) note(summaryOf(report));
  }
};
