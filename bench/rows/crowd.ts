import { setTimeout as wait } from 'node:timers/promises';
import { recordPages } from '../answers.ts';
import type { Bench } from '../bench.ts';
import { crowdArtist, crowdRequests, isSpiking } from '../catalogue/crowd.ts';
import { growingSeries } from '../catalogue/histories.ts';
import { addOrganizations } from '../catalogue/keys.ts';
import { compare, compareTurns, formatComparison, formatSide, takeTurn } from '../load/compare.ts';
import { openDatabase } from '../mongodb/database.ts';
import type { Settings } from '../process/gateway.ts';
import { memoryMiB } from '../process/usage.ts';
import { type Line, line, type Row } from '../row.ts';
import { type Following, follow } from './gateways.ts';

const organizations = 1_000;
const connections = 64;
const changeEveryMs = 2_000;

/** Long enough for a change to have been followed, which is looked for every second. */
const settleMs = 2_000;

/** A gateway that follows a catalogue with keys of the crowd, and what these ask. */
export const startCrowd = async (bench: Bench, settings?: Settings) => {
  const { texts, keys } = addOrganizations(bench.keys, organizations);
  const now = Date.now();
  const database = await openDatabase(keys, {
    artists: bench.artists,
    artistAt: crowdArtist,
    series: (artist, index) => (isSpiking(index) ? growingSeries(artist, index, now) : []),
  });
  const following = await follow(bench, database, { CATALOGUE_REFRESH_SECONDS: '1', ...settings });
  const { gateway, artists } = following;
  const pages = await recordPages(gateway.url, bench.keys.current);
  const paths = pages.map(({ path }) => path);
  return { ...following, asked: crowdRequests(artists, paths, texts), documents: keys.documents };
};

/** Runs something while one artist of a hundred changes every two seconds, and waits until the last change is followed. */
const whileChanging = async <Result>({ database }: Following, work: () => Promise<Result>): Promise<Result> => {
  const change = (): void => void database.change(100);
  change();
  const timer = setInterval(change, changeEveryMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await wait(settleMs);
  }
};

/** A thousand organizations that ask two thousand questions, beside one key of each form that asks one page. */
export const crowd: Row = async (bench) => {
  const following = await startCrowd(bench);
  const { gateway, asked } = following;
  const one = { ...gateway, name: 'one page', requests: asked.one };
  const all = { ...gateway, name: 'the crowd', requests: asked.crowd };
  await takeTurn(bench, [all], { connections, ms: bench.options.warmUpMs * 4 }); // a gateway deflates forty lists a second
  const still = await compare(bench, all, one, { turnMs: bench.options.sliceMs * 2 });

  const ms = bench.options.quick ? changeEveryMs : 2 * changeEveryMs;
  const rate = Math.round(still.subject.median('rate') / 2);
  const half: Line[] = [];
  for (let run = 0; run < bench.options.runs; run++) {
    const { p99, rate: answered } = await takeTurn(bench, [all], { connections, ms: ms * 2, rate });
    const notes = [`${rate} requests/s asked for, ${Math.round(answered)} answered`];
    half.push(line('p99 of the crowd at half of its highest rate', p99, 'ms', { atMost: 20, inEveryRun: true }, notes));
  }
  const changing = await compareTurns(
    { subject: 'the crowd meanwhile', base: one.name },
    Math.ceil(bench.options.rounds / 2),
    (side) =>
      side === 'base'
        ? takeTurn(bench, [one], { connections, ms: 1_000 })
        : whileChanging(following, () => takeTurn(bench, [all], { connections, ms })),
  );
  const who = `${organizations} organizations, ${asked.questions} questions by a Zipf law`;
  return [
    line(`${who}, against one page: processor time`, still.ratio('cpuUs'), '×', { atMost: 1.35 }, [
      ...formatComparison(still),
      `${asked.asked} of the questions are drawn`,
    ]),
    line('the same while 1 % of the artists change every 2 s', changing.ratio('cpuUs'), '×', { atMost: 1.7 }, [
      formatSide(changing.subject),
      formatSide(changing.base),
    ]),
    ...half,
    line('memory after the crowd', memoryMiB(gateway.pid), 'MiB', { atMost: 300 }, [
      'only artists that spike have series',
    ]),
  ];
};
