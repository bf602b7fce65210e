import { z } from 'zod';
import { documentRules } from './document-rules.ts';
import type { CatalogueCollection } from './input-files.ts';

/** The JSON Schema (2020-12) of a document to import, made from the rules that an import checks it by. */
export const documentSchema = (collection: CatalogueCollection): object => ({
  ...z.toJSONSchema(documentRules[collection], { io: 'input' }),
  title: `A document of the collection ${collection}`,
});
