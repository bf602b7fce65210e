import { isList, isObject, type Json, type JsonObject } from '../../../src/crosswalk/json.ts';

/** One value of an answer, where it stands, and which declared path it belongs to. */
export interface ValueAtPath {
  /** `songs[1].metrics.streams` */
  readonly path: string;
  /** `songs[].metrics.*`; `undefined` when no row declares it. */
  readonly pattern: string | undefined;
  /** What stood for each `[]` and `*`: places and keys, in order. */
  readonly at: readonly string[];
  readonly value: Json;
}

/** A declared path, and the keys that its `*` stands for. */
export interface Declared {
  readonly pattern: string;
  readonly keys?: readonly string[] | undefined;
}

interface Branch {
  readonly members: Map<string, Branch>;
  keys: readonly string[] | undefined;
  pattern: string | undefined;
}

const anyKey = '*';
const anyItem = '[]';

const createBranch = (): Branch => ({ members: new Map(), keys: undefined, pattern: undefined });

/** `songs[].history.*[].date` as `songs`, `[]`, `history`, `*`, `[]`, `date`. */
const segmentsOf = (pattern: string): string[] =>
  pattern.split('.').flatMap((name) => {
    const items = name.split(anyItem).length - 1;
    return [name.replaceAll(anyItem, ''), ...Array.from({ length: items }, () => anyItem)];
  });

const plant = (root: Branch, { pattern, keys }: Declared): void => {
  let branch = root;
  for (const segment of segmentsOf(pattern)) {
    const next = branch.members.get(segment) ?? createBranch();
    branch.members.set(segment, next);
    if (segment === anyKey) branch.keys = keys;
    branch = next;
  }
  branch.pattern = pattern;
};

interface Place {
  readonly path: string;
  readonly at: readonly string[];
}

const below = ({ path, at }: Place, name: string): Place => ({ path: path === '' ? name : `${path}.${name}`, at });

/** An empty list or map says something too: that there is none. It stands for the items it does not have. */
const addEmpty = (branch: Branch | undefined, { path, at }: Place, value: Json, to: ValueAtPath[]): void => {
  if (branch?.pattern !== undefined) to.push({ path, pattern: branch.pattern, at: [...at, ''], value });
};

const addUndeclared = ({ path, at }: Place, value: Json, to: ValueAtPath[]): void => {
  to.push({ path, pattern: undefined, at, value });
};

const addList = (branch: Branch, place: Place, list: readonly Json[], to: ValueAtPath[]): void => {
  const item = branch.members.get(anyItem);
  if (item === undefined) addUndeclared(place, list, to);
  else if (list.length === 0) addEmpty(item, place, list, to);
  else {
    for (const [index, value] of list.entries()) {
      add(item, { path: `${place.path}[${index}]`, at: [...place.at, String(index)] }, value, to);
    }
  }
};

const addMember = (branch: Branch, place: Place, name: string, value: Json, to: ValueAtPath[]): void => {
  const named = branch.members.get(name);
  const any = branch.members.get(anyKey);
  const isKnown = branch.keys === undefined || branch.keys.includes(name);
  if (named !== undefined) add(named, below(place, name), value, to);
  else if (any !== undefined && isKnown) add(any, { ...below(place, name), at: [...place.at, name] }, value, to);
  else addUndeclared(below(place, name), value, to);
};

const addObject = (branch: Branch, place: Place, value: JsonObject, to: ValueAtPath[]): void => {
  const members = Object.entries(value);
  if (members.length === 0) addEmpty(branch.members.get(anyKey), place, value, to);
  for (const [name, member] of members) addMember(branch, place, name, member, to);
};

const add = (branch: Branch, place: Place, value: Json, to: ValueAtPath[]): void => {
  if (branch.pattern !== undefined) to.push({ path: place.path, pattern: branch.pattern, at: place.at, value });
  else if (isList(value)) addList(branch, place, value, to);
  else if (isObject(value) && !branch.members.has(anyItem)) addObject(branch, place, value, to);
  else addUndeclared(place, value, to);
};

/** A reader that takes values apart into their leaves, by the paths that are declared. */
export const createLeafReader = (declared: readonly Declared[]): ((value: Json) => readonly ValueAtPath[]) => {
  const root = createBranch();
  for (const one of declared) plant(root, one);
  return (value) => {
    const leaves: ValueAtPath[] = [];
    add(root, { path: '', at: [] }, value, leaves);
    return leaves;
  };
};
