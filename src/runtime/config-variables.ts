import { z } from 'zod';
import { isMisspelt } from '../domain/nearest.ts';

/** Names that other programs give to our settings. */
const otherNames: Readonly<Record<string, string>> = {
  MONGO_URI: 'MONGODB_URL',
  MONGO_URL: 'MONGODB_URL',
  CATALOG_DIR: 'CATALOGUE_DIR',
  CATALOG_REFRESH_SECONDS: 'CATALOGUE_REFRESH_SECONDS',
};

/** Other programs have variables with short names, so that one letter off `HOST` is no proof of a mistake. */
const maxShortLength = 4;

/** Describes variables that are set where a setting of nearly the same name, or with another usual name, is not. */
export const misspeltSettings = (
  { shape }: z.ZodObject,
  variables: NodeJS.ProcessEnv,
): { readonly problem: string; readonly isShort: boolean }[] => {
  const settings = Object.keys(shape);
  return Object.keys(variables).flatMap((name) => {
    const upper = name.toUpperCase();
    const meant = otherNames[upper] ?? settings.find((each) => each === upper || isMisspelt(upper, each));
    if (meant === undefined || settings.includes(name) || !variables[name] || variables[meant]) return [];
    const problem = `${name} is set, but the setting is ${meant}: rename or remove it.`;
    return [{ problem, isShort: meant.length <= maxShortLength }];
  });
};

const describe = (schema: z.ZodObject, name: string, value: string | undefined): string => {
  const given = schema.shape[name];
  const inner = given instanceof z.ZodOptional || given instanceof z.ZodDefault ? given.unwrap() : given;
  const { allowed, secret } = (inner && z.globalRegistry.get(inner)) ?? {};
  return `${name} is ${secret ? 'not usable' : JSON.stringify(value)}: it must be ${String(allowed)}.`;
};

/** Parses variables; an empty one counts as not set. Throws an `Error` about the first misspelt or invalid one. */
export const parseVariables = <Schema extends z.ZodObject>(
  schema: Schema,
  variables: NodeJS.ProcessEnv,
): z.output<Schema> => {
  const misspelt = misspeltSettings(schema, variables).find(({ isShort }) => !isShort);
  if (misspelt !== undefined) throw new Error(misspelt.problem);
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const name = String(result.error.issues[0]?.path[0]);
  throw new Error(describe(schema, name, variables[name]));
};
