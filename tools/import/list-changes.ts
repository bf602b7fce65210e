import { isDeepStrictEqual } from 'node:util';
import { membersOf } from '../../adapters/stores/documents/collection-reader.ts';
import type { StoredDocument } from '../../adapters/stores/documents/stored-document.ts';
import type { CatalogueCollection } from './input-files.ts';
import { isPlain } from './to-stored.ts';

export interface ListedChange {
  readonly change: 'added' | 'changed' | 'removed';
  readonly collection: CatalogueCollection;
  /** An artist's id, a series' artist, song and metric, or a label's name. */
  readonly document: string;
  readonly member?: string;
  readonly old?: unknown;
  readonly new?: unknown;
}

export type OnChange = (change: ListedChange) => void;

/** A change of the document with this key. A series' key is a list of ids. */
export const wholeChange = (
  change: ListedChange['change'],
  collection: CatalogueCollection,
  key: string,
): ListedChange => {
  const parts: unknown = collection === 'history' ? JSON.parse(key) : undefined;
  const ids = Array.isArray(parts) ? parts.filter((part) => part !== null) : [key];
  return { change, collection, document: ids.join(' ') };
};

const partsOf = (value: unknown): ReadonlyMap<string, unknown> | undefined => {
  if (isPlain(value)) return new Map(Object.entries(value));
  if (!Array.isArray(value)) return undefined;
  const keys = value.map((item) => membersOf(item)['id'] ?? membersOf(item)['date']);
  if (keys.includes(undefined)) return undefined;
  return new Map(keys.map((key, index) => [String(key), value[index]]));
};

/** The smallest parts at a path in which two values differ. */
export function* differences(
  path: string,
  [before, after]: readonly [unknown, unknown],
): Generator<Pick<ListedChange, 'member' | 'old' | 'new'>> {
  if (isDeepStrictEqual(before, after)) return;
  const [old, now] = [partsOf(before), partsOf(after)];
  if (old === undefined || now === undefined) yield { member: path, old: before, new: after };
  else
    for (const name of new Set([...old.keys(), ...now.keys()]))
      yield* differences(`${path}.${name}`, [old.get(name), now.get(name)]);
}

/** A point that exceeds its neighbours by this factor is probably a typing error. */
const jumpFactor = 100;

/** Minimum for the value of a neighbour: small numbers grow fast. */
const leastNeighbour = 10;

/** The days of a series whose point is at least `jumpFactor` times each neighbour. */
export const findJumps = ({ points }: StoredDocument): ReadonlySet<string> => {
  const members = Array.isArray(points) ? points.map(membersOf) : [];
  const valueAt = (index: number): number => Number(members[index]?.['value'] ?? Number.NaN);
  const days = members.flatMap(({ date }, index) => {
    const neighbours = [valueAt(index - 1), valueAt(index + 1)].filter(Number.isFinite);
    const isJump = valueAt(index) >= jumpFactor * Math.max(leastNeighbour, ...neighbours);
    return neighbours.length > 0 && isJump ? [String(date)] : [];
  });
  return new Set(days);
};

export const jumpOn = (day: string) => ({
  path: 'points',
  message: `on ${day} is at least ${jumpFactor} times its neighbours`,
});
