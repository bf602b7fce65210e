import { groupBy } from '../../src/domain/groups.ts';
import { openApiPath } from '../../src/domain/path-template.ts';
import { recordedExample } from '../contracts/recorded-examples.ts';
import type { FormReference } from './form-reference.ts';
import {
  headersIn,
  nameOf,
  type Operation,
  type Schema,
  schemaMembers,
  schemasIn,
} from './read-contract.ts';

/** The type of a schema as Markdown. `link` makes links to other schemas. */
const typeText = (schema: Schema, link: (name: string) => string): string => {
  const name = nameOf(schema);
  if (name !== undefined) return link(name);
  if ('$ref' in schema) return '';
  const { type, items, additionalProperties, format } = schema;
  if (type === 'array' && items !== undefined) return `array of ${typeText(items, link)}`;
  if (typeof additionalProperties === 'object')
    return `object of ${typeText(additionalProperties, link)}`;
  const text = Array.isArray(type) ? type.join(' or ') : (type ?? '');
  return format === undefined ? text : `${text}, ${format}`;
};

const limitTexts = (schema: Schema): readonly string[] => {
  if ('$ref' in schema) return [];
  const { minimum, maximum, minLength, maxLength } = schema;
  const values = schema.const !== undefined ? [schema.const] : (schema.enum ?? []);
  return [
    ...(values.length > 0 ? [values.map((value) => `\`${String(value)}\``).join(', ')] : []),
    ...(minimum !== undefined && maximum !== undefined ? [`${minimum} to ${maximum}`] : []),
    ...(minimum !== undefined && maximum === undefined ? [`${minimum} or more`] : []),
    ...(maxLength !== undefined ? [`at most ${maxLength} characters`] : []),
    ...(minLength !== undefined ? ['not empty'] : []),
    ...(schema.default !== undefined ? [`default \`${String(schema.default)}\``] : []),
  ];
};

export interface ContractTable {
  readonly titles: readonly string[];
  /** Shown in search results. */
  readonly kind: string;
  readonly rows: readonly {
    readonly id: string;
    readonly name: string;
    readonly aside?: string;
    /** Markdown. Pages fold lists of names. */
    readonly cells: readonly (string | readonly string[])[];
  }[];
}

const linkTo = (address: string, text: string): string => `[${text}](${address})`;

const objectAddress = ({ errorsPath, errorObjects }: FormReference, name: string): string =>
  `${errorObjects.includes(name) ? errorsPath : ''}#${name}`;

const typeCell = (schema: Schema, reference: FormReference): string =>
  [
    typeText(schema, (name) => linkTo(objectAddress(reference, name), name)),
    ...limitTexts(schema),
  ].join('; ');

export const parameterTable = (
  { path, parameters }: Operation,
  reference: FormReference,
): ContractTable => ({
  titles: ['Parameter', 'Type', 'Meaning'],
  kind: `parameter of ${path}`,
  rows: parameters.map(({ name, in: where, required, schema = {}, description = '' }) => ({
    id: name,
    name,
    aside: required === true ? `${where}, required` : where,
    cells: [typeCell(schema, reference), description],
  })),
});

export const responseTable = (
  { path, responses }: Operation,
  reference: FormReference,
): ContractTable => ({
  titles: ['Status', 'Body', 'Meaning', 'Headers'],
  kind: `status of ${path}`,
  rows: responses.map(({ status, schemas, description, headers }) => ({
    id: status,
    name: status,
    cells: [
      schemas.length === 0
        ? 'none'
        : schemas.map((name) => linkTo(objectAddress(reference, name), name)).join(' or '),
      description,
      headers.map((name) => linkTo(`${reference.errorsPath}#header-${name}`, `\`${name}\``)),
    ],
  })),
});

export const errorTable = ({ declaration }: FormReference): ContractTable => {
  const listed = Object.values(declaration.problems).filter(({ text }) => text !== undefined);
  return {
    titles: ['Code', 'Status', 'Meaning'],
    kind: 'error code',
    rows: [...groupBy(listed, ({ code }) => code)].map(([code, found]) => ({
      id: code,
      name: code,
      cells: [
        [...new Set(found.map(({ status }) => status))].join(', '),
        [...new Set(found.map(({ text }) => text))].join(' '),
      ],
    })),
  };
};

export const headerTable = ({ contract }: FormReference): ContractTable => ({
  titles: ['Header', 'Meaning', 'For example', 'With'],
  kind: 'response header',
  rows: headersIn(contract).map(({ name, description, example, statuses }) => ({
    id: `header-${name}`,
    name,
    cells: [description, `\`${example}\``, statuses.join(' ')],
  })),
});

/** Describes objects of a contract by their fields, or by their values without fields. */
export const objectsIn = (reference: FormReference, names: readonly string[]) => {
  const schemas = reference.contract.components?.schemas ?? {};
  return names.map((object) => {
    const schema = schemas[object] ?? {};
    const rows = schemaMembers(schema).map(({ name, schema: member, required }) => ({
      id: `${object}.${name}`,
      name,
      ...(!required && { aside: 'optional' }),
      cells: [typeCell(member, reference), '$ref' in member ? '' : (member.description ?? '')],
    }));
    const members: ContractTable = {
      titles: ['Field', 'Type', 'Meaning'],
      kind: `field of ${object}`,
      rows,
    };
    return {
      name: object,
      description: 'description' in schema ? (schema.description ?? '') : '',
      values: rows.length > 0 ? '' : typeCell(schema, reference),
      members,
    };
  });
};

/** The objects in 200 responses. */
export const objectsOf = ({ responses }: Operation, reference: FormReference) =>
  objectsIn(
    reference,
    schemasIn(
      reference.contract,
      responses.filter(({ status }) => status === '200').flatMap(({ schemas }) => schemas),
    ).filter((name) => !reference.errorObjects.includes(name)),
  );

export const examplesOf = ({ path }: Operation, { declaration, recorded }: FormReference) =>
  declaration.routes
    .filter((route) => openApiPath(route.path) === path)
    .flatMap(({ contract }) => Object.entries(contract.examples))
    .map(([name, shows]) => ({ shows, ...recordedExample(recorded, name) }));
