import { renderMarkdown } from '../../reference/markdown.ts';
import { renderDocument } from '../../text/html-document.ts';

const style = `body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
.table { overflow-x: auto } table { border-collapse: collapse } th, td { border: 1px solid #8888; padding: 4px 8px; text-align: left; vertical-align: top }
code, pre { font: 14px ui-monospace, monospace } .copy { display: none }`;

/** The letter as one HTML page that loads nothing. */
export const letterHtml = (markdown: string, title: string): string =>
  renderDocument(title, renderMarkdown(markdown), { style, script: '' }).text;
