/** A JSON value, as an answer holds it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}

export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !isList(value);

/** Parses a text; `undefined` when it is no JSON, an empty one too. */
export const parseJson = (text: string): Json | undefined => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not JSON: whoever asked says what was expected instead
  }
};

/** The value at a path of member names, `meta.window.days`; `undefined` where there is none. */
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

/** Whether two values are the same JSON; the order of members does not count. */
export const equalJson = (left: Json | undefined, right: Json | undefined): boolean => {
  if (left === right) return true;
  if (isList(left) && isList(right)) {
    return left.length === right.length && left.every((item, place) => equalJson(item, right[place]));
  }
  if (!isObject(left) || !isObject(right)) return false;
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every((name) => equalJson(left[name], right[name]));
};
