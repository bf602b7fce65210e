import { groupBy } from '../../src/domain/groups.ts';
import { countOf } from '../../src/domain/quantities.ts';

/** The part of a contract that a change is about. Without a path it is about the whole contract. */
export interface Place {
  /** `/api/v1/artists/{id}`. */
  readonly path?: string;
  readonly parameter?: string;
  /** The status of a response. */
  readonly status?: number;
  readonly header?: string;
  /** The field of a body, `data[].songs[].name`. */
  readonly field?: string;
}

/** A difference between two versions of a contract. */
export interface Change extends Place {
  readonly where: string;
  readonly what: string;
  /** True if it breaks a client that was written for the first version and uses this part. */
  readonly breaks: boolean;
  /** The keyword that changed, with its new value: `maximum` of a parameter. */
  readonly keyword?: { readonly name: string; readonly value: unknown };
}

type Json = Readonly<Record<string, unknown>>;

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a path of names; `undefined` if an object on the way is missing. */
export const at = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce((inner, name) => (isJson(inner) ? inner[name] : undefined), value);

/**
 * A part of a contract. The parts in it are named by what follows its own name: ` 200`, `.name`,
 * `[]`.
 */
interface Part {
  readonly kind:
    | 'contract'
    | 'operation'
    | 'parameter'
    | 'status'
    | 'header'
    | 'member'
    | 'items'
    | 'schema';
  readonly required: boolean;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly parts: Readonly<Record<string, Part>>;
}

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

const text = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));

const partsOf = (
  value: unknown,
  prefix: string,
  read: (one: unknown, name: string) => Part,
): Part['parts'] =>
  Object.fromEntries(
    Object.entries(isJson(value) ? value : {}).map(([name, one]) => [
      `${prefix}${name}`,
      read(one, name),
    ]),
  );

/** Keywords that limit a value, each with a test if a change allows fewer values. */
const narrowing: Readonly<Record<string, (before: number, after: number) => boolean>> = {
  minimum: (before, after) => after > before,
  minLength: (before, after) => after > before,
  maximum: (before, after) => after < before,
  maxLength: (before, after) => after < before,
};

/** Keywords that list the allowed values. */
const choices = ['type', 'enum', 'const'];

/** Reads the parts of a contract whose schemas do not contain themselves. */
const readContract = (contract: unknown): Part => {
  const resolve = (thing: unknown): unknown => {
    const reference = at(thing, '$ref');
    return typeof reference === 'string' ? at(contract, ...reference.slice(2).split('/')) : thing;
  };
  const schemaPart = (kind: Part['kind'], required: boolean, given: unknown): Part => {
    const schema = resolve(given);
    const inItems = ['items', 'additionalProperties'].filter((name) => isJson(at(schema, name)));
    const others = ['anyOf', 'oneOf', 'format', 'pattern', 'default', 'additionalProperties'];
    const keywords = [...choices, ...others, ...Object.keys(narrowing)];
    const facts = keywords
      .filter((name) => !inItems.includes(name))
      .map((name) => [name, at(schema, name)]);
    const items = inItems.map((name) => ['[]', schemaPart('items', true, at(schema, name))]);
    const members = partsOf(at(schema, 'properties'), '.', (member, name) =>
      schemaPart('member', listOf(at(schema, 'required')).includes(name), member),
    );
    const named = ['anyOf', 'oneOf']
      .flatMap((keyword) => listOf(at(schema, keyword)))
      .filter((one) => at(one, '$ref') !== undefined)
      .map((one) => [
        ` (${String(at(one, '$ref')).replace(/^.*\//, '')})`,
        schemaPart('schema', true, one),
      ]);
    const parts = { ...Object.fromEntries(items), ...members, ...Object.fromEntries(named) };
    return { kind, required, facts: Object.fromEntries(facts), parts };
  };
  const partWithSchema = (kind: Part['kind'], part: unknown): Part =>
    schemaPart(kind, at(part, 'required') === true, at(part, 'schema'));
  const responsePart = (response: unknown): Part => {
    const body = schemaPart('status', true, at(response, 'content', 'application/json', 'schema'));
    const headers = partsOf(at(response, 'headers'), ' ', (header) =>
      partWithSchema('header', resolve(header)),
    );
    return { ...body, parts: { ...headers, ...body.parts } };
  };
  const operationPart = (operation: unknown): Part => {
    const named = listOf(at(operation, 'parameters')).map((one) => [
      `${at(one, 'in')} ${at(one, 'name')}`,
      one,
    ]);
    const parameters = partsOf(Object.fromEntries(named), ' ', (one) =>
      partWithSchema('parameter', one),
    );
    const facts = ['operationId', 'security', 'tags'].map((name) => [name, at(operation, name)]);
    return {
      kind: 'operation',
      required: false,
      facts: Object.fromEntries(facts),
      parts: { ...parameters, ...partsOf(at(operation, 'responses'), ' ', responsePart) },
    };
  };
  const paths = Object.entries(at(contract, 'paths') ?? {});
  const operations = paths.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => [
      `${method.toUpperCase()} ${path}`,
      operationPart(one),
    ]),
  );
  const facts = { security: at(contract, 'components', 'securitySchemes', 'apiKey', 'scheme') };
  // Generated clients have types of these names.
  const schemas = partsOf(at(contract, 'components', 'schemas'), 'schema ', () => ({
    kind: 'schema',
    required: false,
    facts: {},
    parts: {},
  }));
  return {
    kind: 'contract',
    required: true,
    facts,
    parts: { ...schemas, ...Object.fromEntries(operations) },
  };
};

/**
 * True if a changed fact breaks clients: a request allows fewer values, a response has more, or
 * anything else changes except tags.
 */
const factBreaks = (name: string, was: unknown, is: unknown, isRequest: boolean): boolean => {
  const narrows = narrowing[name];
  if (narrows !== undefined) {
    const narrower = was === undefined || (is !== undefined && narrows(Number(was), Number(is)));
    return narrower === isRequest;
  }
  if (!choices.includes(name)) return name !== 'tags';
  const [narrow, wide] = isRequest ? [listOf(is), listOf(was)] : [listOf(was), listOf(is)];
  return narrow.length > 0 && (wide.length === 0 || wide.some((value) => !narrow.includes(value)));
};

/** A changed fact; of two lists only what one of them lacks. */
const describeChange = (name: string, was: unknown, is: unknown): string => {
  if (!Array.isArray(was) || !Array.isArray(is)) return `${name} ${text(was)} became ${text(is)}`;
  const lacking = (other: readonly unknown[]) => (one: unknown) => !other.includes(one);
  const [lost, gained] = [was.filter(lacking(is)), is.filter(lacking(was))];
  const parts = [gained.length > 0 && `gained ${gained}`, lost.length > 0 && `lost ${lost}`];
  return `${name} ${parts.filter(Boolean).join(', ') || 'has another order'}`;
};

/** The place of a part in the part that contains it. */
const placeOf = (outer: Place, name: string, { kind }: Part): Place => {
  const own = name.trim();
  if (kind === 'operation') return { path: own.replace(/^GET /, '') };
  if (kind === 'parameter') return { ...outer, parameter: own.replace(/^\S+ /, '') };
  if (kind === 'status') return { ...outer, status: Number(own) };
  if (kind === 'header') return { ...outer, header: own };
  const isInBody = outer.status !== undefined && outer.header === undefined && !own.startsWith('(');
  return isInBody ? { ...outer, field: `${outer.field ?? ''}${own}`.replace(/^\./, '') } : outer;
};

const compareParts = (
  where: string,
  place: Place,
  was: Part | undefined,
  is: Part | undefined,
): Change[] => {
  const here = { where, ...place };
  if (is === undefined) return [{ ...here, what: 'was removed', breaks: true }];
  const { kind, required } = is;
  const isRequest = place.parameter !== undefined;
  if (was === undefined) {
    if (kind === 'schema') return [];
    if (kind === 'status')
      return [{ ...here, what: 'was added: the table of statuses is closed', breaks: true }];
    return [{ ...here, what: 'was added', breaks: kind === 'items' || (isRequest && required) }];
  }
  const requirement = {
    ...here,
    what: required ? 'became required' : 'became optional',
    breaks: required === isRequest,
  };
  const facts = Object.keys({ ...was.facts, ...is.facts }).flatMap((name) => {
    const [before, after] = [was.facts[name], is.facts[name]];
    if (text(before) === text(after)) return [];
    const what = describeChange(name, before, after);
    const breaks = factBreaks(name, before, after, isRequest);
    return [{ ...here, what, breaks, keyword: { name, value: after } }];
  });
  const parts = Object.entries({ ...was.parts, ...is.parts }).flatMap(([name, part]) =>
    compareParts(`${where}${name}`, placeOf(place, name, part), was.parts[name], is.parts[name]),
  );
  return [...(was.required === required ? [] : [requirement]), ...facts, ...parts];
};

/**
 * Compares two contracts. Descriptions, examples and the server's address, which is the operator's,
 * are not compared.
 */
export const compareContracts = (before: unknown, after: unknown): readonly Change[] =>
  compareParts('', {}, readContract(before), readContract(after));

/** A field as lists of fields that a program reads name it: `artists.songs.name`, `_meta.timestamp`. */
export const fieldName = ({ path = '', field = '' }: Place): string => {
  const list = path.split('/').findLast((part) => part !== '' && !part.startsWith('{')) ?? '';
  return field.replace(/^data(\[\])?(\.|$)/, `${list}$2`).replaceAll('[]', '');
};

const placesIn = (place: Place, part: Part): readonly Place[] => [
  place,
  ...Object.entries(part.parts).flatMap(([name, inner]) =>
    placesIn(placeOf(place, name, inner), inner),
  ),
];

/** The fields of every response in a contract, with their places. */
export const fieldsOf = (contract: unknown): ReadonlyMap<string, readonly Place[]> =>
  groupBy(
    placesIn({}, readContract(contract)).filter(({ field }) => field !== undefined),
    fieldName,
  );

/** The changes of a contract that loses a field, named `artists.songs.name`, in every response. */
export const removeField = (contract: unknown, name: string): readonly Change[] =>
  (fieldsOf(contract).get(name) ?? []).map((place) => ({
    ...place,
    where: `GET ${place.path} ${place.status}.${place.field}`,
    what: 'was removed',
    breaks: true,
  }));

/** Changes for people: one line for the same change at any number of places. */
export const describeChanges = (changes: readonly Change[]): readonly string[] =>
  [...groupBy(changes, ({ what, breaks }) => `${breaks} ${what}`).values()].map(
    ([{ where, what, breaks }, ...others]) => {
      const more = others.length > 0 ? ` and ${countOf(others.length, 'more place')}:` : '';
      return `${breaks ? 'BREAKS CLIENTS' : 'compatible'}: ${where}${more} ${what}`;
    },
  );
