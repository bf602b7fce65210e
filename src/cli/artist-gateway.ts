#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { version } from '../config.ts';
import { serveCommand } from './serve.ts';

/** Exit codes of every command: done, refused or found something, called wrongly. */
const exitCodes = { refused: 1, usage: 2 } as const;

const program = new Command('artist-gateway')
  .description('An artist-intelligence gateway that answers one question in two forms.')
  .version(version)
  .addCommand(serveCommand());

const exitCodeOf = (error: unknown): number => {
  if (!(error instanceof CommanderError)) return exitCodes.refused;
  return error.exitCode === 0 ? 0 : exitCodes.usage;
};

const overrideExit = (command: Command): void => {
  command.exitOverride();
  for (const child of command.commands) overrideExit(child);
};
overrideExit(program);

try {
  await program.parseAsync();
} catch (error) {
  // Commander has said by itself what is wrong with a call; everything else is said here, in one line.
  if (!(error instanceof CommanderError)) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  }
  process.exit(exitCodeOf(error));
}
