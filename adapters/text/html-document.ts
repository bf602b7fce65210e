import { hash } from 'node:crypto';
import { html, Markup } from './html.ts';
import { plainText } from './plain-text.ts';

/** Style and script of every page. */
interface Assets {
  readonly style: string;
  readonly script: string;
}

/**
 * A whole page, and the content security policy that allows its own style and script and nothing
 * else.
 */
interface RenderedDocument {
  readonly text: string;
  readonly policy: string;
}

const icon =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#3b5bdb"/>' +
      '<path d="M3 12V9m3 3V5m3 7V7m3 5V3" stroke="#fff" stroke-width="1.6" stroke-linecap="round"/></svg>',
  );

const sourceOf = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;

/** Renders a page around a body. Style and script are inlined, so that one response is enough. */
export const renderDocument = (
  title: string,
  body: Markup,
  { style, script }: Assets,
): RenderedDocument => ({
  text: `<!doctype html>\n${
    html`<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${plainText(title)}</title><link rel="icon" href="${icon}">
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
