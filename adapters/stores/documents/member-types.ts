import { z } from 'zod';
import * as schemas from './field-schemas.ts';
import type { StoredDocument } from './stored-document.ts';

// A member of a document is described once. From its description follow how a gateway reads it and how a copy on the disk
// holds it (here), what an import expects and which names it knows (import/document-rules.ts, visit-members.ts), and how
// often it is missing (import/statistics).

interface Conversion<Value> {
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
  | 'documentId'
  | 'flag'
  | 'instant'
  | 'metric'
  | 'seriesMetric'
  | 'shownDay'
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
  /** Whether statistics count documents without it. */
  readonly isCounted?: boolean;
  /** The name in the document, if it is not the model's in snake case. */
  readonly name?: string;
} & ({ readonly isRequired: true } | { readonly isRequired: false; readonly absent: Value });

/** A description of all members of a model; one that is forgotten does not compile. */
export type MembersOf<Model> = { readonly [Key in keyof Model]-?: Member<Model[Key]> };

/** A member as the document has it; without `key` no model has it. */
export interface StoredMember {
  readonly key?: string;
  readonly name: string;
  readonly type: Type;
  readonly isRequired: boolean;
  readonly isCounted?: boolean;
  readonly absent?: unknown;
}

export const required = <Value>(type: Type<Value>) => ({ type, isRequired: true }) as const;
export const optional = <Value>(type: Type<Value>) => ({ type, isRequired: false, absent: undefined }) as const;
/** A flag that is false unless it is stored. */
export const orFalse = (type: Type<boolean>) => ({ type, isRequired: false, absent: false }) as const;
/** A member of which statistics count how often it is missing. */
export const counted = <Described extends object>(member: Described) => ({ ...member, isCounted: true }) as const;

export const documentId: Type<string> = { is: 'documentId', schema: schemas.documentId };
export const day: Type<string> = { is: 'day', schema: schemas.day };
export const shownDay: Type<string> = { is: 'shownDay', schema: schemas.dayOrInstant };
export const url: Type<string> = { is: 'url', schema: schemas.url };
export const countryCode: Type<string> = { is: 'countryCode', schema: schemas.countryCode };
export const flag: Type<boolean> = { is: 'flag', schema: z.boolean() };
export const metric: Type<number> = { is: 'metric', schema: schemas.metric };
export const count: Type<number> = { is: 'count', schema: z.int() };
/** Epoch milliseconds; a copy holds the text of the date. */
export const instant: Type<number> = {
  is: 'instant',
  schema: schemas.instant,
  toModel: (stored) => new Date(stored as string | number | Date).getTime(), // the schema accepted it, or a copy holds it
  toStored: (ms) => new Date(ms),
};

export const text = (maxLength = schemas.maxTextLength): Type<string> => ({
  is: 'text',
  maxLength,
  schema: z.string().min(1).max(maxLength),
});

export const oneOf = <Name extends string>(names: readonly Name[]): Type<Name> => ({
  is: 'oneOf',
  names,
  schema: z.enum(names),
});

/** The values that are known, by these names. */
export const mapOf = <Name extends string, Value>(
  names: readonly Name[],
  element: Type<Value>,
): Type<Readonly<Partial<Record<Name, Value>>>> => ({
  is: 'map',
  names,
  element,
  schema: schemas.known(names, element.schema),
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

export const texts = (of: string): Type<readonly string[]> => listOf(text(), of);

const toSnakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Names that the format has, and no model. */
interface ObjectOptions {
  /** What an import expects, in words; by default the names of the members. */
  readonly expected?: string;
  /** Members that are stored, and that no model has. */
  readonly unread?: Readonly<Record<string, Type>>;
}

export type ObjectType<Model> = Type<Model> &
  Required<Conversion<Model>> & { readonly is: 'object'; readonly members: readonly StoredMember[] };

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
