import type { oas31 } from 'zod-openapi';
import { html, type Markup } from '../text/html.ts';
import { namedRow, table } from './elements.ts';
import { renderInline } from './markdown.ts';
import { type Schema, schemaMembers } from './read-contract.ts';
import { limitTexts, typeText } from './schema-text.ts';

const described = (schema: Schema, description: string | undefined): Markup => {
  const limits = limitTexts(schema);
  return html`${description !== undefined && renderInline(description)}${
    limits.length > 0 &&
    html`<span class="limits">${limits.map((limit) => html`<span>${renderInline(limit)}</span>`)}</span>`
  }`;
};

/** A schema without members: the values it allows. */
export const valueView = (schema: Schema): Markup => html`<p>${described(schema, undefined)}</p>`;

const valueCells = (schema: Schema, form: string, description: string | undefined): Markup =>
  html`<td class="type">${renderInline(typeText(schema, (name) => `[${name}](#${form}-${name})`))}</td><td>${described(schema, description)}</td>`;

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
    schemaMembers(schema).map(({ name, schema: member, required }) => {
      const aside = !required && html`<span class="aside">optional</span>`;
      const cells = valueCells(member, form, '$ref' in member ? undefined : member.description);
      return namedRow(`${form}-${object}.${name}`, name, `member of ${object}`, aside, cells);
    }),
  );
