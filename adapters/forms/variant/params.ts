import { z } from 'zod';
import type { ArtistsQuery, SpikesQuery } from '../../../src/catalogue/queries.ts';
import type { Filters } from '../../../src/domain/filters.ts';
import { type Tier, tiers } from '../../../src/domain/model.ts';
import type { AdjustedParameter } from '../../../src/domain/usage.ts';
import type { ParseParameters, QueryString } from '../form.ts';
import { exampleValue, knownTiers } from '../open-values.ts';

// Parameters of the variant form (contracts/openapi.variant.json). Nothing is rejected: numbers are
// clamped or get their default, an invalid filter matches nothing, the rest is ignored. Adjustments
// are reported as `name=value` with the value used, never with the client's text. The parsers below
// use the names, maxima and defaults of the schemas.

const number = (max: number, fallback: number, description: string) =>
  z.int().min(1).max(max).default(fallback).describe(description).meta({ usage: max });

export const artistsParameters = z.object({
  id: z
    .string()
    .optional()
    .describe('The artist with this document identifier; 404 if there is none')
    .meta(exampleValue('66a18b869b2e81c0c529552a')),
  new: z
    .int()
    .min(0)
    .optional()
    .describe('Artists added at most this many days before today (UTC)')
    .meta({ ...exampleValue(365), usage: 'number' }),
  tier: z
    .enum(tiers)
    .meta({ open: true }) // more may be added
    .optional()
    .describe(`Artists of this tier: ${knownTiers}. Unknown tiers match no artist`)
    .meta({ ...exampleValue('established'), usage: tiers }),
  signed: z
    .boolean()
    .optional()
    .describe('`true`: signed artists. `false`: all others')
    .meta({ ...exampleValue(true), usage: 'boolean' }),
  fields: z
    .enum(['basic'])
    .optional()
    .describe('`basic` leaves out `songs` and `scouting_report`')
    .meta({ ...exampleValue('basic'), usage: ['basic'] }),
  limit: number(200, 100, 'Maximum number of artists').meta(exampleValue(10)),
});

export const spikesParameters = z.object({
  days: number(30, 3, 'Comparison window in days').meta(exampleValue(7)),
});

/** For routes without parameters, which ignore the query. */
export const noParameters = z.object({});

const clamp = (given: number, { minValue, maxValue }: z.ZodNumber): number =>
  Math.min(Math.max(given, minValue ?? given), maxValue ?? given);

/** Reads the parameters of one query and records every adjustment in `adjusted`. */
const createAdjustments = (query: QueryString, { shape }: z.ZodObject) => {
  const adjusted: AdjustedParameter[] = query.isTooLong
    ? [{ parameter: 'query', used: 'none' }]
    : [];
  const repeats = (name: string): boolean => query.values(name).length > 1;

  return {
    adjusted,

    /** The first value; `undefined` if the parameter is absent. */
    first: (name: string): string | undefined => query.values(name)[0],

    /**
     * True if the first value is not valid percent-encoded UTF-8. Then its decoded text is not what
     * the client sent.
     */
    isMalformed: (name: string): boolean => query.malformed.has(name),

    /** Returns the number, clamped to the schema's range, or its default. */
    integer(name: string, schema: ReturnType<typeof number>): number {
      const fallback = schema.parse(undefined);
      const text = query.values(name)[0];
      if (text === undefined) return fallback;
      const given = /^[0-9]+$/.test(text) ? Number(text) : undefined;
      const used = given === undefined ? fallback : clamp(given, schema.unwrap());
      if (used !== given || repeats(name)) adjusted.push({ parameter: name, used: String(used) });
      return used;
    },

    /**
     * Records a filter: `none` if it is invalid and matches nothing, or the value used if it was
     * changed or repeated.
     */
    filter(name: string, used: string | undefined, isClamped = false): void {
      if (used === undefined || isClamped || repeats(name))
        adjusted.push({ parameter: name, used: used ?? 'none' });
    },

    /** Records the number of unknown parameters. */
    unknown(): void {
      const ignored = query.names.filter((name) => !Object.hasOwn(shape, name));
      if (ignored.length > 0) adjusted.push({ parameter: 'unknown', used: String(ignored.length) });
    },
  };
};

type Adjustments = ReturnType<typeof createAdjustments>;

const isTier = (text: string): text is Tier => tiers.some((tier) => tier === text);

/** No document has this id. */
const noDocumentId = '';

const parseId = (adjustments: Adjustments): Filters => {
  const id = adjustments.first('id');
  if (id === undefined) return {};
  adjustments.filter('id', id === '' ? undefined : 'first');
  if (id === '') return { nothing: true };
  return { documentId: adjustments.isMalformed('id') ? noDocumentId : id };
};

const parseNew = (adjustments: Adjustments): Filters => {
  const text = adjustments.first('new');
  if (text === undefined) return {};
  const given = /^[0-9]+$/.test(text) ? Number(text) : undefined; // 400 digits are Infinity
  const days = given && Math.min(given, Number.MAX_SAFE_INTEGER);
  adjustments.filter('new', days?.toString(), days !== given);
  return days === undefined ? { nothing: true } : { addedWithinDays: days };
};

const parseTier = (adjustments: Adjustments): Filters => {
  const text = adjustments.first('tier');
  if (text === undefined) return {};
  const tier = isTier(text) ? text : undefined;
  adjustments.filter('tier', tier && 'first');
  return tier === undefined ? { nothing: true } : { tier };
};

const parseSigned = (adjustments: Adjustments): Filters => {
  const text = adjustments.first('signed')?.toLowerCase();
  if (text === undefined) return {};
  const signed = text === 'true' ? true : text === 'false' ? false : undefined;
  adjustments.filter('signed', signed?.toString());
  return signed === undefined ? { nothing: true } : { signed };
};

const parseFields = (adjustments: Adjustments): 'basic' | 'all' => {
  const text = adjustments.first('fields');
  const fields = text === 'basic' ? 'basic' : 'all';
  if (text !== undefined && text !== 'basic')
    adjustments.adjusted.push({ parameter: 'fields', used: fields });
  else adjustments.filter('fields', fields);
  return fields;
};

export interface VariantArtistsQuery extends ArtistsQuery {
  readonly fields: 'basic' | 'all';
}

/** Parses `/artists`. Raises no problem. */
export const parseArtists: ParseParameters<VariantArtistsQuery> = (query) => {
  const adjustments = createAdjustments(query, artistsParameters);
  const filters: Filters = {
    ...(query.isTooLong && { nothing: true }),
    ...parseId(adjustments),
    ...parseNew(adjustments),
    ...parseTier(adjustments),
    ...parseSigned(adjustments),
  };
  const fields = parseFields(adjustments);
  const limit = adjustments.integer('limit', artistsParameters.shape.limit);
  adjustments.unknown();
  return { query: { filters, fields, limit }, adjusted: adjustments.adjusted };
};

/** A query for a list that is empty if the query string is too long. */
interface ListQuery {
  readonly nothing: boolean;
}

/** Parses `/spikes`. Raises no problem. */
export const parseSpikes: ParseParameters<SpikesQuery & ListQuery> = (query) => {
  const adjustments = createAdjustments(query, spikesParameters);
  const days = adjustments.integer('days', spikesParameters.shape.days);
  adjustments.unknown();
  return { query: { days, nothing: query.isTooLong }, adjusted: adjustments.adjusted };
};

/** `/signings` has no parameters; given ones are counted as unknown. */
export const parseSignings: ParseParameters<ListQuery> = (query) => {
  const adjustments = createAdjustments(query, noParameters);
  adjustments.unknown();
  return { query: { nothing: query.isTooLong }, adjusted: adjustments.adjusted };
};
