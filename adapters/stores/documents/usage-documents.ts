import { z } from 'zod';
import { dayMs, hourMs, minuteMs } from '../../../src/domain/time.ts';
import type { DayTotal, HourTotal, MinuteCount, UsageCount } from '../../../src/domain/usage.ts';
import type { StoredDocument } from './stored-document.ts';

// Documents of the collections `usage` (per process, day, key, form, route and status) and
// `usage_minutes` (per process, hour and key). Only the gateway writes them.

const day = z.object({
  day: z.string(),
  key_id: z.string(),
  organization_id: z.string(),
  form: z.string().min(1),
  route: z.string().optional(),
  status: z.number(),
  requests: z.number(),
  uses: z.record(z.string(), z.number()),
  last_at: z.date(),
});

const hour = z.object({
  hour: z.date(),
  key_id: z.string(),
  organization_id: z.string(),
  minutes: z.record(z.string(), z.object({ requests: z.number(), refused: z.number() })),
});

/** The fields to read of both kinds of document. */
export const dayMembers = Object.keys(day.shape);
export const hourMembers = Object.keys(hour.shape);

/**
 * Days after the end of its day or hour at which a document expires: days are kept for a year to
 * compare with, minutes for a week. The database removes it by its own clock, so a gateway with a
 * wrong clock cannot remove others' documents.
 */
export const maxDayTotalAge = 400;
const maxHourTotalAge = 8;

/**
 * Throws for an unreadable document instead of skipping it: a report must not show less than was
 * counted.
 */
const parse = <Schema extends z.ZodObject>(
  schema: Schema,
  collection: string,
  document: StoredDocument,
): z.output<Schema> => {
  const parsed = schema.safeParse(document);
  if (parsed.success) return parsed.data;
  const member = parsed.error.issues[0]?.path.join('.');
  throw new Error(
    `${collection}: ${member} of the document ${document['_id']} cannot be read: remove the document.`,
  );
};

/** Members of both kinds of document, in addition to the id. */
export interface TotalMembers extends StoredDocument {
  readonly requests: number;
}

export const dayDocument = (total: DayTotal): TotalMembers => ({
  day: total.day,
  key_id: total.keyId,
  organization_id: total.organizationId,
  form: total.form,
  ...(total.route !== undefined && { route: total.route }),
  status: total.status,
  requests: total.requests,
  uses: total.uses,
  last_at: new Date(total.lastAt),
  expires_at: new Date(Date.parse(total.day) + (1 + maxDayTotalAge) * dayMs),
});

export const hourDocument = (total: HourTotal): TotalMembers => ({
  hour: new Date(total.hour),
  key_id: total.keyId,
  organization_id: total.organizationId,
  requests: total.requests,
  minutes: Object.fromEntries(total.minutes),
  expires_at: new Date(total.hour + hourMs + maxHourTotalAge * dayMs),
});

/** The counts of one process. Throws if the document cannot be read. */
export const readDay = (document: StoredDocument): UsageCount => {
  const { key_id, organization_id, route, last_at, ...same } = parse(day, 'usage', document);
  return {
    ...same,
    keyId: key_id,
    organizationId: organization_id,
    route,
    lastAt: last_at.getTime(),
  };
};

/** The counts of one process by minute. Throws if the document cannot be read. */
export const readHour = (document: StoredDocument): MinuteCount[] => {
  const { hour: began, key_id, organization_id, minutes } = parse(hour, 'usage_minutes', document);
  return Object.entries(minutes).map(([minute, counted]) => ({
    keyId: key_id,
    organizationId: organization_id,
    minute: began.getTime() + Number(minute) * minuteMs,
    ...counted,
  }));
};
