import { recordRequests } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { compare, formatComparison } from '../load/compare.ts';
import { line, type Row } from '../row.ts';

const start = async (bench: Bench, value: '0' | '1') => {
  const gateway = await bench.embedded({ SHADOW: value, LOG_LEVEL: 'warn' });
  const requests = await recordRequests(gateway.url, ['/api/v1/artists?limit=50'], bench.keys.variant);
  return { ...gateway, name: `SHADOW=${value}`, requests };
};

/** One answer a second is compared with the other form, of as many items as are compared at most. */
export const shadow: Row = async (bench) => {
  const [shadowed, off] = [await start(bench, '1'), await start(bench, '0')];
  const seen = await compare(bench, shadowed, off, { connections: 8 }); // with 64 a request mostly waits for the others
  const compared = (await shadowed.metrics()).get('gateway_shadow_comparisons_total{verdict="same"}') ?? 0;
  const p99 = seen.subject.median('p99') / seen.base.median('p99');
  return [
    line('SHADOW=1, pages of 50: p99 of requests, against SHADOW=0', p99, '×', { atMost: 1.2 }, [
      ...formatComparison(seen),
      `${compared} comparisons`,
    ]),
  ];
};
