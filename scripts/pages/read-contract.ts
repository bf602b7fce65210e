import type { oas31 } from 'zod-openapi';

type Contract = oas31.OpenAPIObject;

type Referable<Thing> = Thing | oas31.ReferenceObject;
export type Schema = Referable<oas31.SchemaObject>;

/** The name of the component that a reference points to. */
export const nameOf = (thing: Referable<object> | undefined): string | undefined =>
  thing !== undefined && '$ref' in thing && typeof thing.$ref === 'string'
    ? thing.$ref.split('/').at(-1)
    : undefined;

const isResolved = <Thing extends object>(thing: Referable<Thing>): thing is Thing =>
  !('$ref' in thing);

const resolvedIn = <Thing extends object>(
  things: Readonly<Record<string, Referable<Thing>>> = {},
): [string, Thing][] =>
  Object.entries(things).flatMap(([name, thing]) => (isResolved(thing) ? [[name, thing]] : []));

const namesOf = (schema: Schema | undefined): readonly string[] => {
  const choices = schema !== undefined && isResolved(schema) ? (schema.oneOf ?? []) : [schema];
  return choices.flatMap((choice) => nameOf(choice) ?? []);
};

const responseOf = ([status, response]: [string, oas31.ResponseObject]) => ({
  status,
  description: response.description,
  schemas: namesOf(response.content?.['application/json']?.schema),
  headers: Object.keys(response.headers ?? {}),
});

const operationOf = (path: string, operation: oas31.OperationObject) => ({
  id: operation.operationId ?? path,
  path,
  summary: operation.summary ?? '',
  description: operation.description ?? '',
  needsKey: operation.security?.length !== 0,
  parameters: (operation.parameters ?? []).filter(isResolved),
  responses: resolvedIn<oas31.ResponseObject>(operation.responses).map(responseOf),
});

export type Operation = Readonly<ReturnType<typeof operationOf>>;

export const operationsOf = ({ paths = {} }: Contract): readonly Operation[] =>
  Object.entries(paths).flatMap(([path, { get }]) =>
    get === undefined ? [] : [operationOf(path, get)],
  );

/** The headers of a contract, each with its statuses in all operations. */
export const headersIn = (contract: Contract) => {
  const responses = operationsOf(contract).flatMap((operation) => operation.responses);
  const statusesOf = (name: string): string[] =>
    responses.filter(({ headers }) => headers.includes(name)).map(({ status }) => status);
  return resolvedIn<oas31.HeaderObject>(contract.components?.headers).map(
    ([name, { description = '', example }]) => ({
      name,
      description,
      example: String(example),
      statuses: [...new Set(statusesOf(name))].sort(),
    }),
  );
};

/** A field of a schema or of an object inside it: `signing.status`. */
interface SchemaMember {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
}

export const schemaMembers = (schema: Schema, prefix = ''): readonly SchemaMember[] => {
  if (!isResolved(schema)) return [];
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const itself = {
      name: prefix + name,
      schema: member,
      required: schema.required?.includes(name) ?? false,
    };
    const inner = isResolved(member) && member.type === 'array' ? (member.items ?? member) : member;
    return [itself, ...schemaMembers(inner, `${prefix}${name}${inner === member ? '' : '[]'}.`)];
  });
};

/** Adds the schemas inside of schemas. Returns names in the order of the contract. */
export const schemasIn = (
  { components }: Contract,
  names: readonly string[],
): readonly string[] => {
  const schemas = components?.schemas ?? {};
  const found = new Set<string>();
  const add = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    const text = JSON.stringify(schemas[name] ?? null);
    for (const [, inner = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) add(inner);
  };
  for (const name of names) add(name);
  return Object.keys(schemas).filter((name) => found.has(name));
};
