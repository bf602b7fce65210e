import { drawTable } from '../adapters/cli/terminal/table.ts';
import { type Call, type Learned, readCurrent, readUnchanged, readVariant } from '../test/support/cli/moving-client.ts';
import { liveMonth, type Month, startMonth } from '../test/support/cli/moving-month.ts';
import { run } from '../test/support/cli/run.ts';

/**
 * Tells how a partner moves: lives through a month of its traffic against a gateway and real servers, and prints what the
 * operator does, what the commands print, and what the partner's client meets. Run `npm run build` first.
 */

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Lines with tabs as a table; a command prints one itself when it stands on a terminal. */
const draw = (text: string): string =>
  text
    .trimEnd()
    .split('\n\n')
    .map((block) =>
      block.includes('\t')
        ? drawTable(
            [],
            block.split('\n').map((line) => line.split('\t')),
          )
        : block,
    )
    .join('\n\n');

const operate = async ({ operator }: Month, ...args: string[]): Promise<void> => {
  say(`\n$ artist-gateway ${args.map((arg) => (arg.includes(' ') ? `"${arg}"` : arg)).join(' ')}`);
  const { stdout, stderr } = await run(operator.settings, args);
  if (stdout !== '') say(draw(stdout));
  if (stderr !== '') say(stderr.trimEnd());
};

const tellCalls = (calls: readonly Call[]): void =>
  say(
    draw(
      calls
        .map(({ path, status, served, quota }) => `  ${path.slice(0, 60)}\t${status}\t${served}\t${quota}`)
        .join('\n'),
    ),
  );

const tellLearned = ({ calls, added, all, favourites }: Learned): void => {
  tellCalls(calls);
  say(
    `  It learned: ${added.length} artists are new, ${all.length} in all; its favourites are ${favourites.join(', ')}.`,
  );
};

const favourites = ['0003', '0104', '0134'];
const minuteMs = 60_000;

const tell = async (month: Month): Promise<void> => {
  const { id } = month.partner;
  const pin = async (form: string): Promise<void> => {
    await operate(month, 'keys', 'pin', id, '--form', form, '--reason', 'ticket 77');
    await month.pass(minuteMs);
  };
  await operate(month, 'usage', '--organization', 'acme', '--days', '31');
  await operate(month, 'readiness', id, '--days', '31');
  await operate(month, 'keys', 'sunset', id, '--on', '2999-06-30', '--reason', 'contract 2026/14');
  await operate(month, 'crosswalk', 'ids', '--org', 'acme', '--csv');
  say('\nThe client of the variant form:');
  tellLearned(
    await readVariant(
      month,
      favourites.map((number) => `doc${number}`),
    ),
  );
  await pin('current');
  say('\nThe client, its parameters and members renamed and its identifiers rewritten:');
  tellLearned(
    await readCurrent(
      month,
      favourites.map((number) => `art_${number}`),
    ),
  );
  await month.pass(minuteMs);
  say('\nThe client as it was, had nobody changed it:');
  tellCalls(await readUnchanged(month));
  await pin('variant');
  say('\nThe client of the variant form, after the move back:');
  tellLearned(
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
  say('A month of a partner’s traffic passes …');
  await liveMonth(month);
  await tell(month);
} finally {
  await month.stop();
}
