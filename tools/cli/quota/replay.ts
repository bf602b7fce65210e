import type { Allowance } from '../../../src/domain/caller.ts';
import { keyAt } from '../../../src/keys/pinning.ts';
import { type DefineCommand, example } from '../command.ts';
import { withContext } from '../context.ts';
import { createNumberParser, readRequests } from '../option-parsers.ts';
import { allowances } from '../policy.ts';
import { resolveSubject, type Subject } from '../resolve-subject.ts';
import { type ShowOptions, subjectArgument, withShowOptions } from '../shared-options.ts';
import { note, UsageError } from '../terminal/messages.ts';
import { printJson } from '../terminal/table.ts';
import { createPage, printQuota } from './print.ts';
import {
  type GroupReport,
  groupByQuota,
  maxReplayDays,
  type ReplayGroup,
  replayGroups,
} from './replay-groups.ts';

type GivenLimits = readonly Pick<Allowance, 'window' | 'limit'>[];

const givenLimits = (given: {
  readonly perMinute?: number;
  readonly perHour?: number;
  readonly perDay?: number;
}) =>
  (
    [
      ['minute', given.perMinute],
      ['hour', given.perHour],
      ['day', given.perDay],
    ] as const
  ).flatMap(([window, limit]) => (limit === undefined ? [] : [{ window, limit }]));

const ofKey = (
  { key, organization }: Subject & { kind: 'key' },
  given: GivenLimits,
  now: number,
): ReplayGroup => {
  const subject = `key:${key.id}`;
  const quotas = given.length > 0 ? given : allowances.of(keyAt(key, now), organization);
  return {
    subject,
    keyIds: new Set([key.id]),
    quotas: quotas.map((quota) => ({ ...quota, subject })),
  };
};

const ofOrganization = (
  groups: readonly ReplayGroup[],
  given: GivenLimits,
): readonly ReplayGroup[] => {
  const limits = new Map(given.map(({ window, limit }) => [window, limit]));
  const known = new Set(groups.flatMap(({ quotas }) => quotas.map(({ window }) => window)));
  const unknown = given.find(({ window }) => !known.has(window));
  if (unknown !== undefined) {
    throw new UsageError(
      `No key of this organization has a limit per ${unknown.window}. To try one, pass a key instead.`,
    );
  }
  return groups
    .filter(({ quotas }) => given.length === 0 || quotas.some(({ window }) => limits.has(window)))
    .map((group) => ({
      ...group,
      quotas: group.quotas.map((quota) => ({
        ...quota,
        limit: limits.get(quota.window) ?? quota.limit,
      })),
    }));
};

export const printReplays = (
  reports: readonly GroupReport[],
  whyNone: string,
  { json, wide }: ShowOptions,
): void => {
  if (json) {
    printJson(reports);
    return;
  }
  const page = createPage({ wide }, process.stdout);
  for (const report of reports) printQuota(page, 'limits', report);
  page.end();
  if (reports.length === 0) note(`${whyNone}: there is nothing to replay.`);
};

const readReplayDays = createNumberParser(1, maxReplayDays, ': minutes are kept that long');

export const replayCommand: DefineCommand = (command) =>
  withShowOptions(
    command
      .argument(...subjectArgument)
      .option('--per-minute <limit>', 'requests a minute to try', readRequests)
      .option('--per-hour <limit>', 'requests an hour to try', readRequests)
      .option('--per-day <limit>', 'requests a UTC day to try', readRequests)
      .option(
        '--days <count>',
        'UTC days to replay, including today, at most 8',
        readReplayDays,
        7,
      ),
  )
    .description(
      'show what other limits would have refused in the last days, and the lowest limits that refuse nothing',
    )
    .addHelpText(
      ...example('artist-gateway quota replay acme --per-minute 20 --per-day 2000 --days 7'),
    )
    .action((name, options) =>
      withContext(async (context) => {
        const registry = await context.loadRegistry();
        const subject = resolveSubject(registry, name);
        const { organization } = subject;
        const limits = givenLimits(options);
        const now = context.now();
        const groups =
          subject.kind === 'key'
            ? [ofKey(subject, limits, now)]
            : ofOrganization(
                groupByQuota(registry.keysOf(organization.id), organization, now),
                limits,
              );
        const reports = await replayGroups(context, organization.id, groups, options.days);
        printReplays(reports, 'No keys', options);
      }),
    );
