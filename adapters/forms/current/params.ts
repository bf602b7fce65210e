import { z } from 'zod';
import type {
  AddedQuestion,
  ArtistQuestion,
  ArtistsQuestion,
  SpikesQuestion,
} from '../../../src/catalogue/questions.ts';
import { Problem } from '../../../src/domain/problem.ts';
import type { ParseParameters, Query } from '../form.ts';

/**
 * Parameters of the current form (specification, "Query parameters"). Nothing is repaired: what is out of range, repeated,
 * empty or unknown is `invalid-parameter`, and the message says what is allowed. The descriptions are what partners read in
 * the contract.
 */
const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^[0-9]+$/)
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ allowed: `a whole number from ${min} to ${max}` });

const nonEmpty = z.string().min(1).meta({ allowed: 'a text that is not empty' });

const longestName = 120;

/** Taken literally; empty means no filter. Control characters and nothing but blanks cannot be meant. */
const name = z
  .string()
  .refine((text) => [...text].length <= longestName)
  .refine((text) => text === '' || (text.trim() !== '' && !/\p{Cc}/u.test(text)))
  .transform((text) => (text === '' ? undefined : text.normalize('NFC')))
  .meta({
    allowed: `a text of at most ${longestName} characters, not only blanks, without control characters`,
    maxLength: longestName, // the refinement above, which a contract cannot show by itself
  });

const day = z.iso
  .date()
  .refine((text) => text >= '1970-01-01')
  .meta({ allowed: 'a day from 1970-01-01 on, as YYYY-MM-DD' });

const include = z.enum(['history']).meta({ allowed: 'history' });

export const artistsParameters = z.strictObject({
  name: name.optional().describe('Artists whose name contains this, whatever the case; taken literally'),
  id: nonEmpty.optional().describe('The one artist with this stable identifier'),
  added_since: day.optional().describe('Artists added on this day (UTC) or later'),
  tier: nonEmpty
    .optional()
    .describe('Artists of this tier: `watch`, `on-the-rise`, `breaking` or `established`; any other has none'),
  include: include.optional().describe('`history` adds the readings of every artist and song'),
  limit: integer(1, 100).default(50).describe('Page size'),
  cursor: z.string().optional().describe('The `next_cursor` of the previous page; the filters must stay the same'),
});

export const artistPath = z.object({ id: z.string().describe('The artist’s stable identifier') });

export const addedParameters = z.strictObject({
  days: integer(1, 90).default(7).describe('Artists added within so many days before today (UTC)'),
  limit: integer(1, 100).default(100).describe('The most artists that are returned'),
});

export const spikesParameters = z.strictObject({
  days: integer(1, 30).default(3).describe('The comparison window in days'),
});

/** None are known, and any are ignored. */
export const noParameters = z.object({});

/** What to use instead of a parameter that only the variant form has. */
const counterparts: Readonly<Record<string, string>> = {
  new: 'new is not a parameter here: use added_since, or GET /api/v1/added with days.',
  signed: 'signed is not a parameter here: use GET /api/v1/signings.',
  fields: 'fields is not a parameter here: lists leave history out unless include=history asks for it.',
};

const allowedFor = (schema: z.core.$ZodType): string => {
  const inner = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? schema.unwrap() : schema;
  return String(z.globalRegistry.get(inner)?.['allowed']);
};

const complaint = (schema: z.ZodObject, query: Query, error: z.ZodError): string => {
  const known = Object.keys(schema.shape);
  const wrong = known.find((parameter) => error.issues.some(({ path }) => path[0] === parameter));
  if (wrong !== undefined) {
    if (query.values(wrong).length > 1) return `${wrong} must be given once.`;
    return `${wrong} must be ${allowedFor(schema.shape[wrong])}.`;
  }
  const hint = query.names.map((unknown) => counterparts[unknown]).find((text) => text !== undefined);
  return hint ?? `An unknown parameter was given. Known here: ${known.join(', ')}.`;
};

/** Raises `invalid-parameter`; of several that are wrong, the first in schema order is named. */
const parse = <Schema extends z.ZodObject>(schema: Schema, query: Query): z.output<Schema> => {
  if (query.malformed.size > 0) throw new Problem('invalid-parameter', 'The query must be percent-encoded UTF-8.');
  const given = query.names.map((parameter) => {
    const values = query.values(parameter);
    return [parameter, values.length === 1 ? values[0] : values];
  });
  const result = schema.safeParse(Object.fromEntries(given));
  if (!result.success) throw new Problem('invalid-parameter', complaint(schema, query, result.error));
  return result.data;
};

const asked = <Question>(question: Question) => ({ question, adjusted: [] });

export const readArtists: ParseParameters<ArtistsQuestion> = (query) => {
  const { name, id, added_since, tier, include, limit, cursor } = parse(artistsParameters, query);
  return asked({
    filters: { name, id, addedSince: added_since, tier },
    limit,
    cursor,
    includeHistory: include === 'history',
  });
};

export const readArtist: ParseParameters<ArtistQuestion> = (_query, path) => asked({ id: path['id'] ?? '' });

export const readAdded: ParseParameters<AddedQuestion> = (query) => asked(parse(addedParameters, query));

export const readSpikes: ParseParameters<SpikesQuestion> = (query) => asked(parse(spikesParameters, query));

export const readSignings: ParseParameters<undefined> = () => asked(undefined);
