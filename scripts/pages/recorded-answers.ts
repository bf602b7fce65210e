import { z } from 'zod';
import { html, type Markup } from '../../adapters/text/html.ts';
import type { ComparedForm } from '../../tools/migration/mapping/forms.ts';
import { readRecordedExamples, recordedExample } from '../contracts/recorded-examples.ts';

export const exchangeOf = (form: ComparedForm, name: string) =>
  recordedExample(readRecordedExamples(form), name);

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

/** Draws the history of a metric of the recorded artist. Estimated days are rings. */
export const historyPlot = (metric: string): Markup => {
  const { request, body } = exchangeOf('current', 'artist-detail');
  const { name, history } = plotted.parse(body).data;
  const points = (history[metric] ?? []).map((point) => ({ ...point, at: Date.parse(point.date) }));
  const [first, last] = [points.at(0), points.at(-1)];
  const [lowest, ...others] = points.toSorted((a, b) => a.value - b.value);
  const highest = others.at(-1);
  if (first === undefined || last === undefined || lowest === undefined || highest === undefined)
    throw new Error(`The recorded artist has no two days of ${metric}.`);
  const placed = ({ at, value, date, estimated }: (typeof points)[number]) => ({
    x: Math.round(((at - first.at) / (last.at - first.at)) * width),
    y: Math.round(((highest.value - value) / (highest.value - lowest.value)) * height),
    said: `${value.toLocaleString('en', { notation: 'compact', maximumFractionDigits: 2 })}, ${date}`,
    estimated,
  });
  const label = (point: (typeof points)[number], below: number): Markup => {
    const { x, y, said } = placed(point);
    const anchor = x < width / 4 ? 'start' : x > width * 0.75 ? 'end' : 'middle';
    return html`<circle class="point" cx="${x}" cy="${y}" r="5"/><text x="${anchor === 'start' ? x + 8 : x}" y="${y + below}" text-anchor="${anchor}">${said}</text>`;
  };
  const axis = height + 32;
  const title = `${metric.replaceAll('_', ' ')} of ${name}`;
  const path = points.map(placed);
  const rings = path.filter(({ estimated }) => estimated);
  return html`<figure class="plot"><svg viewBox="-8 -38 456 386" font-size="20" role="img" aria-label="${title}, from ${placed(lowest).said} to ${placed(highest).said}">
<path d="M0 -20V${axis}H${width}"/>
<text x="0" y="${axis + 24}">${first.date}</text><text x="${width}" y="${axis + 24}" text-anchor="end">${last.date}</text>
<polyline points="${path.map(({ x, y }) => `${x},${y}`).join(' ')}"/>${rings.map(({ x, y, said }) => html`<circle cx="${x}" cy="${y}" r="5"><title>${said}: estimated</title></circle>`)}
${label(lowest, 24)}${label(highest, -13)}</svg>
<figcaption><b>${title}</b>${rings.length > 0 && html`<span class="ring">estimated</span>`}<code>GET ${request.path}</code></figcaption></figure>`;
};
