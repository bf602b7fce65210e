import { builtAddress } from '../../adapters/reference/fill-in.ts';
import { type Fragment, html, type Markup } from '../../adapters/text/html.ts';
import { keyToSet, programMarkdown, programTabs, shellRequests } from './client-code.ts';
import { foldedBlock, formatJson } from './code-blocks.ts';
import { errorTable, headerTable, objectsIn } from './contract-tables.ts';
import { objectsPart, tablePart } from './endpoint-page.ts';
import type { FormReference } from './form-reference.ts';
import type { Entry, ReferencePage } from './frame.ts';
import { type Chapter, paragraphs, readChapters, withoutOtherWords, wordsOf } from './markdown.ts';

/** Lines of the first response that fit on the first screen of a phone. */
const firstLines = 10;

export const sectionView = ({
  id,
  title,
  body,
}: Pick<Chapter, 'id' | 'title'> & { readonly body: Fragment }): Markup =>
  html`<section class="chapter" id="${id}"><h2><a href="#${id}">${title}</a></h2>${body}</section>`;

export const chapterEntries = (chapters: readonly Chapter[], page: string): readonly Entry[] =>
  chapters.map(({ id, title, words, text }) => ({
    url: `${page}#${id}`,
    name: title,
    kind: 'chapter',
    words,
    text,
  }));

export const chapterPage = (
  path: string,
  title: string,
  { introduction, chapters, markdown }: ReturnType<FormReference['chaptersOf']>,
  more: Partial<Pick<ReferencePage, 'entries' | 'sections'>> & {
    readonly before?: Fragment;
    readonly after?: Fragment;
    readonly text?: string;
  } = {},
): ReferencePage => ({
  path,
  title,
  body: html`<header><h1>${title}</h1></header>${more.before ?? ''}${introduction}${chapters.map(sectionView)}${more.after ?? ''}`,
  sections: [...chapters, ...(more.sections ?? [])],
  markdown: paragraphs(`# ${title}`, markdown, more.text ?? ''),
  entries: [...chapterEntries(chapters, path), ...(more.entries ?? [])],
});

const firstExchange = 'artists-first-page';

/** The first request of a form, which sets the key, and the beginning of its response. */
const firstCall = ({ recorded, demoKey }: FormReference) => {
  const example = recorded.get(firstExchange);
  if (example === undefined) return { view: '', text: '' };
  const keyLines: readonly string[] = [
    `export ARTIST_API_KEY='${keyToSet(demoKey)}'`,
    `$env:ARTIST_API_KEY = '${keyToSet(demoKey)}'`,
  ];
  const programs = shellRequests(`${builtAddress}${example.request.path}`, true, undefined).map(
    ({ language, code }, index) => ({ language, code: `${keyLines[index]}\n${code}` }),
  );
  const json = formatJson(example.body, 76);
  return {
    view: html`<div class="first">${programTabs(programs)}${foldedBlock(json, 'json', firstLines)}</div>`,
    text: `${programMarkdown(programs)}\n\n\`\`\`json\n${json}\n\`\`\``,
  };
};

const detailsOf = (reference: FormReference, page: string) => {
  const tables = [
    { id: 'error-codes', title: 'Error codes', table: errorTable(reference) },
    { id: 'headers', title: 'Response headers', table: headerTable(reference) },
  ];
  const objects = objectsPart(objectsIn(reference, reference.errorObjects), page, 1);
  const parts = [
    ...tables.map(({ id, title, table }) => ({ id, title, ...tablePart(table, page) })),
    { id: 'objects', title: 'Objects', ...objects },
  ];
  return {
    sections: parts.map(({ id, title }) => ({ id, title })),
    after: parts.map(({ id, title, view }) => sectionView({ id, title, body: view })),
    text: paragraphs(...parts.flatMap(({ title, text }) => [`## ${title}`, text])),
    entries: [
      ...tables.map(({ id, title, table: { rows } }) => ({
        url: `${page}#${id}`,
        name: title,
        kind: 'details',
        text: rows.map(({ name }) => name).join(' '),
      })),
      ...parts.flatMap(({ entries }) => entries),
    ],
  };
};

export const formPages = (reference: FormReference): readonly ReferencePage[] => {
  const { form, home, isFirst, contract, errorsPath } = reference;
  const call = firstCall(reference);
  const details = detailsOf(reference, errorsPath);
  if (!isFirst) {
    const chapters = reference.chaptersOf(form);
    const title = `${form[0]?.toUpperCase()}${form.slice(1)} form`;
    const text = `${call.text}\n\n${details.text}`;
    return [chapterPage(home, title, chapters, { ...details, before: call.view, text })];
  }
  const about = {
    url: home,
    name: contract.info.title,
    kind: 'introduction',
    text: wordsOf(contract.info.description ?? ''),
  };
  const first = reference.chaptersOf('start');
  const start = chapterPage(home, 'Artist Intelligence API', first, {
    before: call.view,
    entries: [about],
  });
  return [
    { ...start, markdown: paragraphs('# Artist Intelligence API', call.text, first.markdown) },
    chapterPage('/docs/guides', 'Guides', reference.chaptersOf('guides')),
    chapterPage(errorsPath, 'Errors and headers', reference.chaptersOf('errors'), details),
    chapterPage('/docs/tools', 'Clients and tools', reference.chaptersOf('tools')),
  ];
};

/** Makes a page from Markdown. The first line is its title. */
export const markdownPage = (path: string, text: string): ReferencePage => {
  const [heading = '', ...lines] = text.split('\n');
  const markdown = lines.join('\n');
  return chapterPage(path, heading.replace(/^# /, ''), {
    ...readChapters(markdown),
    markdown: withoutOtherWords(markdown),
  });
};
