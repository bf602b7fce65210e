import { setTimeout as wait } from 'node:timers/promises';
import { quantile } from '../statistics.ts';
import { type Connection, openConnection, type Prepared, prepare } from './connection.ts';
import type { Order, Reply, SliceOrder, SliceResult } from './messages.ts';

/**
 * The load generator: its own process, which gets orders as messages. Connections stay open between
 * turns.
 */
const pool = new Map<string, Connection[]>();

/** Connections to a port, for the slice at this place in its turn. */
const reopen = async (
  { port, connections: wanted }: SliceOrder,
  place: number,
): Promise<Connection[]> => {
  const open = (pool.get(`${port} ${place}`) ?? []).filter((connection) => connection.isOpen());
  while (open.length < wanted) open.push(await openConnection(port));
  pool.set(`${port} ${place}`, open);
  return open;
};

/** Sends requests in rotation over all connections. */
const inRotation = (order: SliceOrder): (() => Prepared) => {
  const prepared = order.requests.map(prepare);
  let next = Math.floor(Math.random() * prepared.length);
  return () => {
    const request = prepared[next++ % prepared.length];
    if (request === undefined) throw new Error('a slice has requests');
    return request;
  };
};

/**
 * One turn. Each connection sends its next request when a response is complete, until the time is
 * over. The turn ends with the last response, so that a slow server's queue counts.
 */
const runSlice = async (order: SliceOrder, place: number): Promise<SliceResult> => {
  const connections = await reopen(order, place);
  const next = inRotation(order);
  const times: number[] = [];
  const begin = performance.now();
  const { ms = Number.POSITIVE_INFINITY, count = Number.POSITIVE_INFINITY } = order;
  let sent = 0;
  const goesOn = (): boolean => sent < count && performance.now() < begin + ms;

  const askRepeatedly = async (index: number): Promise<void> => {
    let connection = connections[index];
    while (connection !== undefined && goesOn()) {
      const dueAt = order.rate === undefined ? undefined : begin + (sent * 1000) / order.rate;
      sent += 1;
      const early = (dueAt ?? 0) - performance.now();
      if (early > 0) await wait(early);
      if (!connection.isOpen()) {
        // a server may end a connection after a maximum number of requests
        connection = await openConnection(order.port);
        connections[index] = connection;
      }
      const sentAt = dueAt ?? performance.now();
      await connection.ask(next());
      times.push(performance.now() - sentAt);
    }
  };

  await Promise.all(connections.map((_, index) => askRepeatedly(index)));
  return {
    answers: times.length,
    ms: performance.now() - begin,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
  };
};

const obey = async (order: Order): Promise<void> => {
  if (order === 'close') {
    for (const connection of [...pool.values()].flat()) connection.close();
    pool.clear();
  }
  if (typeof order === 'string') return;
  const reply: Reply = await Promise.all(order.map(runSlice)).catch(String);
  process.send?.(reply);
};

process.on('message', (order: Order) => void obey(order));
process.on('disconnect', () => process.exit());
