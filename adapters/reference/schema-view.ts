import type { oas31 } from 'zod-openapi';
import { html, type Markup } from '../text/html.ts';
import { namedRow, table } from './elements.ts';
import { renderInline } from './markdown.ts';
import { membersOf, nameOf, type Schema } from './read-contract.ts';

/** The type of a schema, in words; a named schema as a link into the form's part of the page. */
const typeOf = (schema: Schema, form: string): Markup => {
  const name = nameOf(schema);
  if (name !== undefined) return html`<a href="#${form}-${name}">${name}</a>`;
  if ('$ref' in schema) return html``;
  const { type, items, additionalProperties, format } = schema;
  if (type === 'array' && items !== undefined) return html`array of ${typeOf(items, form)}`;
  if (typeof additionalProperties === 'object') return html`object of ${typeOf(additionalProperties, form)}`;
  const text = Array.isArray(type) ? type.join(' or ') : type;
  return html`${text}${format !== undefined && html`, ${format}`}`;
};

/** The limits of a value within its type. */
const limitsOf = (schema: Schema): readonly Markup[] => {
  if ('$ref' in schema) return [];
  const { minimum, maximum, minLength, maxLength } = schema;
  const values = schema.const !== undefined ? [schema.const] : (schema.enum ?? []);
  return [
    ...(values.length > 0
      ? [html`${values.map((value, index) => [index > 0 && ', ', html`<code>${String(value)}</code>`])}`]
      : []),
    ...(minimum !== undefined && maximum !== undefined ? [html`${minimum} to ${maximum}`] : []),
    ...(minimum !== undefined && maximum === undefined ? [html`${minimum} or more`] : []),
    ...(maxLength !== undefined ? [html`at most ${maxLength} characters`] : []),
    ...(minLength !== undefined ? [html`not empty`] : []),
    ...(schema.default !== undefined ? [html`default <code>${String(schema.default)}</code>`] : []),
  ];
};

const described = (schema: Schema, description: string | undefined): Markup => {
  const limits = limitsOf(schema);
  return html`${description !== undefined && renderInline(description)}${
    limits.length > 0 && html`<span class="limits">${limits.map((limit) => html`<span>${limit}</span>`)}</span>`
  }`;
};

/** A schema without members: the values it allows. */
export const valueView = (schema: Schema): Markup => html`<p>${described(schema, undefined)}</p>`;

const valueCells = (schema: Schema, form: string, description: string | undefined): Markup =>
  html`<td class="type">${typeOf(schema, form)}</td><td>${described(schema, description)}</td>`;

/** `owner` is the id of the operation in the page, `path` its path. */
export const parameterTable = (
  parameters: readonly oas31.ParameterObject[],
  form: string,
  owner: string,
  path: string,
): Markup =>
  table(
    ['Parameter', 'Type', 'Meaning'],
    parameters.map(({ name, in: where, required, description, schema = {} }) => {
      const aside = html`<span class="aside">${where}${required === true && ', required'}</span>`;
      return namedRow(`${owner}-${name}`, name, `parameter of ${path}`, aside, valueCells(schema, form, description));
    }),
  );

/** `object` is the name of the schema. */
export const memberTable = (schema: Schema, form: string, object: string): Markup =>
  table(
    ['Member', 'Type', 'Meaning'],
    membersOf(schema).map(({ name, schema: member, required }) => {
      const aside = !required && html`<span class="aside">optional</span>`;
      const cells = valueCells(member, form, '$ref' in member ? undefined : member.description);
      return namedRow(`${form}-${object}.${name}`, name, `member of ${object}`, aside, cells);
    }),
  );
