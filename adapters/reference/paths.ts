import type { Form } from '../forms/form.ts';
import { contractPath } from '../openapi/document.ts';
import { clientFiles } from './client-code.ts';

/** The path of a form's requests as a Postman collection. */
export const postmanPath = (form: Form): string => `/docs/postman-${form.name}.json`;

/** Every path of the reference but the root, which leads to it: known before the pages are made. */
export const pagePaths = (forms: readonly Form[], examplesFolder: string): ReadonlySet<string> =>
  new Set([
    '/docs',
    '/docs.md',
    '/docs/migration',
    '/docs/migration.md',
    '/docs/changes',
    '/docs/changes.md',
    '/docs/changes.atom',
    '/llms.txt',
    ...forms.flatMap((form) => [contractPath(form, forms), postmanPath(form)]),
    ...clientFiles(examplesFolder).map(({ path }) => path),
  ]);
