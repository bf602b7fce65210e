import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { DocumentStore } from '../../adapters/stores/database.ts';
import type { StoredDocument } from '../../adapters/stores/documents/stored-document.ts';
import { documentRules } from './document-rules.ts';
import type { CatalogueCollection } from './input-files.ts';
import { isPlain, toExported } from './to-stored.ts';
import { fitsPath, type Rule, withoutNull } from './visit-members.ts';

export interface ImportCounts {
  readonly created: number;
  readonly changed: number;
  /** Artists of which only the change time is written, because one of their series changed. */
  readonly touched: number;
  readonly unchanged: number;
  readonly kept: number;
  readonly removed: number;
}

export const noCounts: ImportCounts = {
  created: 0,
  changed: 0,
  touched: 0,
  unchanged: 0,
  kept: 0,
  removed: 0,
};

export const countExtra = (prune: boolean, count: number) =>
  prune ? { kept: 0, removed: count } : { kept: count, removed: 0 };

/** What an import writes to one stored document (decisions, "Imports"). */
export interface MemberChanges {
  /** New values by the path of their field; `undefined` removes a field. */
  readonly document: StoredDocument;
  readonly old: StoredDocument;
  /** The lists and objects in it that are merged with the input's. */
  readonly before: StoredDocument;
  readonly merged: StoredDocument;
  readonly members: ImportCounts;
  readonly days: ImportCounts;
}

/** One field to write. `isMerged`: true if its value was built from the stored value. */
interface Write {
  readonly path: string;
  readonly value: unknown;
  readonly was?: unknown;
  readonly isMerged?: true;
}

interface Merged<Value> {
  readonly value: Value;
  readonly writes: readonly Write[];
}

/** Lists whose items have a key. A series keeps days that the input lacks. */
const keyedLists: Readonly<
  Record<string, { readonly key: string; readonly keepsOthers: boolean }>
> = {
  'artists songs': { key: 'id', keepsOthers: false },
  'history points': { key: 'date', keepsOthers: true },
};

const ruleOf = (rule: Rule | undefined, name: string): Rule | undefined =>
  rule instanceof z.ZodObject && Object.hasOwn(rule.shape, name) ? rule.shape[name] : undefined;

/**
 * Compares a document of the input with the stored document. Fields of the format are replaced by
 * the input's. Other fields stay unless the input has them, even inside objects, songs and points;
 * an object of the format stays with them. With `prune`, fields and days that the input lacks are
 * removed.
 *
 * @param toJson converts values of database-specific types: a value that an export writes like the
 * input's stays
 */
export const mergeMembers = (
  collection: CatalogueCollection,
  [given, stored]: readonly [StoredDocument, StoredDocument],
  { prune, toJson }: { readonly prune: boolean; readonly toJson: DocumentStore['toJson'] },
): MemberChanges => {
  let extraMembers = 0;
  let days = noCounts;

  const mergeObject = (
    rule: Rule | undefined,
    [now, was]: readonly [StoredDocument, StoredDocument],
    path: string,
  ): Merged<StoredDocument> => {
    const members: [string, unknown][] = [];
    const writes: Write[] = [];
    let isWhole = false;
    const write = (name: string, own: readonly Write[]): void => {
      writes.push(...own);
      isWhole ||= own.length > 0 && !fitsPath(name);
    };
    const pathOf = (name: string): string => (path === '' ? name : `${path}.${name}`);
    for (const [name, value] of Object.entries(was)) {
      const known = withoutNull(ruleOf(rule, name));
      const isUnknown = (now[name] ?? null) === null;
      if (isUnknown && known instanceof z.ZodObject && isPlain(value)) {
        const others = mergeObject(known, [{}, value], pathOf(name));
        if (Object.keys(others.value).length > 0) {
          members.push([name, others.value]);
          write(name, others.writes);
          continue;
        }
      }
      if (Object.hasOwn(now, name)) {
        const merged = mergeValue(known, now[name], value, pathOf(name));
        members.push([name, merged.value]);
        write(name, merged.writes);
        continue;
      }
      if (path === '' && !fitsPath(name)) continue; // no update can address it
      if (known === undefined) extraMembers += 1;
      if (known === undefined && !prune) members.push([name, value]);
      else write(name, [{ path: pathOf(name), value: undefined, was: value }]);
    }
    for (const [name, value] of Object.entries(now)) {
      if (Object.hasOwn(was, name)) continue;
      members.push([name, value]);
      write(name, [{ path: pathOf(name), value }]);
    }
    const value = Object.fromEntries(members);
    return { value, writes: isWhole ? [{ path, value, was, isMerged: true }] : writes };
  };

  const mergeList = (
    rule: Rule | undefined,
    [now, was]: readonly [readonly unknown[], readonly unknown[]],
    path: string,
    { key, keepsOthers }: { readonly key: string; readonly keepsOthers: boolean },
  ): Merged<readonly unknown[]> => {
    const keyOf = (item: unknown): string => (isPlain(item) ? String(item[key]) : '');
    const before = new Map(was.map((item) => [keyOf(item), item]));
    const counts = { created: 0, changed: 0, unchanged: 0 };
    const items = now.map((item) => {
      const stored = before.get(keyOf(item));
      if (stored === undefined) {
        counts.created += 1;
        return item;
      }
      const { value } = mergeValue(rule, item, stored, `${path}.*`);
      counts[isDeepStrictEqual(value, stored) ? 'unchanged' : 'changed'] += 1;
      return value;
    });
    const keys = new Set(now.map(keyOf));
    const others = keepsOthers ? was.filter((item) => !keys.has(keyOf(item))) : [];
    if (keepsOthers) days = { ...noCounts, ...counts, ...countExtra(prune, others.length) };
    const value =
      prune || others.length === 0
        ? items
        : [...items, ...others].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    const isEqual = isDeepStrictEqual(value, was);
    return { value, writes: isEqual ? [] : [{ path, value, was, isMerged: true }] };
  };

  const mergeValue = (
    memberRule: Rule | undefined,
    now: unknown,
    was: unknown,
    path: string,
  ): Merged<unknown> => {
    const rule = withoutNull(memberRule);
    const list = keyedLists[`${collection} ${path}`];
    if (list !== undefined && Array.isArray(now) && Array.isArray(was)) {
      const element = rule instanceof z.ZodArray ? rule.element : undefined;
      return mergeList(element, [now, was], path, list);
    }
    if (isDeepStrictEqual(now, was)) return { value: was, writes: [] };
    if (isPlain(now) && isPlain(was)) return mergeObject(rule, [now, was], path);
    // a file contains an ObjectId, date or long number of another program as text
    if (rule === undefined && isDeepStrictEqual(now, toExported({ [path]: was }, toJson)[path]))
      return { value: was, writes: [] };
    return { value: now, writes: [{ path, value: now, was }] };
  };

  const { value, writes } = mergeObject(documentRules[collection], [given, stored], '');
  const oldOf = (some: readonly Write[]) =>
    Object.fromEntries(some.map(({ path, was }) => [path, was]));
  return {
    document: Object.fromEntries(writes.map((one) => [one.path, one.value])),
    old: oldOf(writes),
    before: oldOf(writes.filter(({ isMerged }) => isMerged)),
    merged: value,
    members: { ...noCounts, ...countExtra(prune, extraMembers) },
    days,
  };
};
