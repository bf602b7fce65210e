import { html, type Markup } from './html.ts';
import { plainText } from './plain-text.ts';

const icon =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#3b5bdb"/>' +
      '<path d="M3 12V9m3 3V5m3 7V7m3 5V3" stroke="#fff" stroke-width="1.6" stroke-linecap="round"/></svg>',
  );

/** The first elements in the head of a page. */
export const documentHead = (title: string): Markup =>
  html`<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${plainText(title)}</title><link rel="icon" href="${icon}">`;
