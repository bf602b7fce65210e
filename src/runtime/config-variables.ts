import leven from 'leven';
import { z } from 'zod';

/** Names that other programs give to our settings. */
const otherNames: Readonly<Record<string, string>> = {
  MONGO_URI: 'MONGODB_URL',
  MONGO_URL: 'MONGODB_URL',
  CATALOG_DIR: 'CATALOGUE_DIR',
  CATALOG_REFRESH_SECONDS: 'CATALOGUE_REFRESH_SECONDS',
};

/**
 * Other programs have variables with short names, so that one letter off `HOST` need not be a
 * mistake.
 */
const maxShortLength = 4;

const sortedLetters = (text: string): string => [...text].sort().join('');

/**
 * Whether a text becomes the one that was meant by changing, adding or leaving out one letter, or
 * by swapping two.
 */
export const isMisspelt = (text: string, meant: string): boolean => {
  const distance = leven(text, meant, { maxDistance: 3 });
  return distance === 1 || (distance === 2 && sortedLetters(text) === sortedLetters(meant));
};

/** Gives the schema of a setting the name of its variable. */
export const named = <Schema extends z.ZodType>(variable: string, schema: Schema): Schema =>
  schema.meta({ ...schema.meta(), variable });

/**
 * The variable of each setting, what is allowed in it, its default, and whether it may hold a
 * password, by the setting's name.
 */
const variablesOf = ({ shape }: z.ZodObject) =>
  new Map(
    Object.entries(shape).map(([setting, schema]) => {
      const inner =
        schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
          ? schema.unwrap()
          : schema;
      // the core type of the same schema
      const { variable, allowed, secret } = z.globalRegistry.get(inner as z.ZodType) ?? {};
      const byDefault = schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined;
      return [
        setting,
        { name: String(variable), allowed: String(allowed), byDefault, secret: secret === true },
      ] as const;
    }),
  );

/**
 * Each variable, and what is allowed in it with its default, for a person. Defaults are in
 * milliseconds, the variables in seconds.
 */
export const describeVariables = (
  schema: z.ZodObject,
): (readonly [name: string, allowed: string])[] =>
  [...variablesOf(schema).values()].map(({ name, allowed, byDefault }) => {
    const inUnits = name.endsWith('_SECONDS') ? Number(byDefault) / 1000 : byDefault;
    return [name, byDefault === undefined ? allowed : `${allowed} (default: ${inUnits})`];
  });

/**
 * Describes variables that are set where a setting of nearly the same name, or with another usual
 * name, is not.
 */
export const misspeltSettings = (
  schema: z.ZodObject,
  variables: NodeJS.ProcessEnv,
): { readonly problem: string; readonly isShort: boolean }[] => {
  const known = [...variablesOf(schema).values()].map(({ name }) => name);
  return Object.keys(variables).flatMap((name) => {
    const upper = name.toUpperCase();
    const meant =
      otherNames[upper] ?? known.find((each) => each === upper || isMisspelt(upper, each));
    if (meant === undefined || known.includes(name) || !variables[name] || variables[meant])
      return [];
    const problem = `${name} is set, but the setting is ${meant}: rename or remove it.`;
    return [{ problem, isShort: meant.length <= maxShortLength }];
  });
};

/**
 * A URL with credentials, or what was meant as one, whichever variable it was given to by mistake.
 */
const credentials = /:[^@:]*@/;

/**
 * Parses variables; an empty one counts as not set. Throws an `Error` about the first misspelt or
 * invalid one.
 */
export const parseVariables = <Schema extends z.ZodObject>(
  schema: Schema,
  variables: NodeJS.ProcessEnv,
): z.output<Schema> => {
  const misspelt = misspeltSettings(schema, variables).find(({ isShort }) => !isShort);
  if (misspelt !== undefined) throw new Error(misspelt.problem);
  const known = variablesOf(schema);
  const texts = [...known].map(([setting, { name }]) => [setting, variables[name] || undefined]);
  const result = schema.safeParse(Object.fromEntries(texts));
  if (result.success) return result.data;
  const { name, allowed, secret } = known.get(String(result.error.issues[0]?.path[0])) ?? {};
  const given = variables[String(name)] ?? '';
  const value = secret || credentials.test(given) ? 'not usable' : JSON.stringify(given);
  throw new Error(`${name} is ${value}: it must be ${allowed}.`);
};
