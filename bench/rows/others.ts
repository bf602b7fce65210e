import { once } from 'node:events';
import { join } from 'node:path';
import { ask, bearer, get } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { compareTurns, formatSide, type Subject, takeTurn } from '../load/compare.ts';
import type { SliceOrder } from '../load/messages.ts';
import { root } from '../process/gateway.ts';
import { loadCore } from '../process/pinning.ts';
import { start } from '../process/started.ts';
import { line, type Row } from '../row.ts';
import { type PagedGateway, startPaged } from './gateways.ts';

/** Requests a second of all others together. */
const othersRate = 1_000;

type AskOthers = (flood?: Omit<SliceOrder, 'ms'>) => ReturnType<typeof takeTurn>;

/**
 * Lets the others ask in turns of 2 s, with and without what one organization does. A p99 is that
 * of the slowest twenty, which one garbage collection delays: the same code came to 0.7 and 1.8
 * times, so the ratios have no goal.
 */
const compareOthers = async (
  bench: Bench,
  gateway: PagedGateway,
  name: string,
  meanwhile: (askOthers: AskOthers) => ReturnType<AskOthers>,
) => {
  const pace = { connections: 16, ms: bench.options.quick ? 500 : 2_000, rate: othersRate };
  const others = { ...gateway, name: 'others' };
  const askOthers: AskOthers = (flood) =>
    takeTurn(bench, [others], pace, flood && { ...flood, ms: pace.ms });
  await askOthers(); // a warm-up
  return compareTurns(
    { subject: name, base: 'without' },
    Math.ceil(bench.options.rounds / 2),
    (side) => (side === 'base' ? askOthers() : meanwhile(askOthers)),
  );
};

/**
 * Opens connections that do not read, which Node cannot: with small buffers and ordinary segments.
 */
const unreadProgram = join(root, 'test', 'support', 'faults', 'unread-answers.py');

/** One organization asks 270 times for 200 artists and does not read. */
export const unread: Row = async (bench) => {
  const gateway = await startPaged(bench);
  const args = [
    unreadProgram,
    String(gateway.port),
    '270',
    '/api/v1/artists?limit=200',
    bench.keys.variant,
  ];
  const seen = await compareOthers(bench, gateway, 'with unread answers', async (askOthers) => {
    const { child, stop } = start('python3', args, {
      core: loadCore,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    if (child.stdout !== null) await once(child.stdout, 'data'); // all have asked
    const turn = await askOthers();
    await stop();
    return turn;
  });
  const what = 'p99 of others while one organization does not read 270 answers, against without';
  const notes = [
    formatSide(seen.subject),
    formatSide(seen.base),
    'none of the others is refused: that fails the row',
  ];
  return [line(what, seen.ratio('p99'), '×', {}, notes)];
};

/** Connections of the organization that has spent its quota. */
const floodConnections = 32;

/**
 * One organization, whose quota is spent, asks on: at a third of the rate of refusals that fills a
 * core, which differs from machine to machine.
 */
export const refused: Row = async (bench) => {
  const gateway = await startPaged(bench);
  const path = '/api/v1/artists?limit=50';
  await ask(gateway.url, path, bearer(bench.keys.spent)); // the only one of the day
  const requests = [get(path, bench.keys.spent, { status: 429 })];
  const spent: Subject = { ...gateway, name: 'refused', requests };
  const most = await takeTurn(bench, [spent], {
    connections: floodConnections,
    ms: bench.options.warmUpMs,
  });
  const rate = Math.round(most.rate / 3);
  const flood = { port: gateway.port, requests, connections: floodConnections, rate };
  const seen = await compareOthers(bench, gateway, 'with the flood', (askOthers) =>
    askOthers(flood),
  );
  const what =
    'p99 of others while one organization is refused at a third of the highest rate, against without';
  return [
    line(what, seen.ratio('p99'), '×', {}, [
      formatSide(seen.subject),
      formatSide(seen.base),
      `${Math.round(seen.subject.median('besideRate'))} refusals/s, of at most ${Math.round(most.rate)}`,
    ]),
  ];
};
