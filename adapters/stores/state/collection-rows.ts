import type { DocumentFault } from '../../../src/domain/document-fault.ts';
import { membersOf, type NamedDocument, type ReadCollection } from '../documents/collection-reader.ts';
import { describeId } from '../documents/document-id.ts';

/** One part of a collection, with the collection's name. */
export type CollectionRow<Name extends string> =
  | readonly [collection: Name, kind: 'model', model: unknown, identifiers: readonly string[]]
  | readonly [collection: Name, kind: 'unreadable', members: object]
  | readonly [collection: Name, kind: 'fault', fault: DocumentFault];

/** The members that are read of a document that cannot be read as a whole. Every other member is left out. */
const readableMembers = ['_id', 'hash', 'form', 'organization_id'] as const;

const readablePart = ({ value }: NamedDocument): object => {
  const members = membersOf(value);
  return Object.fromEntries(
    readableMembers.flatMap((name) => (typeof members[name] === 'string' ? [[name, members[name]]] : [])),
  );
};

/** The rows of a whole collection. */
export function* collectionRows<Name extends string, Model>(
  collection: Name,
  { models, unreadable, faults, lastGood }: ReadCollection<Model>,
): Iterable<CollectionRow<Name>> {
  const identifiers = new Map<Model, string[]>(models.map((model) => [model, []]));
  for (const [identifier, model] of lastGood) identifiers.get(model)?.push(identifier);
  for (const [model, of] of identifiers) yield [collection, 'model', model, of];
  for (const document of unreadable) yield [collection, 'unreadable', readablePart(document)];
  for (const fault of faults) yield [collection, 'fault', fault];
}

/** Collects the rows of one collection. */
export const createCollectionBuilder = <Model>(): {
  add(row: CollectionRow<string>): void;
  readonly built: ReadCollection<Model>;
} => {
  const [models, unreadable, faults]: [Model[], NamedDocument[], DocumentFault[]] = [[], [], []];
  const lastGood = new Map<string, Model>();
  return {
    built: { models, unreadable, faults, lastGood },
    add([, kind, value, identifiers = []]) {
      if (kind === 'fault') faults.push(value);
      else if (kind === 'unreadable') unreadable.push({ value, name: () => describeId(membersOf(value)['_id']) });
      else {
        const model = value as Model; // the checksum says that a gateway wrote it, the collection's name which model it is
        models.push(model);
        for (const identifier of identifiers) lastGood.set(identifier, model);
      }
    },
  };
};
