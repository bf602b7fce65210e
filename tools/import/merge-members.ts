import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { DocumentStore } from '../../adapters/stores/database.ts';
import type { StoredDocument } from '../../adapters/stores/documents/stored-document.ts';
import { documentRules } from './document-rules.ts';
import type { CatalogueCollection } from './input-files.ts';
import { isPlain, toExported } from './to-stored.ts';
import { fitsPath, type Rule, withoutNull } from './visit-members.ts';

/** Numbers of days of a series that both the input and the database have, or one of them. */
export interface DayCounts {
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
  /** Stored days that the input does not have. */
  readonly extra: number;
}

/** What an import writes of one stored document (decisions, "Imports"). */
export interface MemberChanges {
  /** The new values by the paths of members, `undefined` where a member is removed. */
  readonly document: StoredDocument;
  /** Lists and objects that are merged with what was read of them, by path, as they were read. */
  readonly before: StoredDocument;
  /** Members that are no part of the format and that the input does not have. */
  readonly extraMembers: number;
  readonly days: DayCounts;
}

/** One member to write. `read`: what its value was made of. */
interface Write {
  readonly path: string;
  readonly value: unknown;
  readonly read?: unknown;
}

interface Merged<Value> {
  readonly value: Value;
  readonly writes: readonly Write[];
}

/** The lists whose items have a key. A series keeps the days that the input does not have. */
const keyedLists: Readonly<
  Record<string, { readonly key: string; readonly keepsOthers: boolean }>
> = {
  'artists songs': { key: 'id', keepsOthers: false },
  'history points': { key: 'date', keepsOthers: true },
};

const ruleOf = (rule: Rule | undefined, name: string): Rule | undefined =>
  rule instanceof z.ZodObject && Object.hasOwn(rule.shape, name) ? rule.shape[name] : undefined;

/**
 * A text that was not UTF-8 reads as U+FFFD, and equals nothing that is stored: what holds one is
 * written without the condition that it is as it was read.
 */
const canBeCompared = (value: unknown): boolean => !JSON.stringify(value).includes('\ufffd');

/**
 * Compares a document of the input with the stored one. Members of the format are the input's.
 * Others stay unless the input has them, also inside objects, songs and points, and with them an
 * object of the format that the input does not have. With `prune` those that the input does not
 * have go, and so do days.
 *
 * @param toJson converts values of types that only the database has: one that an export writes as
 * the input has it stays
 */
export const mergeMembers = (
  collection: CatalogueCollection,
  [given, stored]: readonly [StoredDocument, StoredDocument],
  { prune, toJson }: { readonly prune: boolean; readonly toJson: DocumentStore['toJson'] },
): MemberChanges => {
  let extraMembers = 0;
  let days: DayCounts = { created: 0, changed: 0, unchanged: 0, extra: 0 };

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
      if (path === '' && !fitsPath(name)) continue; // no update can name it
      if (known === undefined) extraMembers += 1;
      if (known === undefined && !prune) members.push([name, value]);
      else write(name, [{ path: pathOf(name), value: undefined }]);
    }
    for (const [name, value] of Object.entries(now)) {
      if (Object.hasOwn(was, name)) continue;
      members.push([name, value]);
      write(name, [{ path: pathOf(name), value }]);
    }
    const value = Object.fromEntries(members);
    return { value, writes: isWhole ? [{ path, value, read: was }] : writes };
  };

  const mergeList = (
    rule: Rule | undefined,
    [now, was]: readonly [readonly unknown[], readonly unknown[]],
    path: string,
    { key, keepsOthers }: { readonly key: string; readonly keepsOthers: boolean },
  ): Merged<readonly unknown[]> => {
    const keyOf = (item: unknown): string => (isPlain(item) ? String(item[key]) : '');
    const before = new Map(was.map((item) => [keyOf(item), item]));
    const counts = { created: 0, changed: 0, unchanged: 0, extra: 0 };
    const items = now.map((item) => {
      const former = before.get(keyOf(item));
      if (former === undefined) {
        counts.created += 1;
        return item;
      }
      const { value } = mergeValue(rule, item, former, `${path}.*`);
      counts[isDeepStrictEqual(value, former) ? 'unchanged' : 'changed'] += 1;
      return value;
    });
    const keys = new Set(now.map(keyOf));
    const others = keepsOthers ? was.filter((item) => !keys.has(keyOf(item))) : [];
    if (keepsOthers) days = { ...counts, extra: others.length };
    const value =
      prune || others.length === 0
        ? items
        : [...items, ...others].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    return { value, writes: isDeepStrictEqual(value, was) ? [] : [{ path, value, read: was }] };
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
    // a file holds an ObjectId, a date or a long number of somebody else as a text
    if (rule === undefined && isDeepStrictEqual(now, toExported({ [path]: was }, toJson)[path]))
      return { value: was, writes: [] };
    return { value: now, writes: [{ path, value: now }] };
  };

  const { writes } = mergeObject(documentRules[collection], [given, stored], '');
  const merged = writes.filter(({ read }) => read !== undefined && canBeCompared(read));
  return {
    document: Object.fromEntries(writes.map(({ path, value }) => [path, value])),
    before: Object.fromEntries(merged.map(({ path, read }) => [path, read])),
    extraMembers,
    days,
  };
};
