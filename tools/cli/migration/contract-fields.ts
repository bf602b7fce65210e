import { z } from 'zod';
import { forms } from '../../../adapters/forms/forms.ts';
import type { Scope } from '../../../src/domain/caller.ts';
import { factsOfForm } from '../../../src/domain/form-facts.ts';
import { groupBy } from '../../../src/domain/groups.ts';
import { requestedMove } from '../../migration/evidence.ts';
import { mapping, tableTitles } from '../../migration/mapping/mapping.ts';
import type { MemberRow } from '../../migration/mapping/rows.ts';

const { from, to } = requestedMove;

/** A member of an answer as a contract declares it. */
interface ContractField {
  /** `songs[].metrics.streams`: `[]` is every item of a list. */
  readonly path: string;
  /** Whether the object that it belongs to always has it. */
  readonly isAlways: boolean;
  readonly type: string;
  /** What it means, in Markdown. */
  readonly meaning: string;
}

type Schema = z.core.JSONSchema.BaseSchema;

const schemaOf = (schema: Schema['items']): Schema =>
  typeof schema === 'object' && !Array.isArray(schema) ? schema : {};

const typeOf = ({ type, items }: Schema): string =>
  type === 'array' && items !== undefined
    ? `list of ${typeOf(schemaOf(items))}s`
    : [type ?? 'value'].flat().join(' or ');

/** The members of an object, each before those of an object or a list of objects in it. */
const membersOf = ({ properties = {}, required = [] }: Schema, prefix = ''): ContractField[] =>
  Object.entries(properties).flatMap(([name, declared]) => {
    const schema = schemaOf(declared);
    const path = prefix + name;
    const field = {
      path,
      isAlways: required.includes(name),
      type: typeOf(schema),
      meaning: schema.description ?? '',
    };
    const inner =
      schema.type === 'array'
        ? membersOf(schemaOf(schema.items), `${path}[].`)
        : membersOf(schema, `${path}.`);
    return [field, ...inner];
  });

const fieldsIn = (model: z.ZodType | undefined): ContractField[] =>
  model === undefined ? [] : membersOf(z.toJSONSchema(model, { io: 'output' }));

const errorFields = (name: string): ContractField[] => {
  const { errors, schemas } = factsOfForm(forms, name).contract;
  return fieldsIn(schemas[errors[0]]);
};

/** The members of a form's answer on a path below `/api/v1`, those of its items apart. */
const fieldsOn = (name: string, path: string) => {
  const { routes, contract } = factsOfForm(forms, name);
  const route = routes.find((one) => one.path === `/api/v1${path}`);
  const all = fieldsIn(contract.schemas[route?.contract.success[0] ?? '']);
  return {
    envelope: all.filter(({ path: one }) => !one.startsWith('data[]')),
    items: all
      .filter(({ path: one }) => one.startsWith('data[].'))
      .map((member) => ({ ...member, path: member.path.slice('data[].'.length) })),
  };
};

/** The path of a row's member as a contract has it: without a map's keys, and the points in it. */
const inContract = (path: string): string => path.replace(/\.\*.*$/, '').replace(/\[\]$/, '');

const isWithin = (path: string, parent: string): boolean =>
  path === parent || path.startsWith(`${parent}.`) || path.startsWith(`${parent}[]`);

/** What a key is answered, for members that depend on it. */
interface ResponseFacts {
  readonly scopes: readonly Scope[];
  /** Whether it asks for artists with `fields=basic` alone. */
  readonly isBasic: boolean;
}

const isHiddenIn = (form: typeof from | typeof to, { scopes, isBasic }: ResponseFacts) => {
  const isHidden = (row: MemberRow): boolean =>
    (row.scope !== undefined && !scopes.includes(row.scope)) ||
    row.presentIf?.[form] === 'history' ||
    (isBasic && row.presentIf?.[form] === 'every field');
  return (rows: readonly MemberRow[], members: readonly ContractField[]) => {
    const hidden = rows.filter(isHidden).flatMap(({ [form]: path }) => path ?? []);
    const isLeafHidden = (path: string): boolean =>
      hidden.some((one) => isWithin(path, inContract(one)));
    return (path: string): boolean => {
      const inner = members.filter((one) => one.path !== path && isWithin(one.path, path));
      return (
        isLeafHidden(path) ||
        (inner.length > 0 && inner.every((one) => isLeafHidden(one.path)) && hidden.length > 0)
      );
    };
  };
};

/** The members of one object of the answer that the form left does not have, nor under another name. */
const addedFields = (
  rows: readonly MemberRow[],
  before: readonly ContractField[],
  after: readonly ContractField[],
  facts: ResponseFacts,
): ContractField[] => {
  const isHiddenBefore = isHiddenIn(from, facts)(rows, before);
  const isHiddenAfter = isHiddenIn(to, facts)(rows, after);
  const visible = before.map(({ path }) => path).filter((path) => !isHiddenBefore(path));
  const known = new Set([
    ...visible,
    ...rows.flatMap(({ [from]: own, [to]: taken }) =>
      own !== undefined && taken !== undefined && visible.includes(inContract(own))
        ? [inContract(taken)]
        : [],
    ),
  ]);
  return after.filter(({ path }) => !known.has(path) && !isHiddenAfter(path));
};

/**
 * What an answer of the form that partners move to has beyond what these calls get today, with the
 * object that has it.
 *
 * @param paths those that are called, below `/api/v1`
 */
export const newFields = (paths: readonly string[], facts: ResponseFacts) => {
  const addedTo = (
    table: keyof typeof tableTitles,
    before: readonly ContractField[],
    after: readonly ContractField[],
  ) => {
    const of = tableTitles[table];
    const added = addedFields(mapping.members[table], before, after, facts);
    return added.map((member) => ({ of, ...member }));
  };
  const rows = mapping.paths.filter(
    ({ [from]: path, items }) => path !== undefined && paths.includes(path) && items !== undefined,
  );
  const found = rows.flatMap(({ [from]: path = '', items = 'artist' }) => {
    const [before, after] = [fieldsOn(from, path), fieldsOn(to, path)];
    return [
      ...addedTo('envelope', before.envelope, after.envelope),
      ...addedTo(items, before.items, after.items),
    ].map((member) => ({ on: path, ...member }));
  });
  const errors = addedTo('error', errorFields(from), errorFields(to));
  const answers = [...groupBy(found, ({ of, path }) => `${of} ${path}`).values()].map((group) => {
    const [{ on: _on, ...member }] = group;
    const isEverywhere = member.of !== tableTitles.envelope || group.length === rows.length;
    const of = isEverywhere ? member.of : `${member.of} of ${group.map(({ on }) => on).join(', ')}`;
    return { ...member, of };
  });
  return [...answers, ...errors];
};

/** Whether the form that partners move to always sends a member; `undefined` where it has none. */
export const isAlwaysSent = (
  of: string,
  path: string,
  paths: readonly string[],
): boolean | undefined => {
  if (of === tableTitles.error) return true;
  const rows = mapping.paths.filter(({ [from]: own, items }) => own !== undefined && items);
  for (const { [from]: on = '', items = 'artist' } of rows.filter(({ [from]: own = '' }) =>
    paths.includes(own),
  )) {
    const members = fieldsOn(to, on);
    const list = of === tableTitles.envelope ? members.envelope : members.items;
    if (of !== tableTitles.envelope && of !== tableTitles[items]) continue;
    const found = list.find((member) => member.path === inContract(path));
    if (found !== undefined) return found.isAlways;
  }
  return undefined;
};

/** Members that a contract of the form left names and a key never gets, in either form. */
export const neverSent = (paths: readonly string[], { scopes }: ResponseFacts): readonly string[] =>
  mapping.paths.flatMap(({ [from]: path, items }) =>
    items === undefined || path === undefined || !paths.includes(path)
      ? []
      : mapping.members[items].flatMap(({ scope, [from]: member }) =>
          scope === undefined || member === undefined || scopes.includes(scope) ? [] : [member],
        ),
  );
