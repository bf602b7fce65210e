import { join } from 'node:path';
import { z } from 'zod';
import { readRecordedExamples, recordedExample } from '../adapters/openapi/recorded-examples.ts';
import { curl } from '../adapters/reference/client-code.ts';
import { formatJson } from '../adapters/reference/highlight.ts';
import { html } from '../adapters/text/html.ts';
import { exchangesFolder } from '../src/runtime/config.ts';
import { type ComparedForm, comparedForms } from '../tools/crosswalk/forms.ts';

/** Finds a golden exchange of a form, as its pages show it. */
export const exchangeOf = (form: ComparedForm, name: string) =>
  recordedExample(readRecordedExamples(join(exchangesFolder, form)), name);

/**
 * The answer that a form's reference begins with, below its command. Markdown, as the chapters are.
 */
const firstAnswer = (form: ComparedForm): string => {
  const { request, body } = exchangeOf(form, 'artists-first-page');
  return `\`\`\`sh\n${curl(request.path, true, '{base_url}')}\n\`\`\`\n\n\`\`\`json\n${formatJson(body, 76)}\n\`\`\`\n`;
};

/** What a plot reads of a recorded artist. */
const plotted = z.object({
  data: z.object({
    name: z.string(),
    history: z.record(
      z.string(),
      z.array(
        z.object({ date: z.iso.date(), value: z.number(), estimated: z.boolean().default(false) }),
      ),
    ),
  }),
});

const [width, height] = [440, 280]; // in units of the drawing

const short = (value: number): string =>
  value.toLocaleString('en', { notation: 'compact', maximumFractionDigits: 2 });

/** Draws the history of a metric of the recorded artist. Estimated days are rings. */
export const historyPlot = (metric: string): string => {
  const { request, body } = exchangeOf('current', 'artist-detail');
  const { name, history } = plotted.parse(body).data;
  const points = (history[metric] ?? []).map((point) => ({ ...point, at: Date.parse(point.date) }));
  const values = points.map(({ value }) => value);
  const [first, last] = [points.at(0), points.at(-1)];
  if (first === undefined || last === undefined)
    throw new Error(`The recorded artist has no history of ${metric}.`);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const place = ({ at, value }: (typeof points)[number]) => ({
    x: Math.round(((at - first.at) / (last.at - first.at)) * width),
    y: Math.round(((most - value) / (most - least)) * height),
  });
  const path = points.map(place).map(({ x, y }) => `${x},${y}`);
  const estimated = points
    .filter((point) => point.estimated)
    .map((point) => ({ ...place(point), date: point.date }));
  const title = `${metric.replaceAll('_', ' ')} of ${name}`;
  const days = `${first.date} to ${last.date}, ${short(least)} to ${short(most)}`;
  return `${
    html`<figure class="plot"><svg viewBox="-8 -8 ${width + 16} ${height + 16}" role="img" aria-label="${title}, ${days}">
<polyline points="${path.join(' ')}"/>${estimated.map(({ x, y, date }) => html`<circle cx="${x}" cy="${y}" r="4"><title>${date}: estimated</title></circle>`)}</svg>
<figcaption><b>${title}</b><span>${days}</span>${estimated.length > 0 && html`<span class="ring">estimated</span>`}<code>GET ${request.path}</code></figcaption></figure>`
      .text
  }\n`;
};

/**
 * The pieces of the reference that are made of recorded answers, by their files in
 * `docs/generated`.
 */
export const recordedPieces = (): readonly (readonly [file: string, text: string])[] => [
  ...comparedForms.map((form) => [`first-answer-${form}.md`, firstAnswer(form)] as const),
  ...['monthly_listeners', 'instagram_followers'].map(
    (metric) => [`${metric}.html`, historyPlot(metric)] as const,
  ),
];
