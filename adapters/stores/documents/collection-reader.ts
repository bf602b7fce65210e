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

/** Members of a stored value; `{}` if it is not an object. */
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

/** How the documents of a collection are read. */
export interface CollectionRules<Model> {
  readonly collection: string;
  readonly read: (document: unknown) => Parsed<Model>;
  /**
   * The identifiers of a stored document that can be read, whether or not its other members can.
   */
  readonly identify: (document: unknown) => readonly string[];
  /** The key that is unique in the collection. */
  readonly keyOf: (model: Model) => string;
  /**
   * The last good version of a document that cannot be read, with what can be read of it and may
   * not wait.
   */
  readonly amend?: (lastGood: Model, document: unknown) => Model;
  /** True if a document counts, of several with its key, wherever it stands. By default none. */
  readonly prevails?: (model: Model) => boolean;
}

/**
 * Creates a reader of single documents. The last good version is served for a document that can no
 * longer be read (decisions, "Freshness and caching"). Of documents with the same key one that
 * prevails is kept, else the first. Everything else is reported.
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

  /** What may not wait is read from a document that cannot be read beside one that can. */
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
      const former = models.get(key);
      if (former !== undefined) {
        const isFormerKept = prevails(former) || !prevails(model);
        const left = isFormerKept ? document : documents.get(key);
        const reason = 'another document with the same identifier is kept';
        faults.push({
          event: 'document left out',
          collection,
          document: left?.name() ?? key,
          reason,
        });
        if (isFormerKept) return;
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
 * Creates a reader of whole collections that remembers the last good versions.
 * `keepWhenEmpty`: whether the last copy outlives the removal of all documents.
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
