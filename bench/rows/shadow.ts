import { recordRequests } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { tiers } from '../catalogue/words.ts';
import { compare, formatComparison } from '../load/compare.ts';
import type { Gateway } from '../process/gateway.ts';
import { type Line, line, type Row } from '../row.ts';
import { startPaged } from './gateways.ts';

const formatVerdicts = async (gateway: Gateway): Promise<string> => {
  const metrics = await gateway.metrics();
  const counts = ['same', 'different', 'skipped', 'dropped', 'failed'].map(
    (verdict) => `${verdict} ${metrics.get(`gateway_shadow_comparisons_total{verdict="${verdict}"}`) ?? 0}`,
  );
  return `comparisons: ${counts.join(', ')}`;
};

/** Pages of the variant form with as many artists as it allows. */
const largePages = tiers.map((tier) => `/api/v1/artists?limit=200&tier=${tier}`);

const startLarge = async (bench: Bench, share: string) => {
  const gateway = await bench.embedded({ SHADOW_SHARE: share, LOG_LEVEL: 'warn' });
  const requests = await recordRequests(gateway.url, largePages, bench.keys.variant);
  return { ...gateway, name: `share ${share}`, requests };
};

/** Every answer is chosen for a comparison: what that does to other requests. */
const everyAnswer = async (bench: Bench): Promise<Line[]> => {
  const [shadowed, off] = [await startLarge(bench, '1'), await startLarge(bench, '0')];
  const readDelays = () => Promise.all([shadowed.delay('p99'), off.delay('p99')]);
  await readDelays(); // begins a new interval
  const seen = await compare(bench, shadowed, off, { connections: 8 }); // with 64 a request mostly waits for the others
  const [delay, delayOff] = await readDelays();
  const p99 = seen.subject.median('p99') / seen.base.median('p99');
  return [
    line('share 1, pages of 200: p99 of the event-loop delay', delay, 'ms', { atMost: 20 }, [
      '8 connections that never pause',
      `with share 0: ${delayOff.toFixed(1)} ms`,
    ]),
    line('share 1, pages of 200: p99 of requests, against share 0', p99, '×', { atMost: 1.2 }, [
      ...formatComparison(seen),
      await formatVerdicts(shadowed),
    ]),
  ];
};

/** One answer in a hundred, as an operator would leave it on. */
const oneInHundred = async (bench: Bench): Promise<Line> => {
  const shadowed = { ...(await startPaged(bench, { SHADOW_SHARE: '0.01' })), name: 'share 0.01' };
  const off = { ...(await startPaged(bench)), name: 'share 0' };
  const seen = await compare(bench, shadowed, off);
  const what = 'share 0.01, pages of 50: processor time, against share 0';
  return line(what, seen.ratio('cpuUs'), '×', { atMost: 1.03 }, formatComparison(seen));
};

export const shadow: Row = async (bench) => [...(await everyAnswer(bench)), await oneInHundred(bench)];
