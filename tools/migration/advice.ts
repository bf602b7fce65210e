import type { KeyRecord } from '../../src/domain/caller.ts';
import type { Move } from './evidence.ts';
import type { KeyReport } from './key-report.ts';
import type { QuotaReport } from './quota-report.ts';

const trialAdvice = ({ id, allowEnvelopeOverride }: KeyRecord, { to }: Move): string =>
  allowEnvelopeOverride
    ? `It may try the ${to} form now, with the header X-Envelope: ${to}, within the quota it has.`
    : `Let it try first, with the header X-Envelope: ${to} and within the quota it has: artist-gateway keys set ${id} --allow-envelope-override --reason "tries the ${to} form"`;

const identifierAdvice = ({ organizationId }: KeyRecord): string =>
  `Give it the identifiers of both forms: artist-gateway crosswalk ids --organization ${organizationId} --csv > ${organizationId}-ids.csv`;

const options = { minute: '--per-minute', hour: '--per-hour', day: '--per-day' } as const;

/** The command that raises the quotas to the replayed demand. */
const quotaAdvice = (
  { id, organizationId }: KeyRecord,
  { quotas, refusals }: QuotaReport,
): string => {
  const raised = refusals
    .filter(({ enough, limit }) => enough > limit)
    .map(({ window, enough }) => `${options[window]} ${enough}`);
  const isShared = quotas.some(({ subject }) => subject === `organization:${organizationId}`);
  const command = isShared ? `organizations set ${organizationId}` : `keys set ${id}`;
  return `Have it spread its requests, or grant what was asked: artist-gateway ${command} ${raised.join(' ')}`;
};

/** The next steps, as commands; none for a key that has the form already. */
export const adviseOn = (
  key: KeyRecord,
  report: KeyReport,
  quotas: QuotaReport,
  move: Move,
): readonly string[] => {
  if (key.form === move.to) return [];
  const stored = [
    ...report.parameters.map(({ parameter }) => parameter),
    ...report.members.map(({ member }) => member),
  ];
  return [
    trialAdvice(key, move),
    ...(stored.includes('/artists?id=') || stored.includes('id') ? [identifierAdvice(key)] : []),
    ...(quotas.would_refuse > 0 ? [quotaAdvice(key, quotas)] : []),
    `Move it, within seconds: artist-gateway keys pin ${key.id} --form ${move.to} --reason "…"; and back with --form ${move.from}`,
  ];
};
