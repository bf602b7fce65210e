import { InvalidArgumentError } from 'commander';
import type { QuotaWindow } from '../../../src/domain/caller.ts';
import { type DefineCommand, example } from '../command.ts';
import { type Context, withContext } from '../context.ts';
import { readCount, readLimit, readSubjectName } from '../option-parsers.ts';
import { resolveSubject, type Subject } from '../resolve-subject.ts';
import { type ShowOptions, withShowOptions } from '../shared-options.ts';
import { note } from '../terminal/messages.ts';
import { printJson } from '../terminal/table.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { createPage, printQuota } from './print.ts';
import { type GroupReport, groupByQuota, maxReplayDays, type ReplayGroup, replayGroups } from './replay-groups.ts';

const readNumber = (text: string): number => {
  const limit = readLimit(text);
  if (limit === 'default') throw new InvalidArgumentError('It must be a whole number.');
  return limit;
};

/** A number of days for which minutes are stored. */
const readReplayDays = (text: string): number => {
  const days = readCount(text);
  if (days <= maxReplayDays) return days;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${maxReplayDays}: minutes are kept that long.`);
};

/** The limits to replay, by window, the shortest first. */
type GivenLimits = ReadonlyMap<QuotaWindow, number>;

const givenLimits = (given: { readonly perMinute?: number; readonly perHour?: number; readonly perDay?: number }) =>
  new Map(
    (
      [
        ['minute', given.perMinute],
        ['hour', given.perHour],
        ['day', given.perDay],
      ] as const
    ).flatMap(([window, limit]) => (limit === undefined ? [] : [[window, limit] as const])),
  );

/** Replays one key's requests against the given limits, or against its own if none are given. */
const ofKey = (subject: Subject & { kind: 'key' }, given: GivenLimits, { allowances }: Context): ReplayGroup => {
  const { key, organization } = subject;
  const own = { subject: `key:${key.id}`, keyIds: new Set([key.id]) };
  const quotas =
    given.size > 0
      ? [...given].map(([window, limit]) => ({ window, limit, subject: own.subject }))
      : allowances.of(key, organization).map((quota) => ({ ...quota, subject: own.subject }));
  return { ...own, quotas };
};

/** The groups of an organization that have one of the given windows, with these limits. */
const ofOrganization = (groups: readonly ReplayGroup[], given: GivenLimits): readonly ReplayGroup[] => {
  const windows = [...given.keys()];
  const known = new Set(groups.flatMap(({ quotas }) => quotas.map(({ window }) => window)));
  const unknown = windows.find((window) => !known.has(window));
  if (unknown !== undefined) {
    throw new UsageError(`No key of this organization has a limit by the ${unknown}. To try one, pass a key instead.`);
  }
  return groups
    .filter(({ quotas }) => windows.length === 0 || quotas.some(({ window }) => windows.includes(window)))
    .map((group) => ({
      ...group,
      quotas: group.quotas.map((quota) => ({ ...quota, limit: given.get(quota.window) ?? quota.limit })),
    }));
};

/** Prints replays, each below the other. */
export const printReplays = (reports: readonly GroupReport[], { json, wide }: ShowOptions): void => {
  if (json) {
    printJson(reports);
    return;
  }
  const page = createPage({ wide }, process.stdout);
  for (const report of reports) printQuota(page, 'limits', report);
  page.end();
  if (reports.length === 0) note('No key: there is nothing to replay.');
};

export const replayCommand: DefineCommand = (command) =>
  withShowOptions(
    command
      .argument('<organization|key>', 'an id; organization:ID or key:ID if it could be either', readSubjectName)
      .option('--per-minute <limit>', 'requests a minute to try', readNumber)
      .option('--per-hour <limit>', 'requests an hour to try', readNumber)
      .option('--per-day <limit>', 'requests a UTC day to try', readNumber)
      .option('--days <count>', 'UTC days to replay, including today, at most 8', readReplayDays, 7),
  )
    .description('show what other limits would have refused in the last days, and the least that refuse nothing')
    .addHelpText(...example('artist-gateway quota replay acme --per-minute 20 --per-day 2000 --days 7'))
    .action((name, options) =>
      withContext(async (context) => {
        const registry = await context.loadRegistry();
        const subject = resolveSubject(registry, name);
        const { organization } = subject;
        const limits = givenLimits(options);
        const groups =
          subject.kind === 'key'
            ? [ofKey(subject, limits, context)]
            : ofOrganization(groupByQuota(registry.keysOf(organization.id), organization, context.allowances), limits);
        printReplays(await replayGroups(context, organization.id, groups, options.days), options);
      }),
    );
