import { once } from 'node:events';
import { join } from 'node:path';
import { ask, bearer, get } from '../answers.ts';
import { compare, compareTurns, cpuLine, formatSide, takeTurn } from '../load/compare.ts';
import { startGenerator } from '../load/generate.ts';
import { root } from '../process/gateway.ts';
import { loadCore } from '../process/pinning.ts';
import { start } from '../process/started.ts';
import { line, type Row } from '../row.ts';
import { startPaged } from './gateways.ts';

/** Requests a second of the organization that has spent its quota, and of all others together. */
const floodRate = 5_000;
const othersRate = 1_000;

/** Milliseconds of a turn: a p99 of 2,000 requests is that of the slowest twenty. */
const ms = 2_000;

/** What a refusal costs, and what a flood of them does to others. */
export const refusals: Row = async (bench) => {
  const gateway = await startPaged(bench);
  const { keys, options } = bench;
  const path = '/api/v1/artists?limit=50';
  await ask(gateway.url, path, bearer(keys.spent)); // the only one of the day
  const requests = [get(path, keys.spent, { status: 429 })];
  const seen = await compare(bench, { ...gateway, name: '429', requests }, { ...gateway, name: 'page' });

  const flood = startGenerator();
  const others = { ...gateway, name: 'others' };
  const pace = { connections: 16, ms: options.quick ? ms / 4 : ms, rate: othersRate };
  let refused = 0;
  const flooded = await compareTurns(
    { subject: 'with the flood', base: 'without' },
    Math.ceil(options.rounds / 2),
    async (side) => {
      if (side === 'base') return takeTurn(bench, [others], pace);
      const order = { port: gateway.port, requests, connections: 32, ms: pace.ms, rate: floodRate };
      const [turn, slice] = await Promise.all([takeTurn(bench, [others], pace), flood.slice(order)]);
      refused = (slice.answers * 1_000) / slice.ms;
      return turn;
    },
  );
  const what = `p99 of others while one organization is refused ${floodRate} times a second, against without`;
  return [
    cpuLine('a 429, against a page of 50', seen, { atMost: 0.8 }),
    line(what, flooded.ratio('p99'), '×', { atMost: 1.2 }, [
      formatSide(flooded.subject),
      formatSide(flooded.base),
      `${Math.round(refused)} refusals/s reached, from the core of the load generator`,
    ]),
  ];
};

/** Opens connections that do not read, which Node cannot: with small buffers and ordinary segments. */
const unreadProgram = join(root, 'test', 'support', 'faults', 'unread-answers.py');

/** What an organization does to others that asks 270 times for 200 artists and does not read. A refusal would end the row. */
export const unread: Row = async (bench) => {
  const gateway = await startPaged(bench);
  const { keys, options } = bench;
  const others = { ...gateway, name: 'others' };
  const pace = { connections: 16, ms: options.quick ? ms / 4 : ms, rate: othersRate };
  const args = [unreadProgram, String(gateway.port), '270', '/api/v1/artists?limit=200', keys.variant];
  await takeTurn(bench, [others], pace); // a warm-up
  const seen = await compareTurns(
    { subject: 'with unread answers', base: 'without' },
    Math.ceil(options.rounds / 2),
    async (side) => {
      if (side === 'base') return takeTurn(bench, [others], pace);
      const { child, stop } = start('python3', args, { core: loadCore, stdio: ['pipe', 'pipe', 'inherit'] });
      if (child.stdout !== null) await once(child.stdout, 'data'); // all have asked
      const turn = await takeTurn(bench, [others], pace);
      await stop();
      return turn;
    },
  );
  const what = 'p99 of others while one organization does not read 270 answers, against without';
  return [line(what, seen.ratio('p99'), '×', { atMost: 1.2 }, [formatSide(seen.subject), formatSide(seen.base)])];
};
