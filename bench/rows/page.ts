import { ask, bearer, requestsFor } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { compare, rateLine } from '../load/compare.ts';
import type { Line, Row } from '../row.ts';
import { type PagedGateway, startPaged, variantPages } from './gateways.ts';
import { startPeer } from './peers.ts';

/**
 * A third of plain `node:http`, which uses a fraction of the memory. On machines with slow memory
 * the ratio is lower: 0.67 to 0.36 so far.
 */
const goal = { atLeast: 0.33 };

const plainServer =
  'against plain node:http that sends bytes in memory after one INCR, without keys, parameters, tags, log and metrics';

const currentForm = async (bench: Bench, gateway: PagedGateway): Promise<Line> => {
  const seen = await compare(bench, gateway, await startPeer(bench, 'plain', gateway.recorded));
  return rateLine(`page of 50, current form, ${plainServer}`, seen, goal);
};

const variantForm = async (bench: Bench, gateway: PagedGateway): Promise<Line> => {
  const key = bench.keys.variant;
  const recorded = await Promise.all(
    variantPages.map((path) => ask(gateway.url, path, bearer(key))),
  );
  const plain = await startPeer(bench, 'plain', recorded);
  const seen = await compare(bench, { ...gateway, requests: requestsFor(recorded, key) }, plain);
  return rateLine(`page of 50 of a tier, variant form, ${plainServer}`, seen, goal);
};

export const page: Row = async (bench) => {
  const gateway = await startPaged(bench);
  const lines = [await currentForm(bench, gateway), await variantForm(bench, gateway)];
  // How far from 1 a ratio can be on this machine without meaning anything.
  const same = await compare(bench, gateway, { ...gateway, name: 'the same' });
  return [...lines, rateLine('page of 50 against itself: the error of this table', same, {})];
};
