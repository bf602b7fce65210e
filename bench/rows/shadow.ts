import { ask, bearer, requestsFor } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { type CompareOptions, compare, formatComparison, type Subject } from '../load/compare.ts';
import type { Gateway } from '../process/gateway.ts';
import { p99Delay } from '../process/gateway-health.ts';
import { atMost, type Line, type Row } from '../row.ts';
import { artistsIn, startPaged } from './pages.ts';

/** A gateway with so many artists, and the comparisons of its answers that it made. */
interface ShadowedGateway extends Subject {
  readonly gateway: Gateway;
}

const formatVerdicts = async ({ gateway }: ShadowedGateway): Promise<string> => {
  const metrics = await gateway.metrics();
  const counts = ['same', 'different', 'skipped', 'dropped', 'failed'].map(
    (verdict) => `${verdict} ${metrics.get(`gateway_shadow_comparisons_total{verdict="${verdict}"}`) ?? 0}`,
  );
  return `comparisons: ${counts.join(', ')}`;
};

/** Pages of the variant form with as many artists as it allows. */
const largePages = ['watch', 'on-the-rise', 'breaking', 'established'].map(
  (tier) => `/api/v1/artists?limit=200&tier=${tier}`,
);

const startLarge = async (bench: Bench, share: string): Promise<ShadowedGateway> => {
  const catalogue = await bench.catalogue({ artists: artistsIn(bench), histories: 0 });
  const folders = { CATALOGUE_DIR: catalogue, KEYS_DIR: catalogue };
  const gateway = await bench.gateway({ ...folders, SHADOW_SHARE: share, LOG_LEVEL: 'warn' });
  const key = bench.keys.variant;
  const recorded = await Promise.all(largePages.map((path) => ask(gateway.url, path, bearer(key))));
  const { port, pid } = gateway;
  return { name: `share ${share}`, port, pid, gateway, requests: requestsFor(recorded, key) };
};

/** Every answer is chosen for a comparison: what that does to other requests. */
const everyAnswer = async (bench: Bench): Promise<Line[]> => {
  const [shadowed, off] = [await startLarge(bench, '1'), await startLarge(bench, '0')];
  // Few connections: with 64 a request mostly waits for the others.
  const options: CompareOptions = { ...bench.options, connections: 8 };
  await Promise.all([p99Delay(shadowed.gateway), p99Delay(off.gateway)]); // begins a new interval
  const seen = await compare(bench.generator, shadowed, off, options);
  const [delay, delayOff] = await Promise.all([p99Delay(shadowed.gateway), p99Delay(off.gateway)]);
  const ratio = seen.subject.p99 / seen.base.p99;
  const notes = [...formatComparison(seen), await formatVerdicts(shadowed)];
  return [
    atMost('share 1, pages of 200: p99 of the event-loop delay', 20, 'ms', delay, [
      '8 connections that never pause',
      `with share 0: ${delayOff.toFixed(1)} ms`,
    ]),
    atMost('share 1, pages of 200: p99 of requests, against share 0', 1.2, '×', ratio, notes),
  ];
};

/** One answer in a hundred, as an operator would leave it on. */
const oneInHundred = async (bench: Bench): Promise<Line> => {
  const shadowed = await startPaged(bench, { SHADOW_SHARE: '0.01' });
  const off = await startPaged(bench);
  const seen = await compare(
    bench.generator,
    { ...shadowed, name: 'share 0.01' },
    { ...off, name: 'share 0' },
    bench.options,
  );
  const spread = `interquartile range of the rounds: ${seen.cpuSpread.toFixed(2)}`;
  return atMost('share 0.01, pages of 50: processor time, against share 0', 1.03, '×', seen.cpuRatio, [
    ...formatComparison(seen),
    spread,
  ]);
};

export const shadow: Row = {
  name: 'shadow',
  measure: async (bench) => [...(await everyAnswer(bench)), await oneInHundred(bench)],
};
