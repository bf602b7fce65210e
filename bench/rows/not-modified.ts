import { compare, formatComparison } from '../load/compare.ts';
import { atLeast, type Row } from '../row.ts';
import { startPaged } from './pages.ts';

export const notModified: Row = {
  name: 'not-modified',
  async measure(bench) {
    const gateway = await startPaged(bench);
    const requests = gateway.requests.map((request, index) => {
      const etag = gateway.recorded[index]?.etag ?? '';
      return { ...request, headers: { ...request.headers, 'If-None-Match': etag }, status: 304, length: 0 };
    });
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
