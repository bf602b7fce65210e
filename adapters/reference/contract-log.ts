import { z } from 'zod';
import { escapeHtml, html, type Markup } from '../text/html.ts';
import { table } from './elements.ts';
import { renderInline } from './markdown.ts';

/** The changes of the forms' contracts, as `npm run contracts:freeze` writes them. */
export const contractLog = z.strictObject({
  /** SHA-256 of each form's frozen contract after its last change. */
  contracts: z.record(z.string(), z.string()),
  /** Newest first. An `id` never changes and is never used again. */
  changes: z.array(
    z.strictObject({
      id: z.string(),
      date: z.iso.date(),
      form: z.string(),
      paths: z.array(z.string()),
      what: z.string(),
      breaking: z.boolean(),
    }),
  ),
});

export type ContractLog = z.infer<typeof contractLog>;

/** The list of changes as a page. */
export const changesView = ({ changes }: ContractLog): Markup => {
  const rows = changes.map(({ id, date, form, paths, what, breaking }) => {
    const places = paths.map((path, index) => html`${index > 0 && ', '}<code>${path}</code>`);
    return html`<tr id="${id}"><td><a href="#${id}">${date}</a></td><td>${form}</td><td>${renderInline(what)}</td><td>${places}</td><td>${breaking ? 'yes' : 'no'}</td></tr>`;
  });
  return html`<article class="plain"><nav><a href="/docs">← Reference</a></nav><h1>Changes of the contracts</h1>
<p>Every change since the first version, newest first, also as an <a href="/docs/changes.atom">Atom feed</a>. A breaking change is announced to you before.</p>
${table(['Date', 'Form', 'Change', 'At', 'Breaking'], rows)}</article>`;
};

/** The same list as an Atom feed (RFC 4287). */
export const changesFeed = ({ changes }: ContractLog, baseUrl: string): string => {
  const page = `${baseUrl}/docs/changes`;
  const entries = changes.map(({ id, date, form, paths, what, breaking }) => {
    const title = `${form} form, ${breaking ? 'breaking' : 'compatible'}: ${what}`;
    return `<entry><id>urn:artist-gateway:change:${id}</id><title>${escapeHtml(title)}</title><updated>${date}T00:00:00Z</updated>
<link href="${escapeHtml(`${page}#${id}`)}"/><summary>${escapeHtml(paths.join(', '))}</summary></entry>`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><id>urn:artist-gateway:changes</id><title>Changes of the Artist Intelligence API</title>
<updated>${changes[0]?.date ?? '1970-01-01'}T00:00:00Z</updated><author><name>Artist Intelligence API</name></author>
<link rel="self" href="${escapeHtml(`${page}.atom`)}"/><link href="${escapeHtml(page)}"/>
${entries.join('\n')}
</feed>
`;
};
