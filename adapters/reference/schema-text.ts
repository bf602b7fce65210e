import { nameOf, type Schema } from './read-contract.ts';

/**
 * The type of a schema in words, as Markdown; `link` makes a link of the name of another schema.
 */
export const typeText = (schema: Schema, link: (name: string) => string): string => {
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
export const limitTexts = (schema: Schema): readonly string[] => {
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
