import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Form } from '../adapters/forms/form.ts';
import { forms } from '../adapters/forms/forms.ts';
import type { SiteFile } from '../adapters/reference/site-files.ts';
import { docsFolder, exchangesFolder, fixtureFolder } from '../src/runtime/config.ts';
import { mapping } from '../tools/migration/mapping/mapping.ts';
import { renderMigration } from './pages/migration-page.ts';
import { historyPlot } from './pages/recorded-answers.ts';
import { createSite } from './pages/site.ts';
import { joinPrograms } from './partner-programs.ts';

/** Keys of the example catalogue; the first one of a form has every scope. */
const demoKeys = z.array(z.object({ form: z.string(), demo_key: z.string().optional() }));

/** Makes every file that the service serves as its site, from code, recordings and texts. */
export const makeSite = (
  programs = joinPrograms(),
  ofForms: readonly [Form, ...Form[]] = forms,
): readonly SiteFile[] => {
  const keys = demoKeys.parse(
    JSON.parse(readFileSync(join(fixtureFolder, 'api_keys.json'), 'utf8')),
  );
  return createSite(ofForms, {
    siteFolder: join(docsFolder, 'site'),
    exchangesFolder,
    demoKeys: new Map(
      keys.toReversed().flatMap(({ form, demo_key }) => (demo_key ? [[form, demo_key]] : [])),
    ),
    drawings: new Map([
      ['way', readFileSync(join(docsFolder, 'site', 'way.html'), 'utf8').trim()],
      ...['monthly_listeners', 'instagram_followers'].map(
        (metric) => [metric, historyPlot(metric)] as const,
      ),
    ]),
    migration: renderMigration(mapping),
    programs,
  });
};
