import { fstatSync, writeSync } from 'node:fs';
import { CommanderError } from 'commander';
import { PathError } from '../../adapters/files/own-file.ts';
import { exitWith } from '../../adapters/process/standard-error.ts';
import { oneLine } from '../../adapters/text/plain-text.ts';
import { SettingError } from '../../src/runtime/config.ts';
import { createProgram, readArguments } from './program.ts';
import { note, UsageError } from './terminal/messages.ts';

const exitCodes = { failure: 1, invalidUsage: 2 } as const;

const exitCodeOf = (error: unknown): number => {
  const invalid = [UsageError, SettingError, PathError];
  if (invalid.some((kind) => error instanceof kind)) return exitCodes.invalidUsage;
  if (!(error instanceof CommanderError)) return exitCodes.failure;
  return error.exitCode === 0 ? 0 : exitCodes.invalidUsage;
};

/**
 * Writes standard output whole where it is a file, or fails. Node's stream for a file writes each
 * chunk once, and takes the part that still fits on the disk for all of it. `_write` is what Node
 * documents for an implementation of a stream to define.
 */
const writeFileWhole = (output: NodeJS.WriteStream & { readonly fd: number }): void => {
  if (!fstatSync(output.fd).isFile()) return;
  output._write = (chunk: Buffer, _encoding, done) => {
    try {
      for (let written = 0; written < chunk.length; )
        written += writeSync(output.fd, chunk, written);
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    done();
  };
};

export const runCommand = async (given: readonly string[]): Promise<void> => {
  writeFileWhole(process.stdout);
  // A reader such as `head` closes the pipe early, which is not a failure: the command ends as it
  // would have, with its exit code.
  process.stdout.once('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    note(`The output is incomplete: standard output cannot be written (${code ?? message}).`);
    process.exitCode ||= exitCodes.failure;
  });
  process.stdout.on('error', () => {});
  // A terminal that was closed takes no more lines; what the command holds is still to be released.
  process.stderr.on('error', () => {});
  try {
    const args = readArguments(given);
    await (await createProgram(args)).parseAsync(args, { from: 'user' });
  } catch (error) {
    // Commander writes its own errors; all others are written here, each as one line.
    if (!(error instanceof CommanderError))
      note(oneLine(error instanceof Error ? error.message : String(error)));
    await exitWith(exitCodeOf(error));
  }
};
