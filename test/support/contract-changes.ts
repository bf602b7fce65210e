/** A difference between two versions of a contract, and whether it breaks clients of the first. */
export interface Change {
  readonly where: string;
  readonly what: string;
  readonly breaks: boolean;
}

type Json = Readonly<Record<string, unknown>>;

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a schema describes a request or a response. */
type Side = 'request' | 'response';

const atPath = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, name) => (isJson(inner) ? inner[name] : undefined), value);

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

const text = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));

/** All names of two objects. */
const namesIn = (before: unknown, after: unknown): readonly string[] => [
  ...new Set([before, after].flatMap((value) => (isJson(value) ? Object.keys(value) : []))),
];

/** Keywords that limit a value, and whether a change of one allows fewer values. */
const narrowing: Readonly<Record<string, (before: number, after: number) => boolean>> = {
  minimum: (before, after) => after > before,
  minLength: (before, after) => after > before,
  maximum: (before, after) => after < before,
  maxLength: (before, after) => after < before,
};

/** Two contracts, and their differences. */
interface Comparison {
  readonly before: unknown;
  readonly after: unknown;
  readonly changes: Change[];
}

const note = ({ changes }: Comparison, where: string, what: string, breaks: boolean): void => {
  changes.push({ where, what, breaks });
};

const resolve = (contract: unknown, thing: unknown): unknown => {
  const reference = isJson(thing) ? thing['$ref'] : undefined;
  return typeof reference === 'string' ? atPath(contract, reference.slice(2).split('/')) : thing;
};

/** Compares allowed values: fewer in a request break a client, more in a response do. */
const compareChoices = (
  comparison: Comparison,
  where: string,
  name: string,
  old: unknown,
  now: unknown,
  side: Side,
): void => {
  if (text(old) === text(now)) return;
  const [was, is] = [listOf(old), listOf(now)];
  const fewer = is.length > 0 && (was.length === 0 || was.some((value) => !is.includes(value)));
  const more = was.length > 0 && (is.length === 0 || is.some((value) => !was.includes(value)));
  note(comparison, where, `${name} ${text(old)} became ${text(now)}`, side === 'request' ? fewer : more);
};

const compareLimits = (comparison: Comparison, where: string, old: unknown, now: unknown, side: Side): void => {
  for (const [name, narrows] of Object.entries(narrowing)) {
    const [was, is] = [atPath(old, [name]), atPath(now, [name])];
    if (was === is) continue;
    const narrower = was === undefined || (is !== undefined && narrows(Number(was), Number(is)));
    note(comparison, where, `${name} ${text(was)} became ${text(is)}`, side === 'request' ? narrower : !narrower);
  }
};

const compareSchemas = (
  comparison: Comparison,
  where: string,
  oldRaw: unknown,
  nowRaw: unknown,
  side: Side,
  seen: readonly string[],
): void => {
  const [oldName, nowName] = [oldRaw, nowRaw].map((schema) => (isJson(schema) ? String(schema['$ref']) : ''));
  if (oldName !== 'undefined' && seen.includes(`${oldName} ${nowName}`)) return;
  const inside = [...seen, `${oldName} ${nowName}`];
  const [old, now] = [resolve(comparison.before, oldRaw), resolve(comparison.after, nowRaw)];
  for (const name of ['type', 'enum', 'const'])
    compareChoices(comparison, where, name, atPath(old, [name]), atPath(now, [name]), side);
  for (const name of ['format', 'pattern', 'default']) {
    const [was, is] = [atPath(old, [name]), atPath(now, [name])];
    if (was !== is) note(comparison, where, `${name} ${text(was)} became ${text(is)}`, true);
  }
  compareLimits(comparison, where, old, now, side);
  for (const name of ['items', 'additionalProperties']) {
    const [was, is] = [atPath(old, [name]), atPath(now, [name])];
    if (isJson(was) && isJson(is)) compareSchemas(comparison, `${where}[]`, was, is, side, inside);
    else if (text(was) !== text(is)) note(comparison, where, `${name} ${text(was)} became ${text(is)}`, true);
  }
  compareMembers(comparison, where, old, now, side, inside);
};

const compareMembers = (
  comparison: Comparison,
  where: string,
  old: unknown,
  now: unknown,
  side: Side,
  seen: readonly string[],
): void => {
  for (const name of namesIn(atPath(old, ['properties']), atPath(now, ['properties']))) {
    const [was, is] = [atPath(old, ['properties', name]), atPath(now, ['properties', name])];
    const here = `${where}.${name}`;
    const needed = [old, now].map((schema) => listOf(atPath(schema, ['required'])).includes(name));
    if (is === undefined) note(comparison, here, 'was removed', true);
    else if (was === undefined) note(comparison, here, 'was added', side === 'request' && needed[1] === true);
    else {
      if (needed[0] !== needed[1]) {
        note(comparison, here, needed[1] ? 'became required' : 'became optional', needed[1] === (side === 'request'));
      }
      compareSchemas(comparison, here, was, is, side, seen);
    }
  }
};

const compareParameters = (comparison: Comparison, where: string, old: unknown, now: unknown): void => {
  const byName = (list: unknown): Json =>
    Object.fromEntries(listOf(list).map((one) => [`${atPath(one, ['in'])} ${atPath(one, ['name'])}`, one]));
  const [was, is] = [byName(old), byName(now)];
  for (const name of namesIn(was, is)) {
    const here = `${where} ${name}`;
    const needed = atPath(is[name], ['required']) === true;
    if (is[name] === undefined) note(comparison, here, 'was removed', true);
    else if (was[name] === undefined) note(comparison, here, 'was added', needed);
    else {
      if ((atPath(was[name], ['required']) === true) !== needed) {
        note(comparison, here, needed ? 'became required' : 'became optional', needed);
      }
      compareSchemas(comparison, here, atPath(was[name], ['schema']), atPath(is[name], ['schema']), 'request', []);
    }
  }
};

const compareHeaders = (comparison: Comparison, where: string, old: unknown, now: unknown): void => {
  for (const name of namesIn(old, now)) {
    const [was, is] = [resolve(comparison.before, atPath(old, [name])), resolve(comparison.after, atPath(now, [name]))];
    const here = `${where} ${name}`;
    if (is === undefined) note(comparison, here, 'was removed', true);
    else if (was === undefined) note(comparison, here, 'was added', false);
    else {
      const needed = [was, is].map((header) => atPath(header, ['required']) === true);
      if (needed[0] !== needed[1])
        note(comparison, here, needed[1] ? 'is always sent now' : 'is not always sent now', !needed[1]);
      compareSchemas(comparison, here, atPath(was, ['schema']), atPath(is, ['schema']), 'response', []);
    }
  }
};

const compareOperations = (comparison: Comparison, where: string, old: unknown, now: unknown): void => {
  for (const name of ['operationId', 'security', 'tags']) {
    const [was, is] = [atPath(old, [name]), atPath(now, [name])];
    if (text(was) !== text(is)) note(comparison, where, `${name} ${text(was)} became ${text(is)}`, name !== 'tags');
  }
  compareParameters(comparison, where, atPath(old, ['parameters']), atPath(now, ['parameters']));
  const [was, is] = [atPath(old, ['responses']), atPath(now, ['responses'])];
  for (const status of namesIn(was, is)) {
    const here = `${where} ${status}`;
    if (atPath(was, [status]) === undefined) note(comparison, here, 'was added: the table of statuses is closed', true);
    else if (atPath(is, [status]) === undefined) note(comparison, here, 'was removed', true);
    else {
      compareHeaders(comparison, here, atPath(was, [status, 'headers']), atPath(is, [status, 'headers']));
      const body = ['content', 'application/json', 'schema'];
      compareSchemas(comparison, here, atPath(was, [status, ...body]), atPath(is, [status, ...body]), 'response', []);
    }
  }
};

/** Compares two contracts. Descriptions, examples and the server's address, which is the operator's, are not compared. */
export const compareContracts = (before: unknown, after: unknown): readonly Change[] => {
  const comparison: Comparison = { before, after, changes: [] };
  const [was, is] = [atPath(before, ['paths']), atPath(after, ['paths'])];
  for (const path of namesIn(was, is)) {
    for (const method of namesIn(atPath(was, [path]), atPath(is, [path]))) {
      const here = `${method.toUpperCase()} ${path}`;
      const [old, now] = [atPath(was, [path, method]), atPath(is, [path, method])];
      if (now === undefined) note(comparison, here, 'was removed', true);
      else if (old === undefined) note(comparison, here, 'was added', false);
      else compareOperations(comparison, here, old, now);
    }
  }
  const scheme = ['components', 'securitySchemes', 'apiKey', 'scheme'];
  if (atPath(before, scheme) !== atPath(after, scheme)) note(comparison, 'security', 'changed', true);
  return comparison.changes;
};
