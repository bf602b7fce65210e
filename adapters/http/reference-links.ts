import type { Form } from '../forms/form.ts';

/** The path of a form's OpenAPI document. */
export const contractPath = (form: Form, [first]: readonly Form[]): string =>
  form === first ? '/openapi.json' : `/openapi.${form.name}.json`;

/** The page that explains the error codes of the first form; each code is an anchor. */
export const errorsPage = '/docs/errors';

/** The `Link` of an error to its explanation. */
export const helpLink = (code: string): string => `<${errorsPage}#${code}>; rel="help"`;
