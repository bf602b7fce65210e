import { z } from 'zod';
import { escapeHtml, html, type Markup } from '../text/html.ts';
import { table } from './elements.ts';
import { renderInline } from './markdown.ts';

/** The changes of the forms' contracts, as `npm run contracts:freeze` writes them. */
export const contractLog = z.strictObject({
  /** SHA-256 of each form's frozen contract. */
  contracts: z.record(z.string(), z.string()),
  /** Newest first. An `id` never changes and is never used again. */
  releases: z.array(
    z.strictObject({
      id: z.string(),
      date: z.iso.date(),
      /** What partners notice, in the words of a person. Markdown. */
      summary: z.string(),
      /** What was found by comparing the contracts. */
      changes: z.array(
        z.strictObject({ form: z.string(), paths: z.array(z.string()), what: z.string(), breaking: z.boolean() }),
      ),
    }),
  ),
});

export type ContractLog = z.infer<typeof contractLog>;
type Release = ContractLog['releases'][number];

const title = 'Changes of the contracts';

/** A change in one line of Markdown. */
const lineOf = ({ form, what, paths, breaking }: Release['changes'][number]): string =>
  `${form} form, ${breaking ? 'breaking' : 'compatible'}: ${what}${paths.length === 0 ? '' : ` (${paths.map((path) => `\`${path}\``).join(', ')})`}`;

const releaseView = ({ id, date, summary, changes }: Release): Markup => {
  const rows = changes.map(({ form, paths, what, breaking }) => {
    const places = paths.map((path, index) => html`${index > 0 && ', '}<code>${path}</code>`);
    return html`<tr><td>${form}</td><td>${renderInline(what)}</td><td>${places}</td><td>${breaking ? 'yes' : 'no'}</td></tr>`;
  });
  return html`<section id="${id}"><h2><a href="#${id}"><time>${date}</time></a></h2><p>${renderInline(summary)}</p>
${rows.length > 0 && table(['Form', 'Change', 'At', 'Breaking'], rows)}</section>`;
};

/** The releases as the content of a page: what a person says of each, and below it what a comparison of the contracts found. */
export const changesView = ({ releases }: ContractLog): Markup =>
  html`<h1>${title}</h1>
<p>What you may notice, newest first, also as an <a href="/docs/changes.atom">Atom feed</a>. A breaking change is announced to you before.</p>
${releases.map(releaseView)}`;

/** The same in Markdown. */
export const changesMarkdown = ({ releases }: ContractLog): string => {
  const sections = releases.map(({ date, summary, changes }) =>
    [
      `## ${date}`,
      summary,
      ...(changes.length > 0 ? [changes.map((change) => `- ${lineOf(change)}`).join('\n')] : []),
    ].join('\n\n'),
  );
  return `${[`# ${title}`, ...sections].join('\n\n')}\n`;
};

/** The releases as an Atom feed (RFC 4287). */
export const changesFeed = ({ releases }: ContractLog, baseUrl: string): string => {
  const page = `${baseUrl}/docs/changes`;
  const entries = releases.map(({ id, date, summary, changes }) => {
    const text = changes.map(lineOf).join('\n');
    return `<entry><id>urn:artist-gateway:change:${id}</id><title>${escapeHtml(summary)}</title><updated>${date}T00:00:00Z</updated>
<link href="${escapeHtml(`${page}#${id}`)}"/><summary>${escapeHtml(text === '' ? summary : text)}</summary></entry>`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><id>urn:artist-gateway:changes</id><title>Changes of the Artist Intelligence API</title>
<updated>${releases[0]?.date ?? '1970-01-01'}T00:00:00Z</updated><author><name>Artist Intelligence API</name></author>
<link rel="self" href="${escapeHtml(`${page}.atom`)}"/><link href="${escapeHtml(page)}"/>
${entries.join('\n')}
</feed>
`;
};
