import { Argument, type Command } from 'commander';
import type { DefineCommand } from '../program.ts';
import { completionLevels, completionScripts } from './completion.ts';

/** Prints a shell's completion script, made from the whole program. */
export const completionCommand =
  (loadProgram: () => Promise<Command>): DefineCommand =>
  (command) =>
    command
      .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(completionScripts)))
      .action(async (shell: string) => {
        const levels = completionLevels(await loadProgram());
        process.stdout.write(completionScripts[shell]?.(levels) ?? '');
      });
