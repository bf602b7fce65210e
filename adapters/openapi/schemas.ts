import { z } from 'zod';
import type { ZodOpenApiOverride } from 'zod-openapi';

/** Whether a bound is only that of JavaScript's safe integers. */
const isUnbounded = (bound: unknown): boolean => Math.abs(Number(bound)) === Number.MAX_SAFE_INTEGER;

/**
 * Tidies the JSON Schema of a zod schema for readers: drops keywords that repeat the type, and shows parameters with their
 * meaning (`integer`) instead of the string they arrive as. Objects stay open, so that validating clients accept new members.
 */
export const tidy: ZodOpenApiOverride = ({ zodSchema, jsonSchema, io }) => {
  const { def } = zodSchema._zod;
  if (io === 'input' && def.type === 'pipe' && def.out._zod.def.type !== 'transform') {
    delete jsonSchema.pattern;
    const { $schema, ...meant } = z.toJSONSchema(def.out);
    Object.assign(jsonSchema, meant);
  }
  // zod leaves out the default of a transformed parameter, because it applies to the input, before the transformation.
  if (def.type === 'default') jsonSchema.default = def.defaultValue;
  delete jsonSchema['allowed'];
  delete jsonSchema.propertyNames;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  if (isUnbounded(jsonSchema.minimum)) delete jsonSchema.minimum;
  if (isUnbounded(jsonSchema.maximum)) delete jsonSchema.maximum;
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
};
