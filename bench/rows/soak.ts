import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { QuotaWindow } from '../../src/domain/caller.ts';
import { groupBy } from '../../src/domain/groups.ts';
import { generateKey } from '../../src/keys/generate-key.ts';
import { checkHistory } from '../../test/support/nemesis/check-history.ts';
import {
  createExchange,
  type Exchange,
  type Finding,
  type Interval,
  type Limits,
} from '../../test/support/nemesis/history.ts';
import { sendRaw } from '../../test/support/raw.ts';
import { type RedisServer, startRedisServer } from '../../test/support/redis-server.ts';
import { bearer } from '../answers.ts';
import { documentOf, type Form } from '../catalogue/keys.ts';
import { stopWithRow } from '../process/started.ts';
import { type Line, line, type Row } from '../row.ts';
import {
  changeEvery,
  createAnswerCheck,
  type Events,
  type SoakKey,
} from '../soak/check-answers.ts';
import { allowedRate, startCrowd } from './crowd.ts';

/** Requests a second, twice the quotas: many are refused. */
const rate = 2 * allowedRate;
/** More would wait for the stand-in of MongoDB, which runs in this process. */
const maxInFlight = 32;
/** Milliseconds between changes of 1 % of the artists, and of keys of each form. */
const changeMs = 15_000;
const keysEach = 5;
/** How long each store is down, in milliseconds. */
const [mongodbDownMs, redisDownMs] = [20_000, 5_000];

const limits: Readonly<Record<Form, Limits>> = {
  current: { minute: 10, day: 1_000 },
  variant: { hour: 100 },
};

const subjectOf = ({ form, id, organization }: SoakKey): string =>
  form === 'current' ? `organization:${organization}` : `key:${id}`;

/** Violations of quotas, by headers of responses and counts in Redis at the end. */
const checkQuotas = async (
  exchanges: readonly Exchange[],
  redis: RedisServer,
  outages: readonly Interval[],
): Promise<readonly Finding[]> => {
  const groups = [...groupBy(exchanges, (one) => one.subject)];
  const hashes = await redis.commands(groups.map(([subject]) => ['HGETALL', `quota:${subject}`]));
  return groups.flatMap(([subject, own], index) => {
    const words = [hashes[index]].flat().map(String);
    const counts = words.flatMap((word, at) => {
      const [ends = 0, count = 0] = (words[at + 1] ?? '').split(' ').map(Number);
      if (at % 2 === 1 || ends < Date.now()) return [];
      // Cast: a field is named after its window; another name is a finding.
      const window = word as QuotaWindow;
      return [{ at: performance.now(), subject, window, reset: ends / 1_000, count }];
    });
    return checkHistory({
      limits: { [subject]: limits[subject.startsWith('key:') ? 'variant' : 'current'] },
      exchanges: own,
      clock: [{ at: 0, offset: Date.now() - performance.now() }],
      losses: [],
      outages,
      counts,
    });
  });
};

/** The growth between the minimums of quarters: a sample may meet two snapshots. */
const growthLine = (used: readonly number[], minutes: number): Line => {
  const length = Math.floor(used.length / 4);
  const least = [0, 1, 2, 3].map((quarter) =>
    Math.min(...used.slice(quarter * length, quarter === 3 ? undefined : (quarter + 1) * length)),
  );
  const [, second = Number.NaN, , last = Number.NaN] = least;
  const what = 'soak: memory in use, from the second to the last quarter: growth';
  return line(what, last - second, 'MiB', { atMost: 10 }, [
    `least of each quarter of ${minutes} minutes: ${least.map((each) => each.toFixed(1)).join(', ')} MiB`,
  ]);
};

const pick = <Item>(items: readonly Item[], index = Math.random() * items.length): Item => {
  const item = items[Math.floor(index)];
  if (item === undefined) throw new Error('nothing to pick');
  return item;
};

/**
 * Looks for leaks, wrong responses and wrong counts. For `--minutes`, sends twice the load of the
 * quotas while artists change, keys are replaced, and MongoDB and Redis restart in turn (every ten
 * minutes, at least three times).
 */
export const soak: Row = async (bench) => {
  const { minutes } = bench.options;
  const redis = await startRedisServer('--appendonly', 'yes');
  stopWithRow(redis.stop);
  const settings = { REDIS_URL: redis.url(), LOG_LEVEL: 'warn' };
  const world = await startCrowd(bench, { settings, quotas: 'usual' });
  const { gateway, database, artists, added, all } = world;
  const events: Events = { mongodb: [], redis: [], changes: [] };
  const { check, latest } = createAnswerCheck(artists, events);
  const end = performance.now() + minutes * 60_000;
  const isOn = (): boolean => performance.now() < end;
  const agent = new Agent({ keepAlive: true, timeout: 2_000 });

  const keysOf = (form: Form): SoakKey[] =>
    added.map(({ name, [form]: key }) => ({ ...key, form, organization: name }));
  const keys = { current: keysOf('current'), variant: keysOf('variant') };
  const documents = new Map<string, object>(world.keys.documents.map((one) => [one._id, one]));
  const revoked: SoakKey[] = [];
  const replaceKey = (form: Form): void => {
    const index = Math.floor(Math.random() * keys[form].length);
    const old = pick(keys[form], index);
    const { organization } = old;
    const next = { ...generateKey(), form, organization, issuedAt: performance.now() };
    const stored = documents.get(old.id);
    documents.set(old.id, { ...stored, revoked_at: new Date().toISOString() });
    documents.set(next.id, documentOf(next, organization, form, 'usual'));
    old.revokedAt = next.issuedAt;
    keys[form][index] = next;
    revoked.push(old);
  };

  const exchanges: Exchange[] = [];
  const statuses = new Map<number, number>();
  const wrong: string[] = [];
  const ask = async (key: SoakKey, path: string, gzip: boolean): Promise<void> => {
    const had = Math.random() < 0.5 && key.form === 'current' ? latest(key, path) : undefined;
    const headers = {
      ...bearer(key.text),
      'Accept-Encoding': gzip ? 'gzip' : undefined,
      'If-None-Match': had?.etag,
    };
    const sentAt = performance.now();
    const reply = await sendRaw(gateway.port, { path, headers }, agent).catch(String);
    const answer = typeof reply === 'string' ? undefined : { ...reply, body: reply.text };
    const exchange = createExchange(subjectOf(key), limits[key.form], sentAt, answer);
    const { answeredAt } = exchange;
    const status = typeof reply === 'string' ? 0 : reply.status;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status !== 401) exchanges.push(exchange); // it has no caller and counts nothing
    const found =
      typeof reply === 'string' ? [reply] : check({ key, path, sentAt, answeredAt, had }, reply);
    for (const what of found) {
      wrong.push(`${new Date().toISOString()} ${subjectOf(key)} ${path}: ${what}`);
      if (wrong.length <= 20) process.stderr.write(`  wrong: ${wrong.at(-1)}\n`);
    }
  };

  const askRepeatedly = async (): Promise<void> => {
    const forms = new Map([...keys.current, ...keys.variant].map(({ text, form }) => [text, form]));
    const running = new Set<Promise<unknown>>();
    const begin = performance.now();
    for (let due = 0; isOn(); due++) {
      const early = begin + (due * 1_000) / rate - performance.now();
      if (early > 0) await wait(early);
      if (running.size >= maxInFlight) {
        await Promise.race(running);
        continue; // a machine that is too slow sends fewer
      }
      const { path, headers } = pick(all.requests);
      const form = forms.get((headers['Authorization'] ?? '').slice('Bearer '.length)) ?? 'current';
      // the first keys are used most: they use up the quota of an hour
      const index = Math.random() ** 3 * keys[form].length;
      const isOld = due % 100 === 0 && revoked.length > 0;
      const key = isOld ? pick(revoked) : pick(keys[form], index);
      if (key.form !== form) continue;
      const one = ask(key, path, headers['Accept-Encoding'] === 'gzip');
      running.add(one);
      void one.finally(() => running.delete(one));
    }
    await Promise.all(running);
  };

  const used: number[] = [];
  const changeRepeatedly = async (): Promise<void> => {
    while (isOn()) {
      database.change(changeEvery);
      events.changes.push(performance.now());
      for (let count = 0; count < keysEach; count++) {
        replaceKey('current');
        replaceKey('variant');
      }
      database.replaceKeys([...documents.values()]);
      await wait(Math.min(changeMs, end - performance.now()));
      used.push((await gateway.collected()).used);
      const counts = [...statuses].map(([status, answers]) => `${status} × ${answers}`);
      process.stderr.write(
        `  ${used.at(-1)?.toFixed(1)} MiB in use; ${counts.join(', ')}; ${wrong.length} wrong\n`,
      );
    }
  };

  /** When Redis was certainly down. */
  const down: Interval[] = [];
  const restartInTurn = async (): Promise<void> => {
    const everyMs = Math.min(600_000, (minutes * 60_000) / 3);
    for (let turn = 0; performance.now() + everyMs + mongodbDownMs < end; turn++) {
      await wait(everyMs / 2);
      const outage = { from: performance.now(), to: Number.POSITIVE_INFINITY };
      if (turn % 2 === 0) {
        events.redis.push(outage);
        await redis.command('SHUTDOWN').catch(() => {}); // it ends without a reply
        const from = performance.now();
        await wait(redisDownMs);
        down.push({ from, to: performance.now() });
        await redis.restart();
      } else {
        events.mongodb.push(outage);
        await database.restart(mongodbDownMs);
      }
      outage.to = performance.now();
    }
  };

  await Promise.all([askRepeatedly(), changeRepeatedly(), restartInTurn()]);
  await wait(1_500); // refunds have arrived
  agent.destroy();
  const broken = await checkQuotas(exchanges, redis, down);
  return [
    line('soak: wrong answers', wrong.length, '', { atMost: 0 }, [
      [...statuses].map(([status, answers]) => `${status} × ${answers}`).join(', '),
      `${events.changes.length} changes of 1 % of the artists, with ${keysEach} keys of each form replaced`,
      `${events.mongodb.length} restarts of MongoDB, ${events.redis.length} of Redis`,
      ...wrong.slice(0, 20),
    ]),
    line('soak: what quotas broke', broken.length, '', { atMost: 0 }, [
      `${exchanges.length} requests with known keys, and the counts in Redis at the end`,
      ...broken.slice(0, 20).map(({ rule, subject, message }) => `${rule}: ${subject}, ${message}`),
    ]),
    growthLine(used, minutes),
  ];
};
