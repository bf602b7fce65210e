import { html } from '../../adapters/text/html.ts';

const [variant, current] = [120, 50]; // heights of the two forms in the drawing

/** The steps of a move, with the middles of their labels. */
const steps = [
  ['1 find out', 36],
  ['2 prove', 128],
  ['3 rehearse', 220],
  ['4 move', 325],
  ['5 back', 412],
] as const;

/** In which form a key is answered while its partner moves, for the page about the move. */
export const drawWay = (): string =>
  `${
    html`<figure class="plot"><svg viewBox="0 0 440 164" font-size="15" role="img" aria-label="The form in which your key is answered, over time: variant while you find out and prove the move, current during a rehearsal of 30 minutes, variant again automatically, current after the move, and variant again if you ask to move back">
<path d="M0 ${current}H440M0 ${variant}H440"/>
<text x="0" y="${current - 8}">current form</text><text x="0" y="${variant - 8}">variant form</text>
<polyline points="0,${variant} 185,${variant} 185,${current} 255,${current} 255,${variant} 325,${variant} 325,${current} 440,${current}"/>
<path class="back" d="M412 ${current}V${variant}H440"/><text x="220" y="${current - 14}" text-anchor="middle">30 minutes</text>
${steps.map(([label, x]) => html`<text x="${x}" y="${variant + 34}" text-anchor="middle">${label}</text>`)}</svg>
<figcaption><b>The form in which your key is answered</b></figcaption></figure>`.text
  }\n`;
