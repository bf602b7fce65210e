import type { Summary } from './summary.ts';

/**
 * A picture of the rows that have a goal, for people: GitHub shows it at about this width, in CSS
 * pixels.
 */
const width = 830;
const [margin, top, rowHeight, barHeight] = [16, 76, 42, 10];
const goalX = width / 2;

/**
 * The ends of the scale: half as good as the goal, and twice as good. What is farther is drawn at
 * the end.
 */
const xOf = (ratio: number): number => {
  const octaves = Math.max(-1, Math.min(1, Math.log2(ratio)));
  return goalX + octaves * (goalX - margin);
};

const style = `
  svg { --back: #ffffff; --text: #1f2328; --quiet: #59636e; --line: #d1d9e0; --met: #1a7f37; --missed: #cf222e }
  @media (prefers-color-scheme: dark) {
    svg { --back: #0d1117; --text: #f0f6fc; --quiet: #9198a1; --line: #3d444d; --met: #3fb950; --missed: #f85149 }
  }
  text { font: 13px system-ui, sans-serif; fill: var(--text) }
  .back { fill: var(--back) } .quiet { fill: var(--quiet) } .line { stroke: var(--line) } .goal { stroke: var(--text) }
  .range { stroke: var(--text); stroke-width: 1.5 } .title { font-size: 16px; font-weight: 600 } .end { text-anchor: end }
  .middle { text-anchor: middle } .met { fill: var(--met) } .missed { fill: var(--missed) } .strong { font-weight: 600 } .small { font-size: 11px }`;

const escapeXml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

const drawRow = ({ what, figure, goal, met, margins }: Summary, index: number): string => {
  const y = top + index * rowHeight;
  const [from, to] = [goalX, xOf(margins.median)].sort((left, right) => left - right) as [
    number,
    number,
  ]; // of two
  const [low, high] = margins.ends.map(xOf);
  const middle = y + 22 + barHeight / 2;
  const verdict = met ? 'met' : 'missed';
  return `
  <text x="${margin}" y="${y + 14}">${escapeXml(what)}</text>
  <text x="${width - margin}" y="${y + 14}" class="end"><tspan class="${verdict} strong">${escapeXml(figure)} ${met ? '✓' : '✗'}</tspan><tspan class="quiet"> (${escapeXml(goal)})</tspan></text>
  <line x1="${margin}" x2="${width - margin}" y1="${middle}" y2="${middle}" class="line"/>
  <rect x="${from.toFixed(1)}" y="${y + 22}" width="${Math.max(2, to - from).toFixed(1)}" height="${barHeight}" rx="2" class="${verdict}"/>
  <line x1="${goalX}" x2="${goalX}" y1="${y + 19}" y2="${y + 25 + barHeight}" class="goal"/>
  <line x1="${low?.toFixed(1)}" x2="${high?.toFixed(1)}" y1="${middle}" y2="${middle}" class="range"/>`;
};

/**
 * Draws every number that has a goal: a bar to the right is on the good side of it, a bar to the
 * left misses it.
 */
export const drawPlot = (subtitle: string, summaries: readonly Summary[]): string => {
  const judged = summaries.filter(({ met }) => met !== undefined);
  const met = judged.filter((one) => one.met).length;
  const height = top + judged.length * rowHeight + 8;
  const title = `${met} of ${judged.length} goals are met`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${title}">
  <style>${style}
  </style>
  <rect width="${width}" height="${height}" class="back"/>
  <text x="${margin}" y="26" class="title">${title}</text>
  <text x="${width - margin}" y="26" class="quiet end small">${escapeXml(subtitle)}</text>
  <text x="${margin}" y="54" class="quiet">half as good</text>
  <text x="${goalX}" y="54" class="middle">goal</text>
  <text x="${width - margin}" y="54" class="quiet end">twice as good</text>${judged.map(drawRow).join('')}
</svg>
`;
};
