import {
  type AnyBulkWriteOperation,
  Collection,
  type Document,
  type Filter,
  type FindOptions,
} from 'mongodb';
import { pathsBelow, readSource, type SourceFile, withoutTexts } from '../architecture.ts';

/** A query that the product sent. */
export interface RecordedQuery {
  readonly collection: Collection;
  readonly filter: Filter<Document>;
  readonly options: FindOptions;
  /** The lines of the product that asked for it, `path:line`, the innermost first. */
  readonly lines: readonly string[];
}

const productLine = /(?:adapters|tools)\/[\w/.-]+\.ts:\d+/;

const linesOfProduct = (): string[] => {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 50;
  const { stack = '' } = new Error('the stack');
  Error.stackTraceLimit = before;
  return stack.split('\n').flatMap((frame) => productLine.exec(frame) ?? []);
};

/** What one operation asks of the server. */
interface Ask {
  readonly right: string;
  /** By which it finds what it reads or writes. */
  readonly filter?: Document;
}

const asksOfUpdate = (filter: Document, { upsert }: Document = {}): Ask[] => [
  ...(upsert === true ? [{ right: 'insert' }] : []),
  { right: 'update', filter },
];

const asksOfOperation = (operation: AnyBulkWriteOperation): Ask[] =>
  Object.entries(operation).flatMap(([name, one]: [string, Document]) => {
    if (name === 'insertOne') return [{ right: 'insert' }];
    if (name.startsWith('delete')) return [{ right: 'remove', filter: one['filter'] }];
    return asksOfUpdate(one['filter'], one);
  });

const remove = (filter: Document): Ask[] => [{ right: 'remove', filter }];

/** What each method of a collection asks, from what it is given. */
const asksOf: Readonly<Record<string, (...given: never[]) => Ask[]>> = {
  find: (filter: Document = {}) => [{ right: 'find', filter }],
  estimatedDocumentCount: () => [{ right: 'find' }],
  insertOne: () => [{ right: 'insert' }],
  updateOne: (filter: Document, _update: Document, options?: Document) =>
    asksOfUpdate(filter, options),
  deleteOne: remove,
  deleteMany: remove,
  bulkWrite: (operations: readonly AnyBulkWriteOperation[]) => operations.flatMap(asksOfOperation),
  listIndexes: () => [{ right: 'listIndexes' }],
  createIndexes: () => [{ right: 'createIndex' }],
};

/** Records what the collections of this process ask of the server, until `stop` is called. */
export const recordQueries = () => {
  const queries: RecordedQuery[] = [];
  const rights = new Set<string>();
  const originals = new Map<string, unknown>();
  for (const [name, asks] of Object.entries(asksOf)) {
    const method: unknown = Reflect.get(Collection.prototype, name);
    if (typeof method !== 'function') throw new Error(`The driver has no ${name}.`);
    originals.set(name, method);
    // Seam: the methods are overloaded; each wrapper hands on what it was given.
    Reflect.set(
      Collection.prototype,
      name,
      function wrapper(this: Collection, ...given: never[]): unknown {
        for (const { right, filter } of asks(...given)) {
          rights.add(`${right} on ${this.collectionName}`);
          if (filter === undefined) continue;
          queries.push({
            collection: this,
            filter,
            options: name === 'find' ? (given[1] ?? {}) : {},
            lines: linesOfProduct(),
          });
        }
        return Reflect.apply(method, this, given);
      },
    );
  }
  return {
    queries,
    /** The rights that were needed since this was last called, like `find on artists`. */
    takeRights(): readonly string[] {
      const taken = [...rights];
      rights.clear();
      return taken;
    },
    stop(): void {
      for (const [name, method] of originals) Reflect.set(Collection.prototype, name, method);
    },
  };
};

/** Calls of functions that query MongoDB, whose own lines are not enough, and of methods. */
const asking = [
  /(?<![.\w*]|function\*? |^ *)(?:readRaw|readInBatches|readNamedDocuments|isEmptyCollection|readAll)/,
  /(?:\b(?:documents|collection|leases)|\.collection(?:<[^>]+>)?\([^;]+?\))\s*\.(?:find|findOne\w*|aggregate|distinct|countDocuments)/,
].map(({ source }) => new RegExp(`${source}(?:<[^(]*>)?\\(`, 'gm'));

/** The place behind the parenthesis that closes the one before `start`. */
const closing = (code: string, start: number): number => {
  let depth = 1;
  let at = start;
  for (; depth > 0 && at < code.length; at += 1) depth += { '(': 1, ')': -1 }[code[at] ?? ''] ?? 0;
  return at;
};

/** The lines of each call in a file that queries MongoDB. */
const callsIn = ({ path, text }: SourceFile) => {
  const code = withoutTexts(text);
  const lineAt = (position: number) => code.slice(0, position).split('\n').length;
  return asking
    .flatMap((pattern) => [...code.matchAll(pattern)])
    .map(({ index, 0: call }) => ({
      path,
      first: lineAt(index),
      // A cursor that is kept in a variable sends its query in the next line, in which its
      // documents are read.
      last: lineAt(closing(code, index + call.length)) + 1,
    }));
};

/** Every call in the product that asks MongoDB, found in its source. */
export const askingCalls = () =>
  ['adapters', 'tools'].flatMap(pathsBelow).map(readSource).flatMap(callsIn);

/** True if a query came from the call. */
export const isFrom = (
  { path, first, last }: ReturnType<typeof askingCalls>[number],
  { lines }: RecordedQuery,
): boolean =>
  lines.some((line) => {
    const [file, number] = line.split(':');
    return file === path && Number(number) >= first && Number(number) <= last;
  });
