import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { startRedisServer } from '../../test/support/redis-server.ts';
import type { Question } from '../catalogue/crowd.ts';
import type { Form } from '../catalogue/keys.ts';
import type { Database } from '../mongodb/database.ts';
import type { Gateway } from '../process/gateway.ts';
import { stopWithRow } from '../process/started.ts';
import { memoryMiB } from '../process/usage.ts';
import { type Line, line, type Row } from '../row.ts';
import { type Ask, createAsk, type SoakRecord } from '../soak/ask.ts';
import { type Change, changeEvery, createAnswerCheck } from '../soak/check-answer.ts';
import { checkQuotas } from '../soak/check-quotas.ts';
import { createPartners, type Partners, type SoakKey } from '../soak/partners.ts';
import { createOutages, pause, restartInTurn } from '../soak/restarts.ts';
import { watchStarvation } from '../soak/starvation.ts';
import { allowedRate, startCrowd } from './crowd.ts';

/** Twice what the quotas allow: they refuse about half. */
const rate = 2 * allowedRate;
/** Of the requests that the quotas allow, six in seven are of the current form. */
const currentShare = 6 / 7;

const changeMs = 15_000;
/** Keys of each form that are replaced with each change. */
const keysEach = 5;

/** Refunds have arrived by then, in milliseconds. */
const quietMs = 1_500;

const createPick = (drawn: readonly Question[]) => {
  const of = (form: Form) => drawn.filter((question) => question.form === form);
  const questions = { current: of('current'), variant: of('variant') };
  let asked = 0;
  /**
   * A question of the crowd. In the current form one in fifty is a name that was not asked before,
   * and one in fifty a list that the crowd does not ask for.
   */
  return (form: Form): Question | undefined => {
    asked += 1;
    const { [form]: all } = questions;
    if (form === 'variant' || asked % 50 > 1) return all[Math.floor(Math.random() * all.length)];
    const other = asked % 100 === 1 ? 'added?days=30' : 'artists?include=history&limit=100';
    const query = asked % 50 === 0 ? `artists?name=nobody%20${asked}` : other;
    return { form, path: `/api/v1/${query}`, acceptsGzip: true };
  };
};

/**
 * Few enough that what stands in for MongoDB, which runs in this process too, does not wait long
 * for its turn.
 */
const maxInFlight = 32;

/**
 * Sends requests when they are due, while fewer than `maxInFlight` wait: on a machine that is too
 * slow the rest is not sent. Resolves with the requests a second.
 */
const askRepeatedly = async (
  ask: Ask,
  partners: Partners,
  drawn: readonly Question[],
  end: AbortSignal,
): Promise<number> => {
  const pick = createPick(drawn);
  const running = new Set<Promise<unknown>>();
  const begin = performance.now();
  let [due, sent] = [0, 0];
  while (await pause(5, end)) {
    const elapsedMs = performance.now() - begin;
    for (; due < (elapsedMs * rate) / 1_000; due++) {
      if (running.size >= maxInFlight) continue;
      sent += 1;
      const form = Math.random() < currentShare ? 'current' : 'variant';
      const revoked = sent % 100 === 0 ? partners.pickRevoked() : undefined;
      const key = revoked ?? partners.pick(form, elapsedMs);
      const question = key && pick(key.form);
      if (key === undefined || question === undefined) throw new Error('nothing to ask');
      const one = ask(key, question.path, question.acceptsGzip);
      running.add(one);
      void one.finally(() => running.delete(one));
    }
  }
  await Promise.all(running);
  return (sent * 1_000) / (performance.now() - begin);
};

/** Changes 1 % of the artists and replaces keys, again and again. */
const changeRepeatedly = async (
  ask: Ask,
  partners: Partners,
  { database, changes }: { readonly database: Database; readonly changes: Change[] },
  end: AbortSignal,
): Promise<void> => {
  /** Asks until a revoked key is refused, or a new one accepted. */
  const probe = async (key: SoakKey): Promise<void> => {
    const wanted = key.revokedAt !== undefined;
    do if (((await ask(key, '/api/v1/artists?limit=1')) === 401) === wanted) return;
    while (await pause(1_000, end));
  };
  const probes: Promise<void>[] = [];
  do {
    const first = changes.length % changeEvery;
    const at = performance.now();
    changes.push({ at, first, listeners: database.change(changeEvery, first) });
    probes.push(...partners.replace(keysEach).map(probe));
  } while (await pause(changeMs, end));
  await Promise.all(probes);
};

const countWrong = ({ wrong }: SoakRecord): number =>
  [...wrong.values()].reduce((sum, { count }) => sum + count, 0);

const formatRecord = (record: SoakRecord): string => {
  const statuses = [...record.statuses].map(([status, answers]) => `${status} × ${answers}`);
  return `${statuses.join(', ')}; ${countWrong(record)} wrong`;
};

/** Prints figures at each interval, and returns the memory in use at each, in MiB. */
const watch = async (
  gateway: Gateway,
  record: SoakRecord,
  starvedSince: (instant: number) => number,
  everyMs: number,
  end: AbortSignal,
): Promise<readonly number[]> => {
  const used: number[] = [];
  const begin = performance.now();
  while (await pause(begin + (used.length + 1) * everyMs - performance.now(), end)) {
    if (gateway.child.exitCode !== null) throw new Error('the gateway has ended');
    const held = memoryMiB(gateway.pid);
    const { heap, used: inUse } = await gateway.collected();
    used.push(inUse);
    const minutes = ((performance.now() - begin) / 60_000).toFixed(1);
    process.stderr.write(
      `  ${minutes} min: ${inUse.toFixed(1)} MiB in use (${heap.toFixed(1)} of objects), ${held.toFixed(0)} held; ${formatRecord(record)}; ` +
        `waited ${(starvedSince(begin) / 1_000).toFixed(0)} s for a core\n`,
    );
  }
  return used;
};

/**
 * The growth of memory from the second to the last quarter, by the least of each: one look may meet
 * two snapshots at once, while artists change.
 */
const growthLine = (used: readonly number[], minutes: number): Line => {
  const length = Math.ceil(used.length / 4);
  const least = [0, 1, 2, 3].map((quarter) =>
    Math.min(...used.slice(quarter * length, (quarter + 1) * length)),
  );
  const [, second = Number.NaN, , last = Number.NaN] = least;
  const what = 'memory in use, from the second to the last quarter: growth';
  return line(what, last - second, 'MiB', { atMost: 10 }, [
    `least of each quarter of ${minutes} minutes: ${least.map((each) => each.toFixed(1)).join(', ')} MiB`,
  ]);
};

/**
 * For leaks and wrong answers, by itself: for `--minutes`, twice the load that the quotas allow
 * while artists change, keys are revoked and issued, and MongoDB and Redis are restarted every ten
 * minutes (three times at least).
 */
export const soak: Row = async (bench) => {
  const { minutes } = bench.options;
  const redis = await startRedisServer('--appendonly', 'yes');
  stopWithRow(redis.stop);
  const world = await startCrowd(
    bench,
    { REDIS_URL: redis.url(), LOG_LEVEL: 'warn' },
    { quotas: 'usual' },
  );
  const { gateway, database, artists, documents, added, drawn } = world;
  const changes: Change[] = [];
  const outages = createOutages();
  const lasts = minutes * 60_000;
  const end = AbortSignal.timeout(lasts);
  setMaxListeners(0, end); // every pause waits for it
  const starvedSince = watchStarvation([gateway.pid, process.pid], end);
  const answers = createAnswerCheck(artists, changes, outages.mongodb, starvedSince);
  const { ask, record, close } = createAsk(gateway.port, outages, answers, starvedSince);
  const partners = createPartners(added, documents, database);
  const [used, reached] = await Promise.all([
    watch(gateway, record, starvedSince, lasts / 60, end),
    askRepeatedly(ask, partners, drawn, end),
    changeRepeatedly(ask, partners, { database, changes }, end),
    restartInTurn(outages, { database, redis }, Math.min(600_000, lasts / 3), end),
  ]);
  await wait(quietMs);
  const broken = await checkQuotas(record.exchanges, redis, outages.redis);
  close();
  return [
    line('wrong answers', countWrong(record), '', { atMost: 0 }, [
      formatRecord(record),
      `${rate} requests/s asked for, ${Math.round(reached)} sent; ${record.compared} bodies compared`,
      `${outages.mongodb.length} restarts of MongoDB, ${outages.redis.length} of Redis`,
      `${changes.length} changes of 1 % of the artists, with ${keysEach} keys of each form replaced; a revoked one was accepted for ${(record.acceptedMs / 1_000).toFixed(1)} s at most, outages apart`,
      `what must come within a time may come later by as long as gateway and bench waited for a core meanwhile: ${Math.round(starvedSince(0) / 1_000)} s in all`,
      ...[...record.wrong.values()].map(({ count, first }) => `${count} like ${first}`),
    ]),
    line('what quotas broke', broken.length, '', { atMost: 0 }, [
      `${record.exchanges.length} requests with known keys, and the counts in Redis at the end`,
      ...broken.slice(0, 20).map(({ rule, subject, message }) => `${rule}: ${subject}, ${message}`),
    ]),
    growthLine(used, minutes),
  ];
};
