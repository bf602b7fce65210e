import { drawTable } from '../adapters/text/table.ts';
import { type Call, type Learned, readCurrent, readUnchanged, readVariant } from '../test/support/cli/moving-client.ts';
import { liveMonth, type Month, startMonth } from '../test/support/cli/moving-month.ts';
import { run } from '../test/support/cli/run.ts';

/**
 * Demonstrates the move of a partner: simulates a month of its traffic against a gateway with real servers, and prints the
 * operator's commands, their output, and the responses to the partner's client. Run `npm run build` first.
 */

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Draws lines with tabs as a table, as the commands do on a terminal. */
const draw = (text: string): string =>
  text
    .trimEnd()
    .split('\n\n')
    .map((block) => (block.includes('\t') ? drawTable(block.split('\n').map((line) => line.split('\t'))) : block))
    .join('\n\n');

const operate = async ({ operator }: Month, ...args: string[]): Promise<void> => {
  print(`\n$ artist-gateway ${args.map((arg) => (arg.includes(' ') ? `"${arg}"` : arg)).join(' ')}`);
  const { stdout, stderr } = await run(operator.settings, args);
  if (stdout !== '') print(draw(stdout));
  if (stderr !== '') print(stderr.trimEnd());
};

const printCalls = (calls: readonly Call[]): void =>
  print(
    draw(
      calls
        .map(({ path, status, served, quota }) => `  ${path.slice(0, 60)}\t${status}\t${served}\t${quota}`)
        .join('\n'),
    ),
  );

const printLearned = ({ calls, added, all, favourites }: Learned): void => {
  printCalls(calls);
  print(`  New artists: ${added.length}, all artists: ${all.length}, favourites: ${favourites.join(', ')}.`);
};

const favourites = ['0003', '0104', '0134'];
const minuteMs = 60_000;

const demonstrate = async (month: Month): Promise<void> => {
  const { id } = month.partner;
  const pin = async (form: string): Promise<void> => {
    await operate(month, 'keys', 'pin', id, '--form', form, '--reason', 'ticket 77');
    await month.pass(minuteMs);
  };
  await operate(month, 'usage', '--organization', 'acme', '--days', '31');
  await operate(month, 'readiness', id, '--days', '31');
  await operate(month, 'keys', 'sunset', id, '--on', '2999-06-30', '--reason', 'contract 2026/14');
  await operate(month, 'crosswalk', 'ids', '--organization', 'acme', '--csv');
  print('\nThe client of the variant form:');
  printLearned(
    await readVariant(
      month,
      favourites.map((number) => `doc${number}`),
    ),
  );
  await pin('current');
  print('\nThe client, its parameters and members renamed and its identifiers rewritten:');
  printLearned(
    await readCurrent(
      month,
      favourites.map((number) => `art_${number}`),
    ),
  );
  await month.pass(minuteMs);
  print('\nThe unchanged client, in the current form:');
  printCalls(await readUnchanged(month));
  await pin('variant');
  print('\nThe client of the variant form, after the move back:');
  printLearned(
    await readVariant(
      month,
      favourites.map((number) => `doc${number}`),
    ),
  );
  await operate(month, 'sunset', 'report', '--within', '999999');
  await operate(month, 'keys', 'log', '--key', id);
};

const month = await startMonth();
try {
  print('A month of a partner’s traffic passes …');
  await liveMonth(month);
  await demonstrate(month);
} finally {
  await month.stop();
}
