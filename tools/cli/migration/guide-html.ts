import { Marked } from 'marked';
import { html, Markup } from '../../../adapters/text/html.ts';
import { documentHead } from '../../../adapters/text/html-document.ts';
import { safeRenderer } from '../../../adapters/text/safe-renderer.ts';

const style = `body { font: 16px/1.5 system-ui, sans-serif; max-width: 80rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: break-word }
.table { margin: 1rem 0; overflow-x: auto } table { border-collapse: collapse; width: 100% } th, td { border: 1px solid #8888; padding: 4px 8px; text-align: left; vertical-align: top }
code, pre { font: 14px ui-monospace, monospace } pre { white-space: pre-wrap }
:root { color-scheme: light dark; background: light-dark(#ffffff, #12151c); color: light-dark(#1c2130, #e4e7ee) } a { color: light-dark(#3451c7, #8ea6ff) }
@media (width < 60rem) { table, tbody, tr, td { display: block } thead { display: none } tr { margin-bottom: 1rem }
td code { overflow-wrap: anywhere } td::before { content: attr(data-label); display: block; font-size: 14px; font-weight: 600 } }`;

/** The guide as one HTML page that loads nothing. */
export const guideHtml = (markdown: string, title: string): string => {
  const body = new Marked({ renderer: safeRenderer }).parse(markdown, { async: false });
  const page = html`<html lang="en"><head>${documentHead(title)}
<style>${new Markup(style)}</style></head>
<body><main>${new Markup(body)}</main></body></html>`;
  return `<!doctype html>\n${page.text}\n`;
};
