import { z } from 'zod';
import { encodeCursor } from '../../../src/catalogue/cursor.ts';
import type {
  AddedQuery,
  ArtistQuery,
  ArtistsQuery,
  SpikesQuery,
} from '../../../src/catalogue/queries.ts';
import type { Filters } from '../../../src/domain/filters.ts';
import { tiers } from '../../../src/domain/model.ts';
import { Problem } from '../../../src/domain/problem.ts';
import type { ParseParameters, QueryString } from '../form.ts';
import { nearestWord } from '../nearest-word.ts';
import { exampleValue, knownTiers } from '../open-values.ts';

// Parameters of the current form (contracts/openapi.json). Nothing is adjusted: a parameter that is
// out of range, repeated, empty or unknown raises `invalid-parameter`, and the message lists what
// is allowed. Partners read the descriptions in the contract.

const integer = (min: number, max: number, fallback: number) =>
  z
    .string()
    .regex(/^[0-9]+$/)
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ allowed: `a whole number from ${min} to ${max}` })
    .default(fallback)
    .meta({ usage: max });

const nonEmpty = z.string().min(1).meta({ allowed: 'a text that is not empty' });

/** In code points. */
const maxNameLength = 120;

/** Literal, including blanks and control characters. Empty means no filter. */
const name = z
  .string()
  .refine((text) => [...text].length <= maxNameLength)
  .transform((text) => (text === '' ? undefined : text.normalize('NFC')))
  .meta({
    allowed: `a text of at most ${maxNameLength} characters`,
    maxLength: maxNameLength, // for the contract: zod cannot derive it from the refinement above
  });

const day = z.iso
  .date()
  .refine((text) => text >= '0001-01-01')
  .meta({ allowed: 'a day from 0001-01-01 to 9999-12-31, as YYYY-MM-DD' });

const tier = nonEmpty.meta({ examples: [...tiers] });

const examples = {
  name: 'meridian',
  id: 'art_7rf1ly',
  addedSince: '2025-01-01',
  tier: 'established',
} as const satisfies Filters;

/** A cursor belongs to its filters. This cursor is before every artist. */
const exampleCursor = encodeCursor({ id: '', dateAdded: '9999-12-31' }, examples);

const include = z.enum(['history']).meta({ allowed: 'history' });

export const artistsParameters = z.strictObject({
  name: name
    .optional()
    .describe('Artists whose name contains this text, case-insensitive and taken literally')
    .meta(exampleValue(examples.name)),
  id: nonEmpty
    .optional()
    .describe('The artist with this stable identifier')
    .meta(exampleValue(examples.id)),
  added_since: day
    .optional()
    .describe('Artists added on this day (UTC) or later')
    .meta(exampleValue(examples.addedSince)),
  tier: tier
    .optional()
    .describe(`Artists of this tier: ${knownTiers}. Unknown tiers match no artist`)
    .meta(exampleValue(examples.tier)),
  include: include
    .optional()
    .describe('`history` adds the metric history of every artist and song')
    .meta({ ...exampleValue('history'), usage: ['history'] }),
  limit: integer(1, 100, 50).describe('Artists per page').meta(exampleValue(10)),
  cursor: z
    .string()
    .optional()
    .describe('The `next_cursor` of the previous page. Send the same filters with it')
    .meta(exampleValue(exampleCursor)),
});

export const artistPath = z.object({
  id: z.string().describe('The artist’s stable identifier').meta(exampleValue('art_7rf1ly')),
});

export const addedParameters = z.strictObject({
  days: integer(1, 90, 7)
    .describe('Artists added at most this many days before today (UTC)')
    .meta(exampleValue(30)),
  limit: integer(1, 100, 100).describe('Maximum number of artists').meta(exampleValue(10)),
});

export const spikesParameters = z.strictObject({
  days: integer(1, 30, 3).describe('Comparison window in days').meta(exampleValue(7)),
});

/** For routes without parameters, which ignore the query. */
export const noParameters = z.object({});

const paging = 'page through GET /api/v1/artists with cursor';
const search = 'search GET /api/v1/artists with name';
const order = 'every list has one order';
const size = 'use limit';
const history = 'lists leave history out unless include=history asks for it';

const added = 'use added_since, or GET /api/v1/added with days';
const changed = 'nothing lists changes: compare all pages, as /docs/guides#keep-a-copy says';

/**
 * What to use instead of parameters of the variant form or other services, by their letters in
 * lower case.
 */
const counterparts: ReadonlyMap<string, string> = new Map([
  ['signed', 'use GET /api/v1/signings'],
  ['fields', history],
  ...['new', 'days', 'since'].map((name) => [name, added] as const),
  ...['page', 'offset', 'skip', 'after', 'startingafter', 'nextcursor'].map(
    (name) => [name, paging] as const,
  ),
  ...['q', 'query', 'search'].map((name) => [name, search] as const),
  ...['sort', 'order', 'orderby', 'sortby'].map((name) => [name, order] as const),
  ...['perpage', 'pagesize', 'size', 'count'].map((name) => [name, size] as const),
  ...['updatedsince', 'changedsince', 'modifiedsince'].map((name) => [name, changed] as const),
]);

/** The parameter that each advice names. Paths without this parameter do not give the advice. */
const parametersNamed: ReadonlyMap<string, string> = new Map([
  [size, 'limit'],
  [history, 'include'],
  [added, 'added_since'],
]);

const counterpartOf = (letters: string, known: readonly string[]): string | undefined => {
  const advice = counterparts.get(letters);
  if (advice === undefined || known.includes(letters)) return undefined;
  const named = parametersNamed.get(advice);
  return named === undefined || known.includes(named) ? advice : undefined;
};

const allowedFor = (schema: z.core.$ZodType): string => {
  const inner =
    schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? schema.unwrap() : schema;
  return String(z.globalRegistry.get(inner)?.['allowed']);
};

/**
 * True if a message may repeat a name from the client (decisions, "Errors"): not a possible value,
 * and not a whole or truncated key, which begins with `aik_` (data format, "api_keys").
 */
const isRepeatable = (name: string): boolean => /^(?!.*aik_)[A-Za-z0-9_.-]{1,40}$/.test(name);

/** Names the unknown parameter, if its name may be repeated, and what to use instead. */
const unknownParameterMessage = (known: readonly string[], unknown: string): string => {
  const all = `this path has ${known.join(', ')}`;
  const single = unknown.replace(/\[\]$/, ''); // as clients write a list
  if (!isRepeatable(single)) return `The query has an unknown parameter: ${all}.`;
  const near = nearestWord(single, known);
  const letters = single.toLowerCase().replaceAll(/[^a-z]/g, '');
  const meant = near === undefined ? undefined : `did you mean ${near}?`;
  const advice = counterpartOf(letters, known) ?? meant ?? all;
  const what = isRepeatable(unknown)
    ? `${unknown} is not a parameter here`
    : 'The query has an unknown parameter';
  return `${what}: ${advice}${advice.endsWith('?') ? '' : '.'}`;
};

const errorMessage = (schema: z.ZodObject, query: QueryString, error: z.ZodError): string => {
  const known = Object.keys(schema.shape);
  const invalid = known.find((parameter) => error.issues.some(({ path }) => path[0] === parameter));
  if (invalid !== undefined) {
    if (query.values(invalid).length > 1) return `${invalid} must be given once.`;
    return `${invalid} must be ${allowedFor(schema.shape[invalid])}.`;
  }
  return unknownParameterMessage(
    known,
    query.names.find((parameter) => !known.includes(parameter)) ?? '',
  );
};

/**
 * Parses a query. Raises `invalid-parameter` and names the first invalid parameter in schema order.
 */
const parse = <Schema extends z.ZodObject>(
  schema: Schema,
  query: QueryString,
): z.output<Schema> => {
  if (query.malformed.size > 0)
    throw new Problem('invalid-parameter', 'The query must be percent-encoded UTF-8.');
  const given = query.names.map((parameter) => {
    const values = query.values(parameter);
    return [parameter, values.length === 1 ? values[0] : values];
  });
  const result = schema.safeParse(Object.fromEntries(given));
  if (!result.success)
    throw new Problem('invalid-parameter', errorMessage(schema, query, result.error));
  return result.data;
};

const unadjusted = <Query>(query: Query) => ({ query, adjusted: [] });

/** Parses `/artists`. Raises `invalid-parameter`; the catalogue checks the cursor. */
export const parseArtists: ParseParameters<ArtistsQuery> = (query) => {
  const { name, id, added_since, tier, include, limit, cursor } = parse(artistsParameters, query);
  return unadjusted({
    filters: { name, id, addedSince: added_since, tier },
    limit,
    cursor,
    includeHistory: include === 'history',
  });
};

/** Returns the id from the path of `/artists/{id}`; the query is ignored. */
export const parseArtistId: ParseParameters<ArtistQuery> = (_query, path) =>
  unadjusted({ id: path['id'] ?? '' });

/** Parses `/added`. Raises `invalid-parameter`. */
export const parseAdded: ParseParameters<AddedQuery> = (query) =>
  unadjusted(parse(addedParameters, query));

/** Parses `/spikes`. Raises `invalid-parameter`. */
export const parseSpikes: ParseParameters<SpikesQuery> = (query) =>
  unadjusted(parse(spikesParameters, query));

/** `/signings` has no parameters; the query is ignored. */
export const parseSignings: ParseParameters<undefined> = () => unadjusted(undefined);
