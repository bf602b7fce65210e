import { z } from 'zod';
import type { StoredDocument } from './stored-document.ts';

// A member of a document is described once. From its description follow how a gateway reads it and how a copy on the disk
// holds it (here), and what an import expects and which names it knows (import/document-rules.ts, visit-members.ts).

export interface Conversion<Value> {
  /** Accepts what is stored: more than an import would, because a gateway has to serve it. */
  readonly schema: z.ZodType;
  /** The model's value of what the schema accepted or `toStored` returned; without it the value itself. */
  toModel?(stored: unknown): Value;
  /** What is stored for a value; without it the value itself. */
  toStored?(value: Value): unknown;
}

/** Values without parts. */
type Simple =
  | 'countryCode'
  | 'count'
  | 'day'
  | 'dayOrInstant'
  | 'documentId'
  | 'flag'
  | 'instant'
  | 'metric'
  | 'seriesMetric'
  | 'shownDay'
  | 'stableId'
  | 'url';

type Shape =
  | { readonly is: Simple }
  | { readonly is: 'text'; readonly maxLength: number }
  | { readonly is: 'oneOf'; readonly names: readonly string[] }
  | { readonly is: 'map'; readonly names: readonly string[]; readonly element: Type }
  | { readonly is: 'list'; readonly of: string; readonly element: Type }
  | { readonly is: 'object'; readonly expected?: string; readonly members: readonly StoredMember[] };

/** What a member holds. */
export type Type<Value = unknown> = Conversion<Value> & Shape;

/** A member of a model: required in the document, or with the model's value when the document has none. */
export type Member<Value> = {
  readonly type: Type<Exclude<Value, undefined>>;
  /** The name in the document, if it is not the model's in snake case. */
  readonly name?: string;
} & ({ readonly isRequired: true } | { readonly isRequired: false; readonly absent: Value });

/** A description of all members of a model; one that is forgotten does not compile. */
type MembersOf<Model> = { readonly [Key in keyof Model]-?: Member<Model[Key]> };

/** A member as the document has it; without `key` no model has it. */
export interface StoredMember {
  readonly key?: string;
  readonly name: string;
  readonly type: Type;
  readonly isRequired: boolean;
  readonly absent?: unknown;
}

export const required = <Value>(type: Type<Value>) => ({ type, isRequired: true }) as const;
export const optional = <Value>(type: Type<Value>) => ({ type, isRequired: false, absent: undefined }) as const;
/** A flag that is false unless it is stored. */
export const orFalse = (type: Type<boolean>) => ({ type, isRequired: false, absent: false }) as const;

/** The members of a map with these names, in their order, that have a value. */
const pick =
  (names: readonly string[]) =>
  (map: Readonly<Record<string, unknown>>): Record<string, unknown> => {
    const picked: Record<string, unknown> = {};
    for (const name of names) if ((map[name] ?? null) !== null) picked[name] = map[name];
    return picked;
  };

/** The values that are known, by these names: other names are dropped, and one without a value is absent. */
export const mapOf = <Name extends string, Value>(
  names: readonly Name[],
  element: Type<Value>,
): Type<Readonly<Partial<Record<Name, Value>>>> => ({
  is: 'map',
  names,
  element,
  schema: z
    .record(z.string(), z.unknown())
    .transform(pick(names))
    .pipe(z.object(Object.fromEntries(names.map((name) => [name, element.schema.optional()])))),
});

/**
 * @param of what an import expects in the array
 * @param order sorts the model's list
 */
export const listOf = <Item>(
  element: Type<Item>,
  of: string,
  order?: (left: Item, right: Item) => number,
): Type<readonly Item[]> => {
  const { toModel = (item) => item as Item, toStored = (item) => item } = element; // without a conversion they are the same
  return {
    is: 'list',
    of,
    element,
    schema: z.array(element.schema),
    toModel(stored) {
      const items = (stored as readonly unknown[]).map((item) => toModel(item)); // the schema accepted an array
      return order === undefined ? items : items.sort(order);
    },
    toStored: (items) => items.map((item) => toStored(item)),
  };
};

const toSnakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Names that the format has, and no model. */
interface ObjectOptions {
  /** What an import expects, in words; by default the names of the members. */
  readonly expected?: string;
  /** Members that are stored, and that no model has. */
  readonly unread?: Readonly<Record<string, Type>>;
}

interface ObjectType<Model> extends Conversion<Model> {
  readonly is: 'object';
  readonly expected?: string;
  readonly members: readonly StoredMember[];
  toModel(stored: unknown): Model;
  toStored(model: Model): StoredDocument;
}

/** An object with these members. Others are not read. */
export const objectOf = <Model extends object>(
  members: MembersOf<Model>,
  { unread = {}, ...options }: ObjectOptions = {},
): ObjectType<Model> => {
  const read = Object.entries<Member<unknown>>(members).map(([key, { name = toSnakeCase(key), ...member }]) => ({
    ...member,
    key,
    name,
    absent: member.isRequired ? undefined : member.absent,
  }));
  const others = Object.entries(unread).map(([name, type]) => ({ name, type, isRequired: false }));
  return {
    is: 'object',
    ...options,
    members: [...read, ...others],
    schema: z.object(
      Object.fromEntries(
        read.map(({ name, type, isRequired }) => [name, isRequired ? type.schema : type.schema.nullish()]),
      ),
    ),
    toModel(stored) {
      const document = stored as StoredDocument; // the schema accepted an object, or a copy holds one
      const model: Record<string, unknown> = {};
      for (const { key, name, type, absent } of read) {
        const value = document[name] ?? undefined;
        model[key] = value === undefined ? absent : type.toModel === undefined ? value : type.toModel(value);
      }
      return model as Model; // `members` has every member of it
    },
    toStored(model) {
      const document: Record<string, unknown> = {};
      const values = model as Readonly<Record<string, unknown>>; // read by the names of its members
      for (const { key, name, type } of read) {
        const value = values[key];
        if (value !== undefined) document[name] = type.toStored === undefined ? value : type.toStored(value);
      }
      return document;
    },
  };
};
