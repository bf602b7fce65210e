import { z } from 'zod';
import { isObjectId, type ObjectId } from './document-id.ts';
import type { Type } from './member-types.ts';

// What members of stored documents hold that has no parts.

/** Characters. */
export const maxTextLength = 100_000;

/**
 * Seam: zod compares the `length` of whatever has one, also of an object, where a comparison may throw and fail the load of a
 * whole collection. Its types leave out the option that says what is measured.
 */
export const onlyTexts = { abort: false, when: ({ value }: { readonly value: unknown }) => typeof value === 'string' };

export const text = (maxLength = maxTextLength): Type<string> => ({
  is: 'text',
  maxLength,
  schema: z.string().min(1, onlyTexts).max(maxLength, onlyTexts),
});

/** Bytes of UTF-8 that a stable id has at most: a cursor holds one and must fit a query beside a name. */
export const maxIdBytes = 200;

/** Programs resolve dots in a path, and the gateway knows no path with control characters. */
export const idInPath = /^(?!\.{1,2}$)\P{Cc}*$/u;

export const fitsCursor = (id: string): boolean => Buffer.byteLength(id) <= maxIdBytes;

export const stableId: Type<string> = {
  is: 'stableId',
  schema: z
    .string()
    .min(1, onlyTexts)
    .regex(idInPath, 'cannot stand in a URL')
    .refine(fitsCursor, `must have at most ${maxIdBytes} bytes`),
};

export const oneOf = <Name extends string>(names: readonly Name[]): Type<Name> => ({
  is: 'oneOf',
  names,
  schema: z.enum(names),
});

export const flag: Type<boolean> = { is: 'flag', schema: z.boolean() };
export const count: Type<number> = { is: 'count', schema: z.int() };
export const day: Type<string> = { is: 'day', schema: z.iso.date() };

/** The largest number that the contracts promise: whole numbers up to it are exact. */
export const maxMetric = 2 ** 53;

/** A finite number. */
export const metric: Type<number> = { is: 'metric', schema: z.number().min(-maxMetric).max(maxMetric) };

/** ISO 3166-1 alpha-2, in the stored case. */
export const countryCode: Type<string> = {
  is: 'countryCode',
  schema: z.string().regex(/^[A-Za-z]{2}$/, 'must be two letters'),
};

/**
 * An HTTP or HTTPS address. The first schema checks the scheme with a pattern: zod's option `protocol` parses every address
 * as a `URL`, which takes three times as long. The second schema parses what the first refuses, because an optimised
 * `URL.canParse` of Node 20 and 22 refuses valid addresses that are not ASCII.
 */
export const url: Type<string> = {
  is: 'url',
  schema: z.union(
    [
      z
        .url()
        .regex(/^https?:\/\//i)
        .max(maxTextLength, onlyTexts),
      z.url({ protocol: /^https?$/ }).max(maxTextLength, onlyTexts),
    ],
    { error: 'Invalid URL' },
  ),
};

const instantText = z.iso.datetime({ offset: true });

/** Epoch milliseconds, from an ISO 8601 text or a BSON date; a copy holds the text of the date. */
export const instant: Type<number> = {
  is: 'instant',
  schema: z.union([z.date(), instantText]),
  toModel: (stored) => new Date(stored as string | Date).getTime(), // the schema accepted it, or a copy holds it
  toStored: (ms) => new Date(ms),
};

const normalLength = '2026-08-22T11:00:00.000Z'.length;

/** An instant's text in UTC with milliseconds. Most are stored so; formatting one costs more than all other checks. */
const normalise = (value: string): string =>
  value.length === normalLength && value.endsWith('Z') ? value : new Date(value).toISOString();

/** A day or an instant that the gateway only shows, with instants normalised to UTC with milliseconds. */
export const shownDay: Type<string> = {
  is: 'shownDay',
  schema: z.union([z.date().transform((date) => date.toISOString()), instantText.transform(normalise), text().schema]),
};

/** A document identifier as text; MongoDB may have generated it as an ObjectId. */
export const documentId: Type<string> = {
  is: 'documentId',
  schema: z.union([text().schema, z.custom<ObjectId>(isObjectId).transform((id) => id.toHexString())]),
};
