import type { Document } from 'mongodb';

/** The filters and projections that the gateway uses. What it does not use is refused, never passed over. */
const valuesOf = (condition: unknown): ReadonlySet<unknown> => {
  if (typeof condition !== 'object' || condition === null) return new Set([condition]);
  const [[operator, values] = [], ...others] = Object.entries(condition);
  if (operator === '$in' && Array.isArray(values) && others.length === 0) return new Set(values);
  throw new Error(`${JSON.stringify(condition)} is not understood here`);
};

export const matching = (filter: Document): ((document: Document) => boolean) => {
  const conditions = Object.entries(filter).map(([member, condition]) => ({ member, values: valuesOf(condition) }));
  return (document) => conditions.every(({ member, values }) => values.has(document[member] ?? null));
};

const project = (value: unknown, wanted: unknown): unknown => {
  if (wanted === 1) return value;
  const { $slice: count } = wanted as Document; // of the two kinds of projection that are known here
  if (!(count < 0) || !Array.isArray(value)) throw new Error('$slice takes from the end');
  return value.slice(count);
};

export const projecting = (projection: Document): ((document: Document) => Document) => {
  const members = Object.entries({ _id: 1, ...projection });
  return (document) =>
    Object.fromEntries(
      members.flatMap(([member, wanted]) => (member in document ? [[member, project(document[member], wanted)]] : [])),
    );
};
