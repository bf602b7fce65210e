import { isList, isObject, type Json } from '../../../src/crosswalk/json.ts';

/** One value of an answer with its path, and the declared path that it belongs to. */
export interface ValueAtPath {
  /** `songs[1].metrics.streams` */
  readonly path: string;
  /** `songs[].metrics.*`; `undefined` when no row declares it. */
  readonly pattern: string | undefined;
  /** The index or key that each `[]` and `*` of the pattern matches, in order. */
  readonly at: readonly string[];
  readonly value: Json;
}

/** A declared path, and the keys that its `*` matches. */
interface DeclaredPath {
  readonly pattern: string;
  readonly keys?: readonly string[] | undefined;
}

/** A segment of declared paths. Declared paths share their beginnings, so they form a tree. */
interface PathNode {
  readonly children: Map<string, PathNode>;
  keys?: readonly string[] | undefined;
  pattern?: string;
}

const anyKey = '*';
const anyItem = '[]';

const insert = (root: PathNode, { pattern, keys }: DeclaredPath): void => {
  let node = root;
  // `songs[].history.*[].date` has the segments `songs`, `[]`, `history`, `*`, `[]`, `date`.
  for (const segment of pattern.split(/\.|(?=\[\])/)) {
    const child = node.children.get(segment) ?? { children: new Map() };
    node.children.set(segment, child);
    if (segment === anyKey) node.keys = keys;
    node = child;
  }
  node.pattern = pattern;
};

const collect = (node: PathNode, value: Json, path: string, at: readonly string[], found: ValueAtPath[]): void => {
  const { pattern, children, keys } = node;
  const item = children.get(anyItem);
  const any = children.get(anyKey);
  // An empty list or map is a value of its own: it differs from an absent one.
  const addEmpty = (child: PathNode | undefined): void => {
    if (child?.pattern !== undefined) found.push({ path, pattern: child.pattern, at: [...at, ''], value });
  };
  if (pattern !== undefined) found.push({ path, pattern, at, value });
  else if (isList(value) && item !== undefined) {
    if (value.length === 0) addEmpty(item);
    for (const [index, one] of value.entries()) collect(item, one, `${path}[${index}]`, [...at, String(index)], found);
  } else if (isObject(value) && item === undefined) {
    const members = Object.entries(value);
    if (members.length === 0) addEmpty(any);
    for (const [name, member] of members) {
      const memberPath = path === '' ? name : `${path}.${name}`;
      const named = children.get(name);
      if (named !== undefined) collect(named, member, memberPath, at, found);
      else if (any !== undefined && (keys === undefined || keys.includes(name)))
        collect(any, member, memberPath, [...at, name], found);
      else found.push({ path: memberPath, pattern: undefined, at, value: member });
    }
  } else found.push({ path, pattern: undefined, at, value });
};

/** A reader that flattens a value into the values at its declared paths, and the undeclared values. */
export const createPathReader = (declared: readonly DeclaredPath[]): ((value: Json) => readonly ValueAtPath[]) => {
  const root: PathNode = { children: new Map() };
  for (const path of declared) insert(root, path);
  return (value) => {
    const found: ValueAtPath[] = [];
    collect(root, value, '', [], found);
    return found;
  };
};
