import { crosswalk, type MemberTable } from '../../../src/crosswalk/crosswalk.ts';
import { isList, isObject, type Json } from '../../../src/crosswalk/json.ts';
import type { ComparisonFacts, MemberRow } from '../../../src/crosswalk/rows.ts';

/** The paths of a row's member, one for each key that its `*` stands for. */
export const expandPath = (path: string, { keys = [] }: MemberRow): readonly string[] =>
  path.includes('*') ? keys.map((key) => path.replace('*', key)) : [path];

const segmentsOf = (path: string): readonly string[] => path.split(/\.|(?=\[\])/);

const plant = (into: Json | undefined, [segment, ...rest]: readonly string[], value: Json): Json => {
  if (segment === undefined) return value;
  if (segment === '[]') return [plant(isList(into) ? into[0] : undefined, rest, value)];
  const object = isObject(into) ? into : {};
  return { ...object, [segment]: plant(object[segment], rest, value) };
};

/** The value at a path, in the first item of each list on the way. */
export const firstAt = (value: Json | undefined, path: string): Json | undefined => {
  let found = value;
  for (const segment of segmentsOf(path)) {
    if (segment === '[]') found = isList(found) ? found[0] : undefined;
    else found = isObject(found) ? found[segment] : undefined;
  }
  return found;
};

/** An object of the current form with every member of a table: each value is the member's own path. */
export const sampleOf = (table: MemberTable): Json => {
  let sample: Json = {};
  for (const row of crosswalk.members[table]) {
    if (row.current === undefined || /^data\b/.test(row.current)) continue;
    for (const path of expandPath(row.current, row)) sample = plant(sample, segmentsOf(path), path);
  }
  return sample;
};

/** What the variant form says, by the crosswalk, where the current form says this. */
export const expectedOf = (row: MemberRow, path: string, sample: Json, facts: ComparisonFacts): Json | undefined => {
  if (row.kind === 'derived') return row.derive(firstAt(sample, row.from), facts);
  if (row.kind === 'only variant') return row.expected?.(facts);
  const [key] = (row.keys ?? []).filter((one) => expandPath(row.variant ?? '', { ...row, keys: [one] })[0] === path);
  return firstAt(sample, row.current?.replace('*', key ?? '*') ?? path);
};
