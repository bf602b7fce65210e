import { z } from 'zod';
import type { ZodOpenApiOverride } from 'zod-openapi';

/** What a schema allows beyond its type, where a range is only the one that whole numbers have anyway. */
const isUnbounded = (bound: unknown): boolean => Math.abs(Number(bound)) === Number.MAX_SAFE_INTEGER;

/**
 * Makes the JSON Schema of a zod schema one that people read: without what only repeats the type, and with parameters as
 * what they mean (`integer`) instead of the text they arrive as. Objects are left open, so that clients that validate go on
 * when a member is added.
 */
export const tidy: ZodOpenApiOverride = ({ zodSchema, jsonSchema, io }) => {
  const { def } = zodSchema._zod;
  if (io === 'input' && def.type === 'pipe' && def.out._zod.def.type !== 'transform') {
    delete jsonSchema.pattern;
    const { $schema, ...meant } = z.toJSONSchema(def.out);
    Object.assign(jsonSchema, meant);
  }
  // zod leaves the default of what it transforms out: it stands before the transformation, and these stand behind it.
  if (def.type === 'default') jsonSchema.default = def.defaultValue;
  delete jsonSchema['allowed'];
  delete jsonSchema.propertyNames;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  if (isUnbounded(jsonSchema.minimum)) delete jsonSchema.minimum;
  if (isUnbounded(jsonSchema.maximum)) delete jsonSchema.maximum;
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
};
