import type { oas31 } from 'zod-openapi';
import type { Contract } from '../openapi/document.ts';

/** An operation of a contract as a page shows it: references resolved, members in order. */
export interface Operation {
  readonly id: string;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly needsKey: boolean;
  readonly parameters: readonly oas31.ParameterObject[];
  readonly responses: readonly OperationResponse[];
}

export interface OperationResponse {
  readonly status: string;
  readonly description: string;
  readonly schema: string | undefined;
  readonly headers: readonly string[];
}

interface ContractHeader {
  readonly name: string;
  readonly description: string;
  readonly example: string;
  /** The statuses it comes with, of any operation. */
  readonly statuses: readonly string[];
}

type Referable<Thing> = Thing | oas31.ReferenceObject;
export type Schema = Referable<oas31.SchemaObject>;

/** The last part of a reference: the name of the component. */
export const nameOf = (thing: Referable<object> | undefined): string | undefined =>
  thing !== undefined && '$ref' in thing && typeof thing.$ref === 'string' ? thing.$ref.split('/').at(-1) : undefined;

const isResolved = <Thing extends object>(thing: Referable<Thing>): thing is Thing => !('$ref' in thing);

const responseOf = ([status, response]: [string, Referable<oas31.ResponseObject>]): OperationResponse[] =>
  isResolved(response)
    ? [
        {
          status,
          description: response.description,
          schema: nameOf(response.content?.['application/json']?.schema),
          headers: Object.keys(response.headers ?? {}),
        },
      ]
    : [];

export const operationsOf = (contract: Contract): readonly Operation[] =>
  Object.entries(contract.paths ?? {}).flatMap(([path, { get }]) =>
    get === undefined
      ? []
      : [
          {
            id: get.operationId ?? path,
            path,
            tag: get.tags?.[0] ?? '',
            summary: get.summary ?? '',
            description: get.description ?? '',
            needsKey: get.security?.length !== 0,
            parameters: (get.parameters ?? []).filter(isResolved),
            responses: Object.entries<Referable<oas31.ResponseObject>>(get.responses ?? {}).flatMap(responseOf),
          },
        ],
  );

export const headersIn = (contract: Contract): readonly ContractHeader[] => {
  const responses = operationsOf(contract).flatMap((operation) => operation.responses);
  return Object.entries(contract.components?.headers ?? {}).flatMap(([name, header]) =>
    isResolved(header)
      ? [
          {
            name,
            description: header.description ?? '',
            example: String(header.example),
            statuses: [
              ...new Set(responses.filter(({ headers }) => headers.includes(name)).map(({ status }) => status)),
            ].sort(),
          },
        ]
      : [],
  );
};

/** A member of a schema, or of an object inside it: `signing.status`. */
interface SchemaMember {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
}

export const membersOf = (schema: Schema, prefix = ''): readonly SchemaMember[] => {
  if (!isResolved(schema)) return [];
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const itself = { name: prefix + name, schema: member, required: schema.required?.includes(name) ?? false };
    const inner = isResolved(member) && member.type === 'array' ? (member.items ?? member) : member;
    return [itself, ...membersOf(inner, `${prefix}${name}${inner === member ? '' : '[]'}.`)];
  });
};
