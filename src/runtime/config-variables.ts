import { z } from 'zod';
import { formatMisspelt, isShortName, type MisspeltSetting, misspeltSettings } from './config-names.ts';

const describe = (schema: z.ZodObject, name: string, value: string | undefined): string => {
  const given = Object.entries(schema.shape).find(([variable]) => variable === name)?.[1];
  const inner = given instanceof z.ZodOptional || given instanceof z.ZodDefault ? given.unwrap() : given;
  const { allowed, secret } = (inner && z.globalRegistry.get(inner)) ?? {};
  return `${name} is ${secret ? 'not usable' : JSON.stringify(value)}: it must be ${String(allowed)}.`;
};

/** Variables that were meant for a setting of the schema. */
export const misspelt = (schema: z.ZodObject, variables: NodeJS.ProcessEnv): MisspeltSetting[] =>
  misspeltSettings(variables, Object.keys(schema.shape));

/** Parses variables; an empty one counts as not set. Throws an `Error` about the first misspelt or invalid one. */
export const parseVariables = <Schema extends z.ZodObject>(
  schema: Schema,
  variables: NodeJS.ProcessEnv,
): z.output<Schema> => {
  const [wrong] = misspelt(schema, variables).filter((each) => !isShortName(each));
  if (wrong !== undefined) throw new Error(formatMisspelt(wrong));
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const name = String(result.error.issues[0]?.path[0]);
  throw new Error(describe(schema, name, variables[name]));
};
