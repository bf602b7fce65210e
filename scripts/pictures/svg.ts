import { escapeHtml } from '../../adapters/text/html.ts';

/** Colours of a drawing, for a light and for a dark page. */
const style = `
  text { font: 14px system-ui, sans-serif; fill: #1f2328 }
  .code { font: 12px ui-monospace, monospace; white-space: pre }
  .title { font-weight: 600 }
  .quiet { font-size: 12px; fill: #59636e }
  .box { fill: #f6f8fa; stroke: #d1d9e0 }
  .edge { stroke: #59636e; fill: none }
  .core { fill: #ddf4ff }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .quiet { fill: #9198a1 }
    .box { fill: #151b23; stroke: #3d444d }
    .edge { stroke: #9198a1 }
    .core { fill: #0c2d6b }
  }`;

/** A text; `y` is its base line, in pixels. */
export const text = (x: number, y: number, content: string, kind = ''): string =>
  `<text x="${x}" y="${y}" class="${kind}">${escapeHtml(content)}</text>`;

/** A rectangle with round corners, in pixels. */
export const box = (x: number, y: number, width: number, height: number, kind = ''): string =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6" class="box ${kind}"/>`;

/** A drawing of this size in pixels, with what a screen reader says for it. */
export const drawing = (
  width: number,
  height: number,
  title: string,
  shapes: readonly string[],
): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(title)}">
<style>${style}
</style>
${shapes.join('\n')}
</svg>
`;
