import type { Form } from '../forms/form.ts';
import { contractPath } from '../openapi/document.ts';
import { clientFiles } from './client-code.ts';
import type { ReferenceMaterial } from './form-reference.ts';

/** Every path of the reference but the root, which leads to it: known before the pages are made. */
export const pagePaths = (
  forms: readonly Form[],
  material: ReferenceMaterial,
): ReadonlySet<string> =>
  new Set([
    '/docs',
    '/docs.md',
    '/docs/migration',
    '/docs/migration.md',
    '/docs/changes',
    '/docs/changes.md',
    '/docs/changes.atom',
    '/llms.txt',
    ...forms.map((form) => contractPath(form, forms)),
    ...clientFiles(material.clientsFolder).map(({ path }) => path),
  ]);
