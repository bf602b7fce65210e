import { z } from 'zod';
import { isMetricOfIts } from '../../adapters/stores/documents/catalogue-documents.ts';
import { membersOf } from '../../adapters/stores/documents/collection-reader.ts';
import {
  artistMetrics,
  artistSchema,
  type Label,
  labelSchema,
  seriesSchema,
  songMetrics,
} from '../../src/domain/model.ts';
import { aMetric, importRules } from './import-rules.ts';
import type { CatalogueCollection } from './input-files.ts';

// What an import accepts. A gateway reads documents with fewer demands (documents/stored-rules.ts),
// because it has to serve what is stored. `meta` says in JSON Schema what a refinement demands;
// `validate` checks the rest.

const hasWord = ({ name, aliases }: Label): boolean =>
  [name, ...aliases].some((one) => /[\p{L}\p{N}]/u.test(one));

const isMetricOfItsSong = (series: unknown): boolean => {
  const { song_id, metric } = membersOf(series); // by its stored names
  return isMetricOfIts(song_id, metric);
};

export const documentRules: Readonly<Record<CatalogueCollection, z.ZodType>> = {
  artists: artistSchema(importRules),
  history: seriesSchema(importRules)
    .refine(isMetricOfItsSong, { path: ['metric'], error: `expected ${aMetric}` })
    .meta({
      if: { properties: { song_id: { type: 'string' } }, required: ['song_id'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { metric: { enum: songMetrics } } },
      else: { properties: { metric: { enum: artistMetrics } } },
    }),
  labels: labelSchema(importRules).refine(hasWord, {
    path: ['name'],
    error: 'expected a letter or a digit in the name or an alias: signs alone match no P-line',
  }),
};

/** Matches the same as `\P{Cc}` without a Unicode property, which patterns in Python lack. */
const noControl = String.raw`[^\x00-\x1f\x7f-\x9f]`;

/** The JSON Schema (2020-12) of a document to import, generated from the rules of the import. */
export const documentSchema = (collection: CatalogueCollection): z.core.JSONSchema.BaseSchema => ({
  ...z.toJSONSchema(documentRules[collection], {
    io: 'input',
    override({ jsonSchema }) {
      if (jsonSchema.pattern !== undefined)
        jsonSchema.pattern = jsonSchema.pattern.replaceAll(String.raw`\P{Cc}`, noControl);
    },
  }),
  title: `A document of the collection ${collection}`,
});
