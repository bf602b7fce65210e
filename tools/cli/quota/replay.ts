import type { Allowance, KeyRecord, Organization } from '../../../src/domain/caller.ts';
import { addDays, dayOf } from '../../../src/domain/day.ts';
import { keyAt } from '../../../src/keys/pinning.ts';
import { type QuotaReport, reportQuota } from '../../migration/quota-report.ts';
import { type DefineCommand, example } from '../command.ts';
import { type Context, withContext } from '../context.ts';
import { createNumberParser, readRequests } from '../option-parsers.ts';
import { allowances } from '../policy.ts';
import { resolveSubject, type Subject } from '../resolve-subject.ts';
import { subjectArgument, withShowOptions } from '../shared-options.ts';
import { note, UsageError } from '../terminal/messages.ts';
import { createPage } from '../terminal/page.ts';
import { printJson } from '../terminal/table.ts';
import { printQuota } from './print.ts';

interface ReplayGroup {
  readonly subject: string;
  readonly keyIds: ReadonlySet<string>;
  readonly quotas: readonly Allowance[];
}

/** A replay of the requests of one group, as `--json` prints it. */
export interface GroupReport extends QuotaReport {
  readonly subject: string;
}

/** UTC days that may be replayed, with today: the usage store keeps minutes for 8 days. */
const maxReplayDays = 8;

/**
 * Groups an organization's keys, also those that ended, by what their requests count for at an
 * instant (epoch milliseconds); those that share come first.
 */
const groupByQuota = (
  keys: readonly KeyRecord[],
  organization: Organization,
  now: number,
): readonly ReplayGroup[] => {
  const groups = new Map<string, { keyIds: Set<string>; quotas: readonly Allowance[] }>();
  for (const key of keys) {
    const quotas = allowances.of(keyAt(key, now), organization);
    for (const { subject } of quotas) {
      const group = groups.get(subject) ?? { keyIds: new Set(), quotas };
      groups.set(subject, group);
      group.keyIds.add(key.id);
    }
  }
  const shared = `organization:${organization.id}`;
  return [...groups]
    .map(([subject, group]) => ({ subject, ...group }))
    .sort((left, right) => Number(right.subject === shared) - Number(left.subject === shared));
};

/**
 * Loads an organization's minutes of these UTC days, with today, and replays each group's minutes
 * against its quotas.
 */
const replayGroups = async (
  { usage, usageNow }: Pick<Context, 'usage' | 'usageNow'>,
  organizationId: string,
  groups: readonly ReplayGroup[],
  days: number,
): Promise<readonly GroupReport[]> => {
  const until = usageNow();
  const since = Date.parse(addDays(dayOf(until), 1 - days));
  const minutes = await usage.loadMinutes(organizationId, since);
  return groups.map(({ subject, keyIds, quotas }) => {
    const own = minutes.filter(({ keyId }) => keyIds.has(keyId));
    return { subject, ...reportQuota(own, quotas, { since, until }) };
  });
};

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
        if (options.json) return printJson(reports);
        const page = createPage({ wide: options.wide }, process.stdout);
        for (const report of reports) printQuota(page, 'limits', report);
        page.end();
        if (reports.length === 0) note('No keys: there is nothing to replay.');
      }),
    );
