import type { Document } from 'mongodb';

/** The filters and projections that the gateway uses. What it does not use is refused, never passed over. */
const operand = (condition: unknown, operator: string): unknown => {
  if (typeof condition !== 'object' || condition === null || condition instanceof Date) return undefined;
  const [[name, value] = [], ...others] = Object.entries(condition);
  if (name !== operator || others.length > 0) throw new Error(`${JSON.stringify(condition)} is not understood here`);
  return value;
};

const condition = (member: string, wanted: unknown): ((document: Document) => boolean) => {
  const list = operand(wanted, '$in');
  if (list === undefined) return (document) => (document[member] ?? null) === wanted;
  if (!Array.isArray(list)) throw new Error('$in takes a list');
  const set = new Set<unknown>(list);
  return (document) => set.has(document[member]);
};

export const matching = (filter: Document): ((document: Document) => boolean) => {
  const conditions = Object.entries(filter).map(([member, wanted]) => condition(member, wanted));
  return (document) => conditions.every((holds) => holds(document));
};

const project = (value: unknown, wanted: unknown): unknown => {
  const count = operand(wanted, '$slice');
  if (count === undefined) return value;
  if (typeof count !== 'number' || count > 0 || !Array.isArray(value)) throw new Error('$slice takes from the end');
  return value.slice(count);
};

export const projecting = (projection: Document | undefined): ((document: Document) => Document) => {
  if (projection === undefined) return (document) => document;
  const members = Object.entries({ _id: 1, ...projection });
  return (document) =>
    Object.fromEntries(
      members.flatMap(([member, wanted]) => (member in document ? [[member, project(document[member], wanted)]] : [])),
    );
};
