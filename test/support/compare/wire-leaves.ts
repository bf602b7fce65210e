import { z } from 'zod';
import { songMetrics } from '../../../src/domain/model.ts';

type Schema = z.core.$ZodType;

/** Maps whose keys have a row each. */
const spelledOut: Readonly<Record<string, readonly string[]>> = { 'songs[].metrics': songMetrics };

/** A schema without optional, nullable and default wrappers. */
const unwrapped = (schema: Schema): Schema =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
    ? unwrapped(schema.unwrap())
    : schema;

/** The schemas one level inside a schema, with their paths as the crosswalk writes them. */
const inside = (schema: Schema, path: string): readonly (readonly [path: string, inner: Schema])[] => {
  if (schema instanceof z.ZodArray) return [[`${path}[]`, unwrapped(schema.element)]];
  // A map is a record, or an object that declares its known keys and takes others.
  const other = schema instanceof z.ZodObject ? schema.def.catchall : undefined;
  const value = schema instanceof z.ZodRecord ? schema.valueType : other instanceof z.ZodNever ? undefined : other;
  if (value !== undefined) return (spelledOut[path] ?? ['*']).map((key) => [`${path}.${key}`, unwrapped(value)]);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).map(([name, member]) => [
    path === '' ? name : `${path}.${name}`,
    unwrapped(member),
  ]);
};

/**
 * The paths of every leaf of a wire schema, as the crosswalk writes them.
 *
 * @param items schemas with a table of their own; they count as leaves
 */
export const wireLeaves = (schema: Schema, path = '', items: ReadonlySet<Schema> = new Set()): readonly string[] => {
  const inner = inside(unwrapped(schema), path);
  if (inner.length === 0 || items.has(unwrapped(schema))) return [path];
  return inner.flatMap(([at, one]) => wireLeaves(one, at, items));
};

/** A schema and every schema inside it. */
export const schemasIn = (schema: Schema): readonly Schema[] => [
  unwrapped(schema),
  ...inside(unwrapped(schema), '').flatMap(([, one]) => schemasIn(one)),
];
