import { z } from 'zod';
import { artistMetrics, type Song, songMetrics } from '../../src/domain/model.ts';
import { isMetricOfIts } from '../stores/documents/catalogue-documents.ts';
import { artist, label, point, series, song } from '../stores/documents/catalogue-members.ts';
import type { Type } from '../stores/documents/member-types.ts';
import type { CatalogueCollection } from './input-files.ts';
import { aMetric, expecting, simpleRules, text } from './simple-rules.ts';

// What an import accepts: everything that the gateway can read whole and that the contracts allow. A gateway reads documents
// with fewer demands (documents/member-types.ts), because it has to serve what is stored. `meta` says in JSON Schema what a
// refinement demands (document-schema.ts); what it cannot say is listed in docs/importing.md.

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
