import { readLetterCalls } from '../test/support/cli/letter-calls.ts';
import { liveMonth, type Month, startMonth } from '../test/support/cli/moving-month.ts';
import { run } from '../test/support/cli/run.ts';
import { drawTable } from '../tools/cli/terminal/draw-table.ts';

/**
 * Demonstrates the move of a partner: simulates a month of its traffic against a gateway with real
 * servers, and prints the operator's commands, their output, and the responses to the requests of
 * the letter. Run `npm ci --prefix test/support/mongodb && npm run build` first.
 */

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Draws lines with tabs as a table, as the commands do on a terminal. */
const draw = (text: string): string =>
  text
    .trimEnd()
    .split('\n\n')
    .map((block) =>
      block.includes('\t') ? drawTable(block.split('\n').map((line) => line.split('\t'))) : block,
    )
    .join('\n\n');

const operate = async ({ operator }: Month, ...args: string[]): Promise<string> => {
  print(
    `\n$ artist-gateway ${args.map((arg) => (arg.includes(' ') ? `"${arg}"` : arg)).join(' ')}`,
  );
  const { stdout, stderr } = await run(operator.settings, args);
  if (stdout !== '') print(draw(stdout));
  if (stderr !== '') print(stderr.trimEnd());
  return stdout;
};

/** Sends the requests of a column of the letter, and prints how they are answered. */
const send = async (
  { gateway, partner }: Month,
  what: string,
  calls: readonly { readonly path: string }[],
): Promise<void> => {
  print(`\n${what}:`);
  const rows = [];
  for (const { path } of calls) {
    const { status, headers } = await gateway.get(path, partner.text);
    const left = [headers['x-ratelimit-remaining'], headers['x-ratelimit-day-remaining']]
      .filter(Boolean)
      .join(', ');
    rows.push([
      `  ${path}`,
      String(status),
      String(headers['x-envelope-served'] ?? ''),
      `${left} left`,
    ]);
  }
  print(drawTable(rows));
};

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
  await operate(month, 'mapping', 'ids', '--organization', 'acme', '--csv');
  const letter = await operate(month, 'readiness', id, '--days', '31', '--letter');
  const rows = readLetterCalls(letter);
  const today = rows.map((row) => row.today);
  const unchanged = rows.flatMap((row) => row.unchanged ?? []);
  const instead = rows.flatMap((row) => {
    const path = /`GET (\S+)`/.exec(row.instead)?.[1];
    return path === undefined ? [] : [{ path }];
  });
  await send(month, 'The requests of the letter, in the variant form', today);
  await pin('current');
  await send(month, 'The same requests in the current form', unchanged);
  await month.pass(minuteMs);
  await send(month, 'What the letter says to send instead', instead);
  await pin('variant');
  await send(month, 'The first requests, after the move back', today);
  await operate(month, 'keys', 'list', '-o', 'key,partner,form,state,sunset');
  await operate(month, 'keys', 'log', '--key', id);
};

const month = await startMonth().catch((failure: unknown) => {
  // The message of a server that is missing says what to install.
  process.stderr.write(`${failure instanceof Error ? failure.message : String(failure)}\n`);
  process.exit(1);
});
try {
  print('A month of a partner’s traffic passes …');
  await liveMonth(month);
  await demonstrate(month);
} finally {
  await month.stop();
}
