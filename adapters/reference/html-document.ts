import { createHash } from 'node:crypto';
import { html, Markup } from './html.ts';

/** What every page is dressed with. */
export interface Assets {
  readonly style: string;
  readonly script: string;
}

/** A whole page, and the policy that lets a browser run what stands in it and nothing else. */
export interface Page {
  readonly text: string;
  readonly policy: string;
}

const icon =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#3b5bdb"/>' +
      '<path d="M3 12V9m3 3V5m3 7V7m3 5V3" stroke="#fff" stroke-width="1.6" stroke-linecap="round"/></svg>',
  );

const sourceOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Dresses a body; style and script stand in the page itself, so that it is one answer and needs nothing else. */
export const renderDocument = (title: string, body: Markup, { style, script }: Assets): Page => ({
  text: `<!doctype html>\n${
    html`<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${title}</title><link rel="icon" href="${icon}">
<style>${new Markup(style)}</style></head>
<body>${body}<script>${new Markup(script)}</script></body></html>`.text
  }\n`,
  policy: [
    "default-src 'none'",
    `style-src ${sourceOf(style)}`,
    `script-src ${sourceOf(script)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
});
