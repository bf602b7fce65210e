import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { root } from '../built.ts';
import { generateOwnHistory } from '../catalogue/histories.ts';
import { writeDocuments } from '../catalogue/write.ts';
import { start } from '../process/started.ts';
import { line, type Row } from '../row.ts';
import { fillDatabase, follow, recentDays } from './gateways.ts';
import { delayLine, refreshOften } from './refresh.ts';
import { startLine } from './start.ts';

/** Runs `catalogue import` as an operator would. Gives its seconds. */
const importFolder = async ({ options }: Bench, folder: string): Promise<number> => {
  const begin = performance.now();
  const command = join(root, 'dist', 'adapters', 'cli', 'artist-gateway.js');
  const { child } = start(process.execPath, [command, 'catalogue', 'import', folder], {
    env: { MONGODB_URL: options.mongodb ?? '' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`catalogue import ended with ${code}`);
  return (performance.now() - begin) / 1_000;
};

/** Import, start and refresh over the server that `--mongodb` names: artists with five series each. */
export const database: Row = async (bench) => {
  const filled = await fillDatabase(bench, { artists: bench.artists, isEmpty: true });
  const now = Date.now();
  const folder = mkdtempSync(join(bench.folder, 'import-'));
  const history = filled.artists.flatMap((artist) => generateOwnHistory(artist, recentDays, now));
  await writeDocuments(folder, { artists: filled.artists, history });
  const what = `import of ${filled.artists.length} artists with five series of ${recentDays} days each`;
  const first = line(`${what}, into an empty database`, await importFolder(bench, folder), 's', {});
  const again = line(`${what}, again: nothing differs`, await importFolder(bench, folder), 's', {});
  const following = await follow(bench, filled, refreshOften);
  return [first, again, startLine(following, 'MongoDB'), await delayLine(bench, following)];
};
