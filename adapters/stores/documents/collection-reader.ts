import type { DocumentFault } from '../../../src/domain/document-fault.ts';
import { forEachInTurns } from '../../../src/runtime/cooperative.ts';
import { describeId } from './document-id.ts';
import { collectionKept, parseFaults } from './faults.ts';
import type { Parsed } from './parse-result.ts';
import type { StoredDocument } from './stored-document.ts';

/** A stored document, and its name in the log. */
export interface NamedDocument {
  readonly value: unknown;
  name(): string;
}

export const namedById = (value: StoredDocument): NamedDocument => ({
  value,
  name: () => describeId(value['_id']),
});

/** The fields of a stored value; `{}` if it is not an object. */
export const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

/** The result of one load of a whole collection. */
export interface ReadCollection<Model> {
  readonly models: readonly Model[];
  /** Documents that were never readable. */
  readonly unreadable: readonly NamedDocument[];
  readonly faults: readonly DocumentFault[];
  /** The last good version of every document, by its identifiers. */
  readonly lastGood: ReadonlyMap<string, Model>;
}

/** How the documents of a collection are read. */
export interface CollectionRules<Model> {
  readonly collection: string;
  readonly read: (document: unknown) => Parsed<Model>;
  /** The readable identifiers of a stored document, even if its other fields are not readable. */
  readonly identify: (document: unknown) => readonly string[];
  /** The key that is unique in the collection. */
  readonly keyOf: (model: Model) => string;
  /** Updates the last good version of an unreadable document with its readable urgent fields. */
  readonly amend?: (lastGood: Model, document: unknown) => Model;
  /**
   * True if a document takes precedence over others with its key, regardless of order. By default
   * none does.
   */
  readonly prevails?: (model: Model) => boolean;
}

/**
 * Creates a reader of single documents. An unreadable document keeps its last good version
 * (decisions, "Freshness and caching"). Of documents with the same key, keeps the document that
 * `prevails`, else the first. Everything else is reported.
 *
 * @param lastGoodOf the last good version of the document with this identifier
 */
export const createDocumentReader = <Model>(
  {
    collection,
    read,
    identify,
    keyOf,
    amend = (model) => model,
    prevails = () => false,
  }: CollectionRules<Model>,
  lastGoodOf: (identifier: string) => Model | undefined,
) => {
  const models = new Map<string, Model>();
  const documents = new Map<string, NamedDocument>();
  const lastGood = new Map<string, Model>();
  const unreadable: NamedDocument[] = [];
  const faults: DocumentFault[] = [];

  const modelOf = (document: NamedDocument): Model | undefined => {
    const parsed = read(document.value);
    if ('model' in parsed) {
      faults.push(...parseFaults(collection, document.name, parsed));
      return parsed.model;
    }
    const [known] = identify(document.value).flatMap((identifier) => lastGoodOf(identifier) ?? []);
    faults.push(...parseFaults(collection, document.name, parsed, known !== undefined));
    return known === undefined ? undefined : amend(known, document.value);
  };

  /**
   * Reads urgent fields from an unreadable document even if a readable document has the same key.
   */
  const amendBeside = ({ value }: NamedDocument): void => {
    for (const identifier of identify(value)) {
      const model = lastGood.get(identifier);
      if (model === undefined) continue;
      const amended = amend(model, value);
      models.set(keyOf(amended), amended);
      lastGood.set(identifier, amended);
    }
  };

  return {
    add(document: NamedDocument): void {
      const model = modelOf(document);
      if (model === undefined) {
        unreadable.push(document);
        return;
      }
      const key = keyOf(model);
      const previous = models.get(key);
      if (previous !== undefined) {
        const isPreviousKept = prevails(previous) || !prevails(model);
        const left = isPreviousKept ? document : documents.get(key);
        const reason = 'another document with the same identifier is kept';
        faults.push({
          event: 'invalid document ignored',
          collection,
          document: left?.name() ?? key,
          reason,
        });
        if (isPreviousKept) return;
      }
      models.set(key, model);
      documents.set(key, document);
      for (const identifier of identify(document.value)) lastGood.set(identifier, model);
    },
    result(): ReadCollection<Model> {
      unreadable.forEach(amendBeside);
      return { models: [...models.values()], unreadable, faults, lastGood };
    },
  };
};

/**
 * Creates a reader of whole collections that remembers the last good versions. `keepWhenEmpty`:
 * true if the last copy is kept when all documents are removed.
 */
export const createCollectionReader = <Model>(rules: CollectionRules<Model>) => {
  let last: ReadCollection<Model> = {
    models: [],
    unreadable: [],
    faults: [],
    lastGood: new Map(),
  };
  return async (
    documents: readonly NamedDocument[],
    keepWhenEmpty: boolean,
  ): Promise<ReadCollection<Model>> => {
    if (documents.length === 0 && keepWhenEmpty && last.models.length > 0) {
      return { ...last, faults: [collectionKept(rules.collection)] };
    }
    const reader = createDocumentReader(rules, (identifier) => last.lastGood.get(identifier));
    await forEachInTurns(documents, reader.add, 1);
    last = reader.result();
    return last;
  };
};
