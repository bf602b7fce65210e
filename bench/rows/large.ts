import { line, type Row } from '../row.ts';
import { startFollowing } from './gateways.ts';
import { measureMemory } from './memory.ts';
import { delayLine, refreshOften } from './refresh.ts';
import { startLine } from './start.ts';

/** A large catalogue: its start, its memory, and the delay of a refresh. */
export const large: Row = async (bench) => {
  const smaller = await startFollowing(bench, { artists: bench.artists }, refreshOften);
  const base = await measureMemory(bench, smaller);
  await smaller.gateway.stop();

  const following = await startFollowing(bench, { artists: bench.manyArtists }, refreshOften);
  const { rendered, note } = await measureMemory(bench, following);
  const what = `memory for ${bench.manyArtists} artists, both forms rendered, against that for ${bench.artists}`;
  const both = `${Math.round(rendered)} MiB against ${Math.round(base.rendered)} MiB`;
  return [
    startLine(following, 'MongoDB', 16),
    line(what, rendered / base.rendered, '×', { atMost: 5 }, both, note),
    await delayLine(bench, following, 20),
  ];
};
