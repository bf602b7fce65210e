import { revalidationsOf } from '../answers.ts';
import { compare, rateLine } from '../load/compare.ts';
import type { Row } from '../row.ts';
import { startPaged } from './gateways.ts';

export const notModified: Row = async (bench) => {
  const gateway = await startPaged(bench);
  const requests = revalidationsOf(gateway.recorded, bench.keys.current);
  const seen = await compare(bench, { ...gateway, name: '304', requests }, { ...gateway, name: '200' });
  return [rateLine('304 on a matching ETag, against the 200 of the same page', seen, { atLeast: 2.1 })];
};
