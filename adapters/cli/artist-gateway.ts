#!/usr/bin/env node
import { type Command, CommanderError } from 'commander';
import { oneLine } from '../text/plain-text.ts';
import { createProgram, readArguments } from './program.ts';
import { columnsOf, wrapWords } from './terminal/layout.ts';
import { safeLines } from './terminal/messages.ts';
import { drained } from './terminal/output.ts';
import { UsageError } from './terminal/usage-error.ts';

const exitCodes = { failure: 1, invalidUsage: 2 } as const;

/** An invalid invocation may contain a pasted key, and the message repeats it. */
const writeError = (text: string): void => {
  process.stderr.write(wrapWords(safeLines(text), columnsOf(process.stderr)));
};

const exitCodeOf = (error: unknown): number => {
  if (error instanceof UsageError) return exitCodes.invalidUsage;
  if (!(error instanceof CommanderError)) return exitCodes.failure;
  return error.exitCode === 0 ? 0 : exitCodes.invalidUsage;
};

const throwOnExit = (command: Command): void => {
  command.exitOverride().configureOutput({ writeErr: writeError });
  for (const child of command.commands) throwOnExit(child);
};

// A reader such as `head` closes the pipe early, which is not a failure: the command ends as it would have, with its exit code.
process.stdout.once('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') return;
  writeError(`The output is incomplete: standard output cannot be written (${code ?? message}).\n`);
  process.exitCode ||= exitCodes.failure;
});
process.stdout.on('error', () => {});
// A terminal that was closed takes no more lines; what the command holds is still to be released.
process.stderr.on('error', () => {});

try {
  const args = readArguments(process.argv.slice(2));
  const program = await createProgram(args);
  throwOnExit(program);
  await program.parseAsync(args, { from: 'user' });
} catch (error) {
  // Commander writes its own errors; all others are written here, each as one line.
  if (!(error instanceof CommanderError)) {
    const message = error instanceof Error ? error.message : String(error);
    writeError(`${oneLine(message)}\n`);
  }
  process.exitCode = exitCodeOf(error);
  // What is left open ends with the process, but not before slow readers have what was written.
  await Promise.all([drained(process.stdout), drained(process.stderr)]);
  process.exit();
}
