import { ask, bearer, requestsFor } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { compare, formatComparison } from '../load/compare.ts';
import { atLeast, type Line, observed, type Row } from '../row.ts';
import { type PagedGateway, startPaged, variantPages } from './pages.ts';
import { favoursPlain, startPlain } from './plain.ts';

const goal = 0.62;

const currentForm = async (bench: Bench, gateway: PagedGateway): Promise<Line> => {
  const plain = await startPlain(bench, 'current', bench.keys.current, gateway.recorded);
  const seen = await compare(bench.generator, gateway, plain, bench.options);
  const notes = [
    ...formatComparison(seen),
    `stretch: ${seen.rateRatio >= 0.7 ? 'met' : 'not met'} (0.70)`,
    favoursPlain,
  ];
  return atLeast('page of 50, current form, against plain node:http', goal, '×', seen.rateRatio, notes);
};

const variantForm = async (bench: Bench, gateway: PagedGateway): Promise<Line> => {
  const key = bench.keys.variant;
  const recorded = await Promise.all(variantPages.map((path) => ask(gateway.url, path, bearer(key))));
  const plain = await startPlain(bench, 'variant', key, recorded);
  const subject = { ...gateway, requests: requestsFor(recorded, key) };
  const seen = await compare(bench.generator, subject, plain, bench.options);
  return atLeast('page of 50, variant form, against plain node:http', goal, '×', seen.rateRatio, [
    ...formatComparison(seen),
    'one window counted on both sides; each page is filtered by tier, most by signing too',
  ]);
};

/** What the log of requests costs. It is on by default, so every other row pays for it. */
const withoutLog = async (bench: Bench, gateway: PagedGateway): Promise<Line> => {
  const silent = await startPaged(bench, { LOG_LEVEL: 'warn' });
  const seen = await compare(bench.generator, { ...silent, name: 'without a log of requests' }, gateway, bench.options);
  return observed('page of 50 without a log of requests, against with', '×', seen.rateRatio, formatComparison(seen));
};

/** The same against itself: how far from 1 a ratio can be on this machine without meaning anything. */
const againstItself = async (bench: Bench, gateway: PagedGateway): Promise<Line> => {
  const seen = await compare(bench.generator, gateway, { ...gateway, name: 'the same' }, bench.options);
  return observed('page of 50 against itself: the error of this table', '×', seen.rateRatio, formatComparison(seen));
};

export const page: Row = {
  name: 'page',
  async measure(bench) {
    const gateway = await startPaged(bench);
    return [
      await currentForm(bench, gateway),
      await variantForm(bench, gateway),
      await withoutLog(bench, gateway),
      await againstItself(bench, gateway),
    ];
  },
};
