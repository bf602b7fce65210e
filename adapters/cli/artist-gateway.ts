#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { version } from '../../src/runtime/config.ts';
import { UsageError } from './terminal/usage-error.ts';
import { withoutSecrets } from './terminal/without-secrets.ts';

/** Exit codes of every command: done, refused or found something, called wrongly. */
const exitCodes = { refused: 1, misused: 2 } as const;

/** Loaded when it is called, since some commands need much code; all are loaded to tell which there are. */
const commands = new Map<string, () => Promise<Command>>([
  ['serve', async () => (await import('./commands/serve.ts')).serveCommand()],
  ['compare', async () => (await import('./commands/compare.ts')).compareCommand()],
  ['catalogue', async () => (await import('./groups/catalogue.ts')).catalogueCommand()],
  ['keys', async () => (await import('./groups/keys.ts')).keysCommand()],
  ['organizations', async () => (await import('./groups/organizations.ts')).organizationsCommand()],
  ['quota', async () => (await import('./groups/quota.ts')).quotaCommand()],
  ['usage', async () => (await import('./commands/usage.ts')).usageCommand()],
  ['readiness', async () => (await import('./commands/readiness.ts')).readinessCommand()],
  ['sunset', async () => (await import('./groups/sunset.ts')).sunsetCommand()],
  ['crosswalk', async () => (await import('./groups/crosswalk.ts')).crosswalkCommand()],
]);

const program = new Command('artist-gateway')
  .description('An artist-intelligence gateway that answers one question in two forms.')
  .version(version)
  .addHelpText(
    'after',
    '\nExample:\n  artist-gateway catalogue import /data/charts-2026\n\nExit codes: 0 done, 1 refused or found something, 2 called wrongly.',
  );

const called = commands.get(process.argv[2] ?? '');
for (const load of called === undefined ? commands.values() : [called]) program.addCommand(await load());

/** A wrong call is often a right one with something pasted into it, and what was pasted may be a key. */
const complain = (text: string): void => {
  process.stderr.write(withoutSecrets(text));
};

const exitCodeOf = (error: unknown): number => {
  if (error instanceof UsageError) return exitCodes.misused;
  if (!(error instanceof CommanderError)) return exitCodes.refused;
  return error.exitCode === 0 ? 0 : exitCodes.misused;
};

const prepare = (command: Command): void => {
  command.exitOverride().configureOutput({ writeErr: complain });
  for (const child of command.commands) prepare(child);
};
prepare(program);

// Who reads a listing may stop early, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  await program.parseAsync();
} catch (error) {
  // Commander has said by itself what is wrong with a call; everything else is said here, in one line.
  if (!(error instanceof CommanderError)) {
    const message = error instanceof Error ? error.message : String(error);
    complain(`${message.replaceAll(/\s*\n\s*/g, ' ')}\n`);
  }
  process.exit(exitCodeOf(error));
}
