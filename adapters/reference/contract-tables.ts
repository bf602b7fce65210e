import { groupBy } from '../../src/domain/groups.ts';
import { openApiPath } from '../../src/domain/path-template.ts';
import { errorAnchor } from '../openapi/headers.ts';
import { recordedExample } from '../openapi/recorded-examples.ts';
import type { FormReference } from './form-reference.ts';
import { headersIn, nameOf, type Operation, type Schema, schemaMembers } from './read-contract.ts';

/**
 * The type of a schema in words, as Markdown; `link` makes a link of the name of another schema.
 */
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

/** The limits of a value within its type, as Markdown. */
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

/** What a form's contract says, as tables that the page and its Markdown show alike. */
export interface ContractTable {
  /** The first column has the names of the rows. */
  readonly titles: readonly string[];
  /** What each row is, among the results of a search. */
  readonly kind: string;
  readonly rows: readonly {
    readonly id: string;
    readonly name: string;
    /** What is shown next to the name. */
    readonly aside?: string;
    /** Markdown. A list of names is folded on the page. Links lead to other parts of the page. */
    readonly cells: readonly (string | readonly string[])[];
  }[];
}

const linkTo = (id: string, text: string): string => `[${text}](#${id})`;

const typeCell = (schema: Schema, form: string): string =>
  [typeText(schema, (name) => linkTo(`${form}-${name}`, name)), ...limitTexts(schema)].join('; ');

export const parameterTable = (
  { id, path, parameters }: Operation,
  form: string,
): ContractTable => ({
  titles: ['Parameter', 'Type', 'Meaning'],
  kind: `parameter of ${path}`,
  rows: parameters.map(({ name, in: where, required, schema = {}, description = '' }) => ({
    id: `${form}-${id}-${name}`,
    name,
    aside: required === true ? `${where}, required` : where,
    cells: [typeCell(schema, form), description],
  })),
});

export const responseTable = ({ id, path, responses }: Operation, form: string): ContractTable => ({
  titles: ['Status', 'Body', 'Meaning', 'Headers'],
  kind: `status of ${path}`,
  rows: responses.map(({ status, schemas, description, headers }) => ({
    id: `${form}-${id}-${status}`,
    name: status,
    cells: [
      schemas.length === 0
        ? 'none'
        : schemas.map((name) => linkTo(`${form}-${name}`, name)).join(' or '),
      description,
      headers.map((name) => linkTo(`${form}-header-${name}`, `\`${name}\``)),
    ],
  })),
});

/** The codes of the problems that the form answers, with every status and meaning of each. */
export const errorTable = ({ form, declaration }: FormReference): ContractTable => {
  const listed = Object.values(declaration.problems).filter(({ text }) => text !== undefined);
  return {
    titles: ['Code', 'Status', 'Meaning'],
    kind: 'error code',
    rows: [...groupBy(listed, ({ code }) => code)].map(([code, found]) => ({
      id: errorAnchor(form, code),
      name: code,
      cells: [
        [...new Set(found.map(({ status }) => status))].join(', '),
        [...new Set(found.map(({ text }) => text))].join(' '),
      ],
    })),
  };
};

export const headerTable = ({ form, contract }: FormReference): ContractTable => ({
  titles: ['Header', 'Meaning', 'For example', 'With'],
  kind: 'response header',
  rows: headersIn(contract).map(({ name, description, example, statuses }) => ({
    id: `${form}-header-${name}`,
    name,
    cells: [description, `\`${example}\``, statuses.join(' ')],
  })),
});

/**
 * The objects of a contract: what each is and its members, or its values where it has no members.
 */
export const objectsIn = ({ form, contract }: FormReference) =>
  Object.entries(contract.components?.schemas ?? {}).map(([object, schema]) => {
    const rows = schemaMembers(schema).map(({ name, schema: member, required }) => ({
      id: `${form}-${object}.${name}`,
      name,
      ...(!required && { aside: 'optional' }),
      cells: [typeCell(member, form), '$ref' in member ? '' : (member.description ?? '')],
    }));
    const members: ContractTable = {
      titles: ['Member', 'Type', 'Meaning'],
      kind: `member of ${object}`,
      rows,
    };
    return {
      id: `${form}-${object}`,
      name: object,
      description: 'description' in schema ? (schema.description ?? '') : '',
      values: rows.length > 0 ? '' : typeCell(schema, form),
      members,
    };
  });

/** The recorded answers that a form names for an operation, each with what it shows. */
export const examplesOf = ({ path }: Operation, { declaration, recorded }: FormReference) =>
  declaration.routes
    .filter((route) => openApiPath(route.path) === path)
    .flatMap(({ contract }) => Object.entries(contract.examples))
    .map(([name, shows]) => ({ shows, ...recordedExample(recorded, name) }));
