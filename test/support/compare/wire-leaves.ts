import { z } from 'zod';
import { songMetrics } from '../../../src/domain/model.ts';

/** Maps whose keys have a row each. */
const spelledOut: Readonly<Record<string, readonly string[]>> = { 'songs[].metrics': songMetrics };

/** A schema without optional, nullable and default wrappers. */
const unwrapped = (schema: z.core.$ZodType): z.core.$ZodType =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
    ? unwrapped(schema.unwrap())
    : schema;

/** The schema of a map's values: of a record, or of an object that declares its known keys and takes others. */
const mapValue = (schema: z.core.$ZodType): z.core.$ZodType | undefined => {
  if (schema instanceof z.ZodRecord) return schema.valueType;
  const other = schema instanceof z.ZodObject ? schema.def.catchall : undefined;
  return other instanceof z.ZodNever ? undefined : other;
};

const mapLeaves = (path: string, value: z.core.$ZodType, items: ReadonlySet<z.core.$ZodType>): readonly string[] => {
  const keys = spelledOut[path];
  return keys === undefined ? wireLeaves(value, `${path}.*`, items) : keys.map((key) => `${path}.${key}`);
};

/**
 * The paths of every leaf of a wire schema, as the crosswalk writes them.
 *
 * @param items schemas with a table of their own; they count as leaves
 */
export const wireLeaves = (
  schema: z.core.$ZodType,
  path = '',
  items: ReadonlySet<z.core.$ZodType> = new Set(),
): readonly string[] => {
  const inner = unwrapped(schema);
  if (items.has(inner)) return [path];
  if (inner instanceof z.ZodArray) return wireLeaves(inner.element, `${path}[]`, items);
  const value = mapValue(inner);
  if (value !== undefined) return mapLeaves(path, value, items);
  if (!(inner instanceof z.ZodObject)) return [path];
  return Object.entries(inner.shape).flatMap(([name, member]) =>
    wireLeaves(member, path === '' ? name : `${path}.${name}`, items),
  );
};

/** A schema and every schema inside it. */
export const schemasIn = (schema: z.core.$ZodType): readonly z.core.$ZodType[] => {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray) return [inner, ...schemasIn(inner.element)];
  const value = mapValue(inner);
  if (value !== undefined) return [inner, ...schemasIn(value)];
  if (!(inner instanceof z.ZodObject)) return [inner];
  return [inner, ...Object.values(inner.shape).flatMap((member) => schemasIn(member))];
};
