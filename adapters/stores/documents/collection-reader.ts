import type { DocumentFault } from '../../../src/domain/document-fault.ts';
import { collectionKept, faultOf, partsLeftOut } from './faults.ts';
import type { Parsed } from './parse-result.ts';

/** A stored document, and its name in the log. */
export interface NamedDocument {
  readonly value: unknown;
  name(): string;
}

/** Members of a stored value; none when it is no object. */
export const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

/** What one load of a whole collection returned. */
export interface ReadCollection<Model> {
  readonly models: readonly Model[];
  /** Documents that cannot be read and never could. */
  readonly unreadable: readonly NamedDocument[];
  readonly faults: readonly DocumentFault[];
  /** The last good version of every document, by its identifiers. */
  readonly lastGood: ReadonlyMap<string, Model>;
}

export interface CollectionReaderOptions<Model> {
  readonly collection: string;
  readonly read: (document: unknown) => Parsed<Model>;
  /** The identifiers of a stored document that can be read, whether or not its other members can. */
  readonly identify: (document: unknown) => readonly string[];
  /** The key that is unique in the collection. */
  readonly keyOf: (model: Model) => string;
  /** The last good version of a document that cannot be read, with what can be read of it and may not wait. */
  readonly amend?: (lastGood: Model, document: unknown) => Model;
}

/** Reads a whole collection. `keepWhenEmpty`: whether its last copy outlives the removal of all documents. */
export type CollectionReader<Model> = (
  documents: readonly NamedDocument[],
  keepWhenEmpty: boolean,
) => ReadCollection<Model>;

/**
 * Creates a reader that remembers the last good version of every document (decisions, "Freshness and caching"): it is served
 * for a document that can no longer be read. Of documents with the same key the first is kept. Everything else is reported.
 *
 * @param former the result of the last load of an earlier process
 */
export const createCollectionReader = <Model>(
  options: CollectionReaderOptions<Model>,
  former: ReadCollection<Model> = { models: [], unreadable: [], faults: [], lastGood: new Map() },
): CollectionReader<Model> => {
  const { collection, read, identify, keyOf, amend = (model) => model } = options;
  let last = former;

  const readOne = (document: NamedDocument): { model: Model | undefined; faults: readonly DocumentFault[] } => {
    const parsed = read(document.value);
    if ('model' in parsed) {
      const faults = parsed.leftOut === undefined ? [] : partsLeftOut(collection, document.name(), parsed.leftOut);
      return { model: parsed.model, faults };
    }
    const [known] = identify(document.value).flatMap((identifier) => last.lastGood.get(identifier) ?? []);
    const event = known === undefined ? 'document left out' : 'document unreadable, serving its last good version';
    return {
      model: known === undefined ? undefined : amend(known, document.value),
      faults: [faultOf(event, collection, document.name(), parsed.issue)],
    };
  };

  return (documents, keepWhenEmpty) => {
    if (documents.length === 0 && keepWhenEmpty && last.models.length > 0) {
      return { ...last, faults: [collectionKept(collection)] };
    }
    const models = new Map<string, Model>();
    const lastGood = new Map<string, Model>();
    const unreadable: NamedDocument[] = [];
    const faults: DocumentFault[] = [];
    for (const document of documents) {
      const { model, faults: found } = readOne(document);
      faults.push(...found);
      if (model === undefined) unreadable.push(document);
      else if (models.has(keyOf(model))) {
        const reason = 'another document with the same identifier is kept';
        faults.push({ event: 'document left out', collection, document: document.name(), reason });
      } else {
        models.set(keyOf(model), model);
        for (const identifier of identify(document.value)) lastGood.set(identifier, model);
      }
    }
    last = { models: [...models.values()], unreadable, faults, lastGood };
    return last;
  };
};
