import { z } from 'zod';
import { artistMetrics, type Song, songMetrics } from '../../src/domain/model.ts';
import { isMetricOfIts } from '../stores/documents/catalogue-documents.ts';
import { artist, label, point, series, song } from '../stores/documents/catalogue-members.ts';
import type { Type } from '../stores/documents/member-types.ts';
import {
  fitsCursor,
  idInPath,
  maxIdBytes,
  maxMetric,
  maxTextLength,
  onlyTexts,
  url as storedUrl,
} from '../stores/documents/simple-types.ts';
import type { CatalogueCollection } from './input-files.ts';

// What an import accepts: everything that the gateway can read whole and that the contracts allow. A gateway reads documents
// with fewer demands (documents/member-types.ts), because it has to serve what is stored. `meta` says in JSON Schema what a
// refinement demands (document-schema.ts); what it cannot say is listed in docs/importing.md.

const maxShown = 40;

/** A value as messages show it. */
const showValue = (value: unknown): string => {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
};

/** The message of a mistake: what was found and what is expected. */
const expecting = (expected: string) => ({
  error: ({ input }: { readonly input?: unknown }): string =>
    `${input === undefined ? 'missing' : showValue(input)}; expected ${expected}`,
});

const text = (expected = 'a text', maxLength = maxTextLength) =>
  z
    .string(expecting(expected))
    .min(1, { ...onlyTexts, ...expecting(expected) })
    .max(maxLength, { ...onlyTexts, ...expecting(`at most ${maxLength} characters`) });

const isInCentury = (day: string): boolean => day >= '2000-01-01' && day < '2100-01-01';

/** Whether a day or an instant is one of 2000 to 2099, as it is written and in UTC. */
const thisCentury = (value: string): boolean => {
  const ms = Date.parse(value);
  return isInCentury(value) && !Number.isNaN(ms) && isInCentury(new Date(ms).toISOString());
};
const aDay = 'a day of 2000 to 2099, such as "2026-08-22"';
const anInstant = 'an instant of 2000 to 2099, such as "2026-08-22T11:00:00Z"';

const ofThisCentury = { allOf: [{ pattern: '^20' }] };

const day = z.iso.date(expecting(aDay)).refine(thisCentury, expecting(aDay)).meta(ofThisCentury);
const instant = z.iso
  .datetime({ offset: true, ...expecting(anInstant) })
  .refine(thisCentury, expecting(anInstant))
  .meta(ofThisCentury);

const isDayOrInstant = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

const dayOrInstant = z
  .string(expecting(`${aDay}, or an instant`))
  .refine((value) => isDayOrInstant.safeParse(value).success && thisCentury(value), expecting(`${aDay}, or an instant`))
  .meta({ ...ofThisCentury, anyOf: z.toJSONSchema(isDayOrInstant).anyOf });

const anId = 'an id that a URL can carry: not "." or "..", and without control characters';

const stableId = text('an id', maxIdBytes)
  .regex(idInPath, expecting(anId))
  .refine(fitsCursor, expecting(`an id of at most ${maxIdBytes} bytes`));

const likeADay = /^\d{4}-\d/;

/** A text that a gateway only shows. One that begins like a day must be a day or an instant. */
const shownDay = text()
  .refine(
    (value) => !likeADay.test(value) || (isDayOrInstant.safeParse(value).success && thisCentury(value)),
    expecting(`${aDay}, or an instant`),
  )
  .meta({
    if: { pattern: likeADay.source },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { ...ofThisCentury, anyOf: z.toJSONSchema(isDayOrInstant).anyOf },
  });

const url = text('an address')
  .refine(
    (value) => storedUrl.schema.safeParse(value).success,
    expecting('an address that begins with https:// or http://'),
  )
  .meta({ pattern: '^\\s*[Hh][Tt][Tt][Pp][Ss]?://+[^\\s/?#]' });

const aNumber = 'a number of 0 to 2^53';
const aCount = 'a whole number of 0 or more';
const aMetric = `a metric of an artist (${artistMetrics.join(', ')}) or, with song_id, of a song (${songMetrics.join(', ')})`;

/** The rules of values without parts. */
const simpleRules = {
  countryCode: z.string(expecting('two letters')).regex(/^[A-Za-z]{2}$/, expecting('two letters')),
  count: z.int(expecting(aCount)).min(0, expecting(aCount)),
  day,
  documentId: text(),
  flag: z.boolean(expecting('true or false')),
  instant,
  metric: z.number(expecting(aNumber)).min(0, expecting(aNumber)).max(maxMetric, expecting(aNumber)),
  dayOrInstant,
  seriesMetric: z.string(expecting(aMetric)),
  shownDay,
  stableId,
  url,
};

/** The values of a map, in words. */
const plurals: Readonly<Partial<Record<Type['is'], string>>> = {
  flag: 'true or false',
  metric: 'numbers',
  shownDay: 'days or instants',
  url: 'addresses',
};

const refuseRepeatedSongs = (songs: readonly unknown[], context: z.RefinementCtx): void => {
  const ids = new Set<unknown>();
  for (const [index, stored] of songs.entries()) {
    const { id } = stored as Song; // accepted by then, with the model's name
    if (ids.has(id))
      context.addIssue({ code: 'custom', path: [index, 'id'], message: `the song ${id} is there twice` });
    ids.add(id);
  }
};

const refuseUnordered = (stored: readonly unknown[], context: z.RefinementCtx): void => {
  const days = stored.map((one) => point.toModel(one).date);
  const index = days.findIndex((date, at) => at > 0 && date <= (days[at - 1] ?? ''));
  if (index === -1) return;
  const message = `${days[index]} after ${days[index - 1]}; expected days in order, one point a day`;
  context.addIssue({ code: 'custom', path: [index, 'date'], message });
};

const ruleOfList = ({ of, element }: Extract<Type, { readonly is: 'list' }>): z.ZodType => {
  const rule = z.array(ruleOf(element), expecting(`an array of ${of}`));
  if (element === song) return rule.superRefine(refuseRepeatedSongs);
  return element === point ? rule.superRefine(refuseUnordered) : rule;
};

const ruleOfObject = ({ members, expected }: Extract<Type, { readonly is: 'object' }>): z.ZodObject => {
  const names = members.map(({ name }) => name).join(', ');
  const rules = members.map(({ name, type, isRequired }): [string, z.ZodType] => {
    const rule = ruleOf(type);
    return [name, isRequired ? rule : rule.nullish()];
  });
  return z.object(
    Object.fromEntries(rules),
    expecting(expected ?? `an object with ${names}; {} when nothing is known`),
  );
};

const ruleOfMap = ({ names, element }: Extract<Type, { readonly is: 'map' }>): z.ZodType => {
  const rule = ruleOf(element).optional().nullable();
  const of = plurals[element.is];
  return z.object(
    Object.fromEntries(names.map((name) => [name, rule])),
    expecting(`an object of ${of} by name (${names.join(', ')}); {} when none is known`),
  );
};

/** What a value of this type must be. */
const ruleOf = (type: Type): z.ZodType => {
  switch (type.is) {
    case 'text':
      return text('a text', type.maxLength);
    case 'oneOf':
      return z.enum(type.names, expecting(`one of ${type.names.join(', ')}`));
    case 'map':
      return ruleOfMap(type);
    case 'list':
      return ruleOfList(type);
    case 'object':
      return ruleOfObject(type);
    default:
      return simpleRules[type.is];
  }
};

/** What the format knows of the documents of each collection. */
export const documentTypes = { artists: artist, history: series, labels: label } satisfies Record<
  CatalogueCollection,
  Type
>;

/** What a label is detected by (catalogue/label-detector.ts). */
const word = /[\p{L}\p{N}]/u;

const hasWord = (stored: unknown): boolean => {
  const { name, aliases } = stored as { readonly name: string; readonly aliases: readonly string[] }; // accepted by then
  return [name, ...aliases].some((one) => word.test(one));
};

/** What a document of each collection must be. */
export const documentRules: Readonly<Record<CatalogueCollection, z.ZodType>> = {
  artists: ruleOf(documentTypes.artists),
  history: ruleOfObject(documentTypes.history)
    .refine(isMetricOfIts, { path: ['metric'], error: `expected ${aMetric}` })
    .meta({
      if: { properties: { song_id: { type: 'string' } }, required: ['song_id'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { metric: { enum: songMetrics } } },
      else: { properties: { metric: { enum: artistMetrics } } },
    }),
  labels: ruleOfObject(documentTypes.labels)
    .refine(hasWord, {
      path: ['name'],
      error: 'expected a letter or a digit in the name or an alias: signs are found in no P-line',
    })
    .meta({
      anyOf: [
        { properties: { name: { pattern: word.source } } },
        { properties: { aliases: { type: 'array', contains: { type: 'string', pattern: word.source } } } },
      ],
    }),
};
