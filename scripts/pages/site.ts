import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { transformSync } from 'esbuild';
import type { Form } from '../../adapters/forms/form.ts';
import { builtAddress } from '../../adapters/reference/fill-in.ts';
import { type SiteFile, siteFile } from '../../adapters/reference/site-files.ts';
import { Markup } from '../../adapters/text/html.ts';
import { version } from '../../src/runtime/config.ts';
import { chapterPage, formPages, markdownPage, sectionView } from './chapter-pages.ts';
import { changesFeed, changesMarkdown, contractLog, releaseViews } from './contract-log.ts';
import { endpointPage } from './endpoint-page.ts';
import { type FormReference, type ReferenceMaterial, referenceOf } from './form-reference.ts';
import { type ReferencePage, renderReferencePage, siteLinks } from './frame.ts';
import { oldAnchors } from './old-anchors.ts';

/** The library of the search, with its licence. */
const searchLibrary = (): string => {
  const file = createRequire(import.meta.url).resolve('minisearch');
  const licence = readFileSync(join(dirname(file), '../../LICENSE.txt'), 'utf8');
  const { code } = transformSync(readFileSync(file, 'utf8'), { minify: true });
  return `/* MiniSearch. ${licence} */\nconst MiniSearch = ((module) => {${code}return module.exports; })({});\n`;
};

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** A contract, with the support contact of the gateway that serves it. */
const contractText = ({ contract }: FormReference): string =>
  json(contract).replace(
    '"name": "Partner support"',
    '$&{{#support}},\n      "{{support_kind}}": "{{support}}"{{/support}}',
  );

/** `/llms.txt` (llmstxt.org): an index of the pages for language models. */
const llmsText = (
  references: readonly FormReference[],
  pages: readonly ReferencePage[],
): string => {
  const about = references[0]?.contract.info.description?.split('\n', 1)[0] ?? '';
  const contracts = references.map(
    ({ form, contractPath }) => `- [OpenAPI 3.1, ${form} form](${builtAddress}${contractPath})`,
  );
  return `# Artist Intelligence API

> ${about}

## Docs

${pages.map(({ path, title }) => `- [${title}](${builtAddress}${path}.md)`).join('\n')}
- [Changes as Atom](${builtAddress}/docs/changes.atom)

## Contracts

${contracts.join('\n')}
`;
};

const changesEntry = {
  url: '/docs/changes',
  name: 'Changes',
  kind: 'page',
  words: 'changelog, release notes, versions, new features, breaking changes, rss, atom, feed',
  text: 'What changed in the contracts, by release',
};

/** Makes every file of the site. Throws if a source is missing. */
export const createSite = (
  forms: readonly [Form, ...Form[]],
  material: ReferenceMaterial,
): readonly SiteFile[] => {
  const { siteFolder, migration, drawings, programs } = material;
  const read = (name: string): string => readFileSync(join(siteFolder, name), 'utf8');
  const references = forms.map((form) => referenceOf(form, forms, material));
  const log = contractLog.parse(JSON.parse(read('changes.json')));
  const plot = (name: string): Markup => new Markup(drawings.get(name) ?? '');
  const releases = releaseViews(log);
  const pages: readonly ReferencePage[] = [
    ...references.flatMap((reference) => [
      ...formPages(reference),
      ...reference.operations.map((operation) => endpointPage(operation, reference)),
    ]),
    markdownPage('/docs/migration', migration, { plot }),
    chapterPage(
      '/docs/changes',
      'Changes',
      { introduction: releases.introduction, chapters: [], markdown: changesMarkdown(log) },
      { after: releases.views.map(sectionView), sections: releases.views, entries: [changesEntry] },
    ),
  ];
  const links = siteLinks(references);
  const entries = pages.flatMap((page) => page.entries);
  const known = new Set<string>(); // an object is on the page of every endpoint that returns it
  const found = entries.filter(({ name, kind, text }) => {
    const id = `${kind} ${name} ${text}`;
    return !known.has(id) && known.add(id);
  });
  return [
    ...references.map((reference) =>
      siteFile(reference.contractPath.slice(1), contractText(reference)),
    ),
    ...pages.flatMap((page) => [
      siteFile(`${page.path.slice(1)}.html`, renderReferencePage(page, links)),
      siteFile(`${page.path.slice(1)}.md`, page.markdown),
    ]),
    siteFile('docs/style.css', read('style.css')),
    siteFile(
      'docs/page.js',
      `const moved = ${JSON.stringify(oldAnchors(references, pages))};\n${read('page.js')}`,
    ),
    siteFile(
      'docs/search.js',
      `${searchLibrary()}const otherForms = ${JSON.stringify(forms.slice(1).map(({ name }) => name))};
const entries = ${JSON.stringify(found)};\n${read('search.js')}`,
    ),
    siteFile('docs/changes.atom', changesFeed(log, builtAddress)),
    siteFile('llms.txt', llmsText(references, pages)),
    ...programs.map(([name, text]) =>
      siteFile(
        `docs/clients/${name}`,
        text.replaceAll('0.0.0', () => version),
      ),
    ),
  ];
};
