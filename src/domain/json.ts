export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}

export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !isList(value);

/** Parses a text; `undefined` if it is not JSON. */
export const parseJson = (text: string): Json | undefined => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // callers report what they expected instead
  }
};

/** The value at a path of member names, `meta.window.days`; `undefined` if there is none. */
export const valueAt = (value: Json | undefined, path: string): Json | undefined => {
  let found = value;
  for (const name of path.split('.')) found = isObject(found) ? found[name] : undefined;
  return found;
};

export const textAt = (value: Json | undefined, path: string): string | undefined => {
  const found = valueAt(value, path);
  return typeof found === 'string' ? found : undefined;
};

export const numberAt = (value: Json | undefined, path: string): number | undefined => {
  const found = valueAt(value, path);
  return typeof found === 'number' ? found : undefined;
};

export const listAt = (value: Json | undefined, path: string): readonly Json[] => {
  const found = valueAt(value, path);
  return isList(found) ? found : [];
};
