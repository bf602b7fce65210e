import { revalidationsOf } from '../answers.ts';
import { compare, formatComparison } from '../load/compare.ts';
import { atLeast, type Row } from '../row.ts';
import { startPaged } from './pages.ts';

export const notModified: Row = {
  name: 'not-modified',
  async measure(bench) {
    const gateway = await startPaged(bench);
    const requests = revalidationsOf(gateway.recorded, bench.keys.current);
    const seen = await compare(
      bench.generator,
      { ...gateway, name: '304', requests },
      { ...gateway, name: '200' },
      bench.options,
    );
    return [
      atLeast(
        '304 on a matching ETag, against the 200 of the same page',
        2.3,
        '×',
        seen.rateRatio,
        formatComparison(seen),
      ),
    ];
  },
};
