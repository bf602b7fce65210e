import { join } from 'node:path';
import { packageFolder } from './package-folder.ts';

/** The pages, contracts and programs for partners, as `npm run build` makes them. */
export const siteFolder = join(packageFolder, 'dist', 'site');

/** The sources of the pages. */
export const docsFolder = join(packageFolder, 'docs');

/** The demo catalogue, and the requests that `compare` sends to both forms. */
export const fixtureFolder = join(packageFolder, 'fixtures', 'catalogue');
export const casesFolder = join(packageFolder, 'fixtures', 'cases');
