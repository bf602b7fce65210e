import { setTimeout as wait } from 'node:timers/promises';
import { recordPages } from '../answers.ts';
import { type Bench, containerMiB } from '../bench.ts';
import { crowdArtist, crowdRequests, drawQuestions, isSpiking } from '../catalogue/crowd.ts';
import { growingSeries } from '../catalogue/histories.ts';
import { addOrganizations } from '../catalogue/keys.ts';
import {
  compare,
  compareTurns,
  formatComparison,
  formatSide,
  type Subject,
  takeTurn,
} from '../load/compare.ts';
import { openDatabase } from '../mongodb/database.ts';
import type { Settings } from '../process/gateway.ts';
import { memoryMiB } from '../process/usage.ts';
import { type Line, line, type Row } from '../row.ts';
import { follow } from './gateways.ts';

const organizations = 1_000;
const connections = 64;
const changeEveryMs = 2_000;

/** Long enough for a change to have been followed, which is looked for every second. */
const settleMs = 2_000;

/**
 * A gateway that follows a catalogue with keys of the crowd, what these ask, and what one key of
 * each form asks.
 */
export const startCrowd = async (
  bench: Bench,
  settings?: Settings,
  { quotas }: { readonly quotas?: 'usual' } = {},
) => {
  const { added, texts, keys } = addOrganizations(bench.keys, organizations, quotas);
  const now = Date.now();
  const database = await openDatabase(keys, {
    artists: bench.artists,
    artistAt: crowdArtist,
    series: (artist, index) => (isSpiking(index) ? growingSeries(artist, index, now) : []),
  });
  const following = await follow(bench, database, settings);
  const { gateway, artists } = following;
  const pages = await recordPages(gateway.url, bench.keys.current);
  const paths = pages.map(({ path }) => path);
  const { questions, drawn } = drawQuestions(artists, paths);
  const { one, crowd: all } = crowdRequests(drawn, texts);
  return {
    ...following,
    ...{ questions, drawn, added },
    documents: keys.documents,
    one: { ...gateway, name: 'one page', requests: one },
    all: { ...gateway, name: 'the crowd', requests: all },
  };
};

/** What 1,000 organizations and 1,000 variant keys may ask a second by the default quotas. */
export const allowedRate = 195;

/** The artists change at the beginning of each run. In milliseconds. */
const allowedMs = 15_000;

interface Traffic {
  readonly connections: number;
  readonly commands: number;
  readonly bytes?: number;
}

const formatTraffic = (before: Traffic, after: Traffic): string => {
  const megabytes = ((after.bytes ?? 0) - (before.bytes ?? 0)) / 1e6;
  return (
    `${after.connections} connections, ${after.commands - before.commands} commands` +
    (megabytes > 0 ? `, ${megabytes.toFixed(1)} MB` : '')
  );
};

/**
 * The load that the quotas allow: a thousand organizations and a thousand keys of the variant form,
 * all at their limits, with all routes, while 1 % of the artists change every 15 seconds.
 */
export const allowed: Row = async (bench) => {
  const { gateway, database, all } = await startCrowd(bench);
  await warmUp(bench, all);
  const lines: Line[] = [];
  for (let run = 0; run < bench.options.runs; run++) {
    const pace = { connections, ms: allowedMs, rate: allowedRate };
    const before = { mongodb: database.traffic(), redis: await bench.redis.traffic() };
    database.change(100);
    const turn = await takeTurn(bench, [all], pace);
    const mongodb = formatTraffic(before.mongodb, database.traffic());
    const redis = formatTraffic(before.redis, await bench.redis.traffic());
    const asked = `${allowedRate} requests/s asked for, ${Math.round(turn.rate)} answered`;
    const each = `${turn.cpuUs.toFixed(0)} µs of processor a request, ${turn.redisUs.toFixed(1)} of Redis'`;
    const stores = `in ${allowedMs / 1_000} s: Redis ${redis}; MongoDB ${mongodb}`;
    const what = (figure: string) =>
      `the load that quotas allow, 1 % of the artists changing every 15 s: ${figure}`;
    lines.push(
      line(what('share of a core'), turn.busy * 100, '%', {}, [asked, each, stores]),
      line(what('p50'), turn.p50, 'ms', {}),
      line(what('p99'), turn.p99, 'ms', {}),
      line(what('memory'), memoryMiB(gateway.pid), 'MiB', {}),
    );
  }
  return lines;
};

/** Takes long, since a gateway deflates forty lists a second. */
const warmUp = (bench: Bench, all: Subject) =>
  takeTurn(bench, [all], { connections, ms: bench.options.warmUpMs * 4 });

/** In milliseconds: two changes come in a turn. */
const turnMs = 2 * changeEveryMs;

/**
 * A thousand organizations that ask two thousand questions, and their waits at half of their
 * highest rate.
 */
export const crowd: Row = async (bench) => {
  const { one, all, questions } = await startCrowd(bench);
  await warmUp(bench, all);
  const still = await compare(bench, all, one, { turnMs: bench.options.sliceMs * 2 });
  const rate = Math.round(still.subject.median('rate') / 2);
  const half: Line[] = [];
  for (let run = 0; run < bench.options.runs; run++) {
    const { p99, rate: answered } = await takeTurn(bench, [all], {
      connections,
      ms: 2 * turnMs,
      rate,
    });
    const notes = [`${rate} requests/s asked for, ${Math.round(answered)} answered`];
    half.push(line('p99 of the crowd at half of its highest rate', p99, 'ms', {}, notes));
  }
  const what = `${organizations} organizations, ${questions} questions by a Zipf law, against one page: processor time`;
  return [line(what, still.ratio('cpuUs'), '×', { atMost: 1.5 }, formatComparison(still)), ...half];
};

/**
 * The crowd, of a gateway that follows each change within a second, where 15 are usual: many times
 * the load that quotas allow, without a goal for its time.
 */
export const changingCrowd: Row = async (bench) => {
  const { gateway, database, one, all } = await startCrowd(bench, {
    CATALOGUE_REFRESH_SECONDS: '1',
  });
  await warmUp(bench, all);
  const turnWhileChanging = async () => {
    database.change(100);
    const timer = setInterval(() => database.change(100), changeEveryMs);
    const turn = await takeTurn(bench, [all], { connections, ms: turnMs }).finally(() =>
      clearInterval(timer),
    );
    await wait(settleMs);
    return turn;
  };
  const names = { subject: all.name, base: one.name };
  const { subject, base, ratio } = await compareTurns(
    names,
    Math.ceil(bench.options.rounds / 2),
    (side) =>
      side === 'base' ? takeTurn(bench, [one], { connections, ms: 1_000 }) : turnWhileChanging(),
  );
  const what =
    'the crowd while 1 % of the artists change every 2 s, against one page: processor time';
  return [
    line(what, ratio('cpuUs'), '×', {}, [formatSide(subject), formatSide(base)]),
    line('memory after the crowd', memoryMiB(gateway.pid), 'MiB', { atMost: containerMiB * 0.75 }, [
      'only artists that spike have series',
    ]),
  ];
};
