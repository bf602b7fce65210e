import { z } from 'zod';
import { escapeHtml, html } from '../../adapters/text/html.ts';
import { markdownTable } from '../../adapters/text/markdown.ts';
import { paragraphs, renderMarkdown } from './markdown.ts';

/**
 * Releases of the contracts, newest first. An `id` never changes and is never used again. Written by
 * `npm run generate`.
 */
export const contractLog = z.array(
  z.strictObject({
    id: z.string(),
    date: z.iso.date(),
    /** What partners notice. Markdown. */
    summary: z.string(),
    changes: z.array(
      z.strictObject({
        form: z.string(),
        paths: z.array(z.string()),
        what: z.string(),
        breaking: z.boolean(),
      }),
    ),
  }),
);

export type ContractLog = z.infer<typeof contractLog>;
type Release = ContractLog[number];

const changesTable = ({ changes }: Release): string =>
  markdownTable(
    ['Form', 'Change', 'At', 'Breaking'],
    changes.map(({ form, paths, what, breaking }) => [
      form,
      what,
      paths.map((path) => `\`${path}\``).join(', '),
      breaking ? 'yes' : 'no',
    ]),
  );

const about =
  'What you may notice, newest first; also as an [Atom feed](/docs/changes.atom). We announce breaking changes in advance.';

export const changesMarkdown = (releases: ContractLog): string =>
  paragraphs(
    about,
    ...releases.flatMap((release) => [
      `## ${release.date}`,
      release.summary,
      changesTable(release),
    ]),
  );

/** Differences of the contracts are folded. */
export const releaseViews = (releases: ContractLog) => ({
  introduction: renderMarkdown(about),
  views: releases.map((release) => {
    const table = changesTable(release);
    const count = release.changes.length;
    const differences =
      table !== '' &&
      html`<details><summary>${count} ${count === 1 ? 'difference' : 'differences'} of the contracts</summary>${renderMarkdown(table)}</details>`;
    return {
      id: release.id,
      title: release.date,
      body: html`${renderMarkdown(release.summary)}${differences}`,
    };
  }),
});

/** RFC 4287. */
export const changesFeed = (releases: ContractLog, baseUrl: string): string => {
  const page = `${baseUrl}/docs/changes`;
  const entries = releases.map(({ id, date, summary, changes }) => {
    const text = changes
      .map(
        ({ form, what, breaking }) =>
          `${form} form, ${breaking ? 'breaking' : 'compatible'}: ${what}`,
      )
      .join('\n');
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
