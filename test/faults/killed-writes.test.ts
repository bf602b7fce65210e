import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { readCopy } from '../../adapters/stores/state/copy-file.ts';
import { catalogueRows } from '../../adapters/stores/state/copy-rows.ts';
import { useInputFolder } from '../support/cli/input-folder.ts';
import { artistDocument } from '../support/stores/stored-documents.ts';

/** COPY_KILLS makes it kill more often. */
const kills = Number(process.env['COPY_KILLS'] ?? 15);

/**
 * Longer than one copy takes with the instant written into it, so that every point of writing is
 * hit.
 */
const maxDelayMs = 60;

const program = fileURLToPath(new URL('../support/faults/write-copies.mjs', import.meta.url));

/**
 * Starts a process that writes copies, kills it at a random point, and returns the last number that
 * it said was on the disk.
 */
const writeAndKill = async (folder: string): Promise<number> => {
  const child = spawn(process.execPath, [program, folder, JSON.stringify(artistDocument)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  let last = 0;
  lines.on('line', (line) => {
    last = Number(line);
  });
  const closed = once(lines, 'close');
  await once(lines, 'line');
  await wait(Math.random() * maxDelayMs);
  child.kill('SIGKILL');
  const [, signal] = await exit;
  expect(signal).to.equal('SIGKILL');
  await closed;
  return last;
};

/** The numbers of the artists in the copy, and the instant that it tells. */
const readNumbers = async (
  folder: string,
): Promise<{ numbers: Set<unknown>; answeredAt: number }> => {
  const copy = await readCopy(join(folder, 'catalogue'));
  if (copy === undefined) throw new Error('there is no copy');
  const { artists } = await catalogueRows.read(copy.rows());
  expect(artists).to.have.length(300);
  const numbers = artists.flatMap(({ artist, recent }) => [
    artist.metrics.social_score,
    recent[0]?.values[0],
  ]);
  return { numbers: new Set(numbers), answeredAt: copy.header.answeredAt };
};

describe('a process that is killed while it writes copies', function () {
  this.timeout(120_000 + kills * 2_000);
  const folder = useInputFolder();

  it(`leaves a readable copy, as new as it reported, at ${kills} random points`, async () => {
    let interrupted = 0;
    for (let count = 0; count < kills; count++) {
      const written = await writeAndKill(folder.path);
      const { numbers, answeredAt } = await readNumbers(folder.path);
      expect(numbers.size).to.equal(1);
      expect(numbers).to.include(answeredAt - (answeredAt % 2));
      expect(answeredAt).to.be.at.least(written);
      const files = await readdir(folder.path);
      const temporary = files.filter((name) => name.endsWith('.tmp'));
      expect(temporary.length, 'leftovers are removed').to.be.at.most(2);
      interrupted += temporary.length > 0 ? 1 : 0;
    }
    expect(interrupted, 'kills while a file was written').to.be.greaterThan(0);
  });
});
