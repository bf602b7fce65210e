import type { Context } from '../context.ts';
import { type GroupReport, groupByQuota, replayGroups } from '../quota/replay-groups.ts';
import type { Column } from '../terminal/table.ts';

const percentOf = (peak: number, limit: number): number => (limit === 0 ? 100 : Math.floor((peak / limit) * 100));

/** The quota windows that requests came near to. `peak` is the most requests made in one window, refused ones too. */
const rowsOf = (organizationId: string, { subject, refusals }: GroupReport) =>
  refusals
    .filter(({ enough }) => enough > 0)
    .map(({ window, limit, enough, enough_at }) => ({
      organization_id: organizationId,
      subject,
      window,
      limit,
      peak: enough,
      percent: percentOf(enough, limit),
      peak_at: enough_at,
    }));

type NearRow = ReturnType<typeof rowsOf>[number];

export const nearColumns: readonly Column<NearRow>[] = [
  { title: 'organization', show: ({ organization_id }) => organization_id },
  { title: 'counted for', show: ({ subject }) => subject },
  { title: 'window', show: ({ window }) => window },
  { title: 'limit', show: ({ limit }) => limit },
  { title: 'most asked', show: ({ peak }) => peak },
  { title: '%', show: ({ percent }) => percent },
  { title: 'from', show: ({ peak_at }) => peak_at },
];

/** The windows of organizations and keys in which at least this percentage of the limit was asked for, the fullest first. */
export const findNear = async (
  context: Pick<Context, 'usage' | 'usageNow' | 'loadRegistry' | 'allowances'>,
  {
    near,
    days,
    organization,
  }: { readonly near: number; readonly days: number; readonly organization?: string | undefined },
): Promise<readonly NearRow[]> => {
  const registry = await context.loadRegistry();
  const organizations = organization === undefined ? registry.organizations : [registry.organization(organization)];
  const rows: NearRow[] = [];
  for (const one of organizations) {
    const groups = groupByQuota(registry.keysOf(one.id), one, context.allowances);
    const reports = groups.length === 0 ? [] : await replayGroups(context, one.id, groups, days);
    rows.push(...reports.flatMap((report) => rowsOf(one.id, report)));
  }
  return rows.filter(({ percent }) => percent >= near).sort((left, right) => right.percent - left.percent);
};
