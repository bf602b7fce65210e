import { z } from 'zod';

/** The kinds of members that stored documents have. A stored `null` is read as absent. */

const longestText = 100_000;

export const text = z.string().min(1).max(longestText);
export const day = z.iso.date();

/**
 * An address over HTTP. The scheme is looked at in the text: with the option `protocol` every address would be taken apart,
 * for three times as long. What the quick check refuses is taken apart after all: once `URL.canParse` is hot, Node 20 and 22
 * refuse with it what is good and not ASCII.
 */
export const url = z.union(
  [
    z
      .url()
      .regex(/^https?:\/\//i)
      .max(longestText),
    z.url({ protocol: /^https?$/ }).max(longestText),
  ],
  { error: 'Invalid URL' },
);

const instantText = z.iso.datetime({ offset: true });

/** An instant as epoch milliseconds, from an ISO 8601 text or a BSON date. */
export const instant = z
  .union([z.date(), instantText.transform((value) => new Date(value))])
  .transform((date) => date.getTime());

const normalLength = '2026-08-22T11:00:00.000Z'.length;

/** An instant's text in UTC with milliseconds. Most are written so, and to write one again costs more than all other checks. */
const normalise = (value: string): string =>
  value.length === normalLength && value.endsWith('Z') ? value : new Date(value).toISOString();

/** A day or an instant that is only shown: an instant is normalised to UTC with milliseconds. */
export const moment = z.union([
  z.date().transform((date) => date.toISOString()),
  instantText.transform(normalise),
  text,
]);

/** A member that may be missing. */
export const maybe = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);

interface ObjectId {
  toHexString(): string;
}

const isObjectId = (value: unknown): value is ObjectId =>
  typeof value === 'object' && value !== null && 'toHexString' in value && typeof value.toHexString === 'function';

/** An identifier that the database may have made: shown as text. */
export const documentId = z.union([text, z.custom<ObjectId>(isObjectId).transform((id) => id.toHexString())]);

/** A map with these keys only; what is not known is not there. */
export const known = <Key extends string, Schema extends z.ZodType>(keys: readonly Key[], schema: Schema) =>
  z
    .record(z.string(), z.unknown())
    .transform((map) =>
      Object.fromEntries(keys.filter((key) => (map[key] ?? null) !== null).map((key) => [key, map[key]])),
    )
    .pipe(z.partialRecord(z.enum(keys), schema));
