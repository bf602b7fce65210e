import type { oas31 } from 'zod-openapi';
import { html, type Markup } from '../text/html.ts';
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

const table = (heads: readonly string[], rows: readonly Markup[]): Markup =>
  html`<div class="table" tabindex="0"><table><thead><tr>${heads.map((head) => html`<th>${head}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`;

/** The name in the first column, which is a link to its own row. */
const nameLink = (id: string, name: string): Markup => html`<a href="#${id}"><code class="name">${name}</code></a>`;

/** `owner` is the id of the operation in the page, `path` its path. */
export const parameterTable = (
  parameters: readonly oas31.ParameterObject[],
  form: string,
  owner: string,
  path: string,
): Markup =>
  table(
    ['Parameter', 'Type', 'Meaning'],
    parameters.map(
      ({ name, in: where, required, description, schema = {} }) =>
        html`<tr id="${owner}-${name}" data-find="${name}" data-kind="parameter of ${path}"><td>${nameLink(`${owner}-${name}`, name)}<span class="aside">${where}${required === true && ', required'}</span></td>
<td class="type">${typeOf(schema, form)}</td><td>${described(schema, description)}</td></tr>`,
    ),
  );

/** `object` is the name of the schema. */
export const memberTable = (schema: Schema, form: string, object: string): Markup =>
  table(
    ['Member', 'Type', 'Meaning'],
    membersOf(schema).map(
      ({ name, schema: member, required }) =>
        html`<tr id="${form}-${object}.${name}" data-find="${name}" data-kind="member of ${object}"><td>${nameLink(`${form}-${object}.${name}`, name)}${!required && html`<span class="aside">optional</span>`}</td>
<td class="type">${typeOf(member, form)}</td><td>${described(member, '$ref' in member ? undefined : member.description)}</td></tr>`,
    ),
  );
