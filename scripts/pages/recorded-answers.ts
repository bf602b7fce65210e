import { join } from 'node:path';
import { z } from 'zod';
import { html, type Markup } from '../../adapters/text/html.ts';
import { exchangesFolder } from '../../src/runtime/config.ts';
import type { ComparedForm } from '../../tools/migration/mapping/forms.ts';
import { readRecordedExamples, recordedExample } from '../contracts/recorded-examples.ts';

/** Finds a golden exchange of a form, as its pages show it. */
export const exchangeOf = (form: ComparedForm, name: string) =>
  recordedExample(readRecordedExamples(join(exchangesFolder, form)), name);

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

/** The round values of an axis, at least two of them, in units of the metric. */
const ticksOf = (least: number, most: number): readonly number[] => {
  const power = 10 ** Math.floor(Math.log10((most - least) / 2));
  const wider = [5, 2].map((digit) => digit * power);
  const size = wider.find((step) => (most - least) / step >= 2) ?? power;
  const first = Math.ceil(least / size);
  return Array.from(
    { length: Math.floor(most / size) - first + 1 },
    (_, index) => (first + index) * size,
  );
};

/**
 * Draws the history of a metric of the recorded artist, with its days and values on axes. Its
 * lowest and its highest point are labelled, estimated days are rings.
 */
export const historyPlot = (metric: string): Markup => {
  const { request, body } = exchangeOf('current', 'artist-detail');
  const { name, history } = plotted.parse(body).data;
  const points = (history[metric] ?? []).map((point) => ({ ...point, at: Date.parse(point.date) }));
  const [first, last] = [points.at(0), points.at(-1)];
  const [lowest, ...others] = points.toSorted((a, b) => a.value - b.value);
  const highest = others.at(-1);
  if (first === undefined || last === undefined || lowest === undefined || highest === undefined)
    throw new Error(`The recorded artist has no two days of ${metric}.`);
  const heightOf = (value: number): number =>
    Math.round(((highest.value - value) / (highest.value - lowest.value)) * height);
  const place = ({ at, value }: (typeof points)[number]) => ({
    x: Math.round(((at - first.at) / (last.at - first.at)) * width),
    y: heightOf(value),
  });
  const path = points.map(place).map(({ x, y }) => `${x},${y}`);
  const label = (point: (typeof points)[number], below: number): Markup => {
    const { x, y } = place(point);
    const anchor = x < width / 4 ? 'start' : x > width * 0.75 ? 'end' : 'middle';
    return html`<circle class="point" cx="${x}" cy="${y}" r="5"/><text x="${anchor === 'start' ? x + 8 : x}" y="${y + below}" text-anchor="${anchor}">${short(point.value)}, ${point.date}</text>`;
  };
  const axis = height + 32;
  const ticks = ticksOf(lowest.value, highest.value);
  const lines = ticks.map((value) => `M0 ${heightOf(value)}H${width}`).join('');
  const title = `${metric.replaceAll('_', ' ')} of ${name}`;
  const ends = [lowest, highest].map(({ value, date }) => `${short(value)} on ${date}`);
  const said = `${title}, ${first.date} to ${last.date}, from ${ends.join(' to ')}`;
  const estimated = points.filter((point) => point.estimated);
  return html`<figure class="plot"><svg viewBox="-80 -38 536 386" font-size="20" role="img" aria-label="${said}">
<path d="${lines}"/><path class="axis" d="M0 -20V${axis}H${width}"/>
${ticks.map((value) => html`<text x="-8" y="${heightOf(value) + 7}" text-anchor="end">${short(value)}</text>`)}
<text x="0" y="${axis + 24}">${first.date}</text><text x="${width}" y="${axis + 24}" text-anchor="end">${last.date}</text>
<polyline points="${path.join(' ')}"/>${estimated.map((point) => html`<circle cx="${place(point).x}" cy="${place(point).y}" r="5"><title>${point.date}: estimated</title></circle>`)}
${label(lowest, 24)}${label(highest, -13)}</svg>
<figcaption><b>${title}</b>${estimated.length > 0 && html`<span class="ring">estimated</span>`}<code>GET ${request.path}</code></figcaption></figure>`;
};
