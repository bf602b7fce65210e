import type { FormReference } from './form-reference.ts';
import { type Operation, tagsOf } from './read-contract.ts';

/** Parameters as Postman lists them, with their examples; only those that a request needs are switched on. */
const listOf = ({ parameters }: Operation, where: string) =>
  parameters
    .filter((parameter) => parameter.in === where)
    .map(({ name, example, description, required }) => {
      const listed = { key: name, value: String(example), description };
      return required === true ? listed : { ...listed, disabled: true };
    });

const requestOf = (operation: Operation) => {
  const { path, summary, description, needsKey } = operation;
  const segments = path
    .replaceAll(/\{(\w+)\}/g, ':$1')
    .split('/')
    .slice(1);
  const query = listOf(operation, 'query');
  const url = { raw: `{{baseUrl}}/${segments.join('/')}`, host: ['{{baseUrl}}'], path: segments };
  return {
    name: summary,
    request: {
      method: 'GET',
      description,
      header: listOf(operation, 'header'),
      url: { ...url, query, variable: listOf(operation, 'path') },
      ...(!needsKey && { auth: { type: 'noauth' } }),
    },
  };
};

/**
 * A form's requests as a Postman collection (format 2.1), a folder for each group of routes. Every request works as it is, once
 * the variable `bearerToken` is a key; optional parameters are there, switched off.
 */
export const postmanCollection = ({ form, contract, baseUrl }: FormReference) => ({
  info: {
    name: `Artist Intelligence API, ${form} form`,
    description: contract.info.description,
    schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
  },
  auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{bearerToken}}', type: 'string' }] },
  variable: [
    { key: 'baseUrl', value: baseUrl },
    { key: 'bearerToken', value: '' },
  ],
  item: tagsOf(contract).map(({ name, description, operations }) => ({
    name,
    description,
    item: operations.map(requestOf),
  })),
});
