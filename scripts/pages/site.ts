import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { transformSync } from 'esbuild';
import type { Form } from '../../adapters/forms/form.ts';
import { forms } from '../../adapters/forms/forms.ts';
import { builtAddress } from '../../adapters/reference/fill-in.ts';
import { type SiteFile, siteFile } from '../../adapters/reference/site-files.ts';
import { unknownKeyForms } from '../../src/domain/caller.ts';
import { version } from '../../src/runtime/config.ts';
import { docsFolder } from '../../src/runtime/folders.ts';
import { mapping } from '../../tools/migration/mapping/mapping.ts';
import { joinPrograms } from '../partner-programs.ts';
import { chapterPage, formPages, markdownPage, sectionView } from './chapter-pages.ts';
import { changesFeed, changesMarkdown, contractLog, releaseViews } from './contract-log.ts';
import { endpointPage } from './endpoint-page.ts';
import { type FormReference, referenceOf } from './form-reference.ts';
import { type ReferencePage, renderReferencePage, siteLinks } from './frame.ts';
import { renderMigration } from './migration-page.ts';

const searchLibrary = (): string => {
  const file = createRequire(import.meta.url).resolve('minisearch');
  const licence = readFileSync(join(dirname(file), '../../LICENSE.txt'), 'utf8');
  const { code } = transformSync(readFileSync(file, 'utf8'), { minify: true });
  return `/* MiniSearch. ${licence} */\nconst MiniSearch = ((module) => {${code}return module.exports; })({});\n`;
};

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** The gateway that serves a contract fills in its support contact. */
const contractText = ({ contract }: FormReference): string =>
  json(contract).replace(
    '"name": "Partner support"',
    '$&{{#support}},\n      "{{support_kind}}": "{{support}}"{{/support}}',
  );

/** An index of the pages for language models (llmstxt.org). */
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

const read = (name: string): string => readFileSync(join(docsFolder, 'site', name), 'utf8');

/** The files of a gateway that answers unknown keys in one form. */
const filesFor = (
  unknownKeyForm: string,
  ofForms: readonly [Form, ...Form[]],
): readonly SiteFile[] => {
  const references = ofForms.map((form) => referenceOf(form, ofForms, unknownKeyForm));
  const log = contractLog.parse(JSON.parse(read('changes.json')));
  const releases = releaseViews(log);
  const pages: readonly ReferencePage[] = [
    ...references.flatMap((reference) => [
      ...formPages(reference),
      ...reference.operations.map((operation) => endpointPage(operation, reference)),
    ]),
    markdownPage('/docs/migration', renderMigration(mapping)),
    chapterPage(
      '/docs/changes',
      'Changes',
      { introduction: releases.introduction, chapters: [], markdown: changesMarkdown(log) },
      { after: releases.views.map(sectionView), sections: releases.views, entries: [changesEntry] },
    ),
  ];
  const links = siteLinks(references);
  const known = new Set<string>(); // an object is on the page of every endpoint that returns it
  const entries = pages
    .flatMap((page) => page.entries)
    .filter(({ name, kind, text }) => {
      const id = `${kind} ${name} ${text}`;
      return !known.has(id) && known.add(id);
    })
    .map((entry) => JSON.stringify(entry));
  return [
    ...references.map((reference) =>
      siteFile(reference.contractPath.slice(1), contractText(reference)),
    ),
    ...pages.flatMap((page) => [
      siteFile(`${page.path.slice(1)}.html`, renderReferencePage(page, links)),
      siteFile(`${page.path.slice(1)}.md`, page.markdown),
    ]),
    siteFile('docs/style.css', read('style.css')),
    siteFile('docs/page.js', read('page.js')),
    siteFile(
      'docs/search.js',
      `${searchLibrary()}const otherForms = ${JSON.stringify(ofForms.slice(1).map(({ name }) => name))};
const entries = [\n${entries.join(',\n')}\n];\n${read('search.js')}`,
    ),
    siteFile('docs/changes.atom', changesFeed(log, builtAddress)),
    siteFile('llms.txt', llmsText(references, pages)),
  ];
};

/** A text, and the form of unknown keys that it is for. */
type Version = readonly [form: string, text: string];

const linesFor = (form: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [`{{#unknown_key_${form}}}`, ...lines, `{{/unknown_key_${form}}}`];

/** Merges two versions of a text. The gateway that serves it drops the lines of the other form. */
const mergeVersions = ([form, text]: Version, [otherForm, otherText]: Version): string => {
  const [lines, others] = [text.split('\n'), otherText.split('\n')];
  const merged: string[] = [];
  let [place, otherPlace] = [0, 0];
  /** Counts the lines of each version before the next line that both have. */
  const findNext = (): readonly [number, number] => {
    const [most, otherMost] = [lines.length - place, others.length - otherPlace];
    for (let distance = 0; distance < most + otherMost; distance++)
      for (let skipped = Math.max(0, distance - otherMost); skipped <= distance; skipped++)
        if (lines[place + skipped] === others[otherPlace + distance - skipped])
          return [skipped, distance - skipped];
    return [most, otherMost];
  };
  while (place < lines.length || otherPlace < others.length) {
    const [skipped, otherSkipped] = findNext();
    merged.push(...linesFor(form, lines.slice(place, place + skipped)));
    merged.push(...linesFor(otherForm, others.slice(otherPlace, otherPlace + otherSkipped)));
    place += skipped;
    otherPlace += otherSkipped;
    const shared = lines[place];
    if (shared !== undefined) merged.push(shared);
    place++;
    otherPlace++;
  }
  return merged.join('\n');
};

/** Makes every file of the site. Throws if a source is missing. */
export const makeSite = (
  programs = joinPrograms(),
  ofForms: readonly [Form, ...Form[]] = forms,
): readonly SiteFile[] => {
  const [first, other] = unknownKeyForms;
  const others = filesFor(other, ofForms);
  return [
    ...filesFor(first, ofForms).map(({ name, text }, index) =>
      siteFile(name, mergeVersions([first, text], [other, others[index]?.text ?? ''])),
    ),
    ...programs.map(([name, text]) =>
      siteFile(
        `docs/clients/${name}`,
        text.replaceAll('0.0.0', () => version),
      ),
    ),
  ];
};
