import { Command, Help } from 'commander';
import { plainLines } from '../../adapters/text/plain-text.ts';
import { version } from '../../src/runtime/config.ts';
import { type CommandGroup, type Commands, example, type LoadCommand } from './command.ts';
import { commandTable } from './command-table.ts';
import { noteLines } from './terminal/messages.ts';

/** Columns that wrapped help texts need, even on narrow terminals. */
const minHelpWidth = 20;

class OperatorCommand extends Command {
  constructor(name: string) {
    super(name);
    this.exitOverride();
    // An invalid invocation may contain a pasted key, and the message repeats it.
    this.configureOutput({ writeErr: (text) => noteLines(plainLines(text.trimEnd())) });
    this.configureHelp({
      minWidthToWrap: minHelpWidth,
      optionDescription: (option) =>
        `${option.mandatory ? '(required) ' : ''}${new Help().optionDescription(option)}`,
    });
  }
}

/** Arguments as commander reads them: `help a b` is `a b --help`. */
export const readArguments = ([first, ...others]: readonly string[]): readonly string[] => {
  if (first === 'help' && others.length > 0) return [...others, '--help'];
  return first === undefined ? [] : [first, ...others];
};

const select = <Kind>(
  commands: Commands<Kind>,
  name = '',
): readonly (readonly [name: string, entry: Kind])[] => {
  const named = Object.hasOwn(commands, name) ? commands[name] : undefined;
  return named === undefined ? Object.entries(commands) : [[name, named]];
};

const load = async (
  name: string,
  entry: LoadCommand | CommandGroup,
  args: readonly string[] = [],
): Promise<Command> => {
  const command = new OperatorCommand(name);
  if ('commands' in entry) {
    command.description(entry.description).addHelpText(...example(entry.example));
    for (const [child, of] of select(entry.commands, args[0]))
      command.addCommand(await load(child, of));
  } else {
    const define = await entry();
    // Seam: the same class, with types of options that the program does not know.
    define(command as unknown as Parameters<typeof define>[0]);
  }
  return command;
};

/** The program with the commands that its arguments name. */
export const createProgram = async ([name, ...args]: readonly string[]): Promise<Command> => {
  const program = new OperatorCommand('artist-gateway')
    .description(
      'Serve a catalogue of music artists as an API in two forms, and manage its keys and data.',
    )
    .version(version, '-v, --version')
    .addHelpText(...example('artist-gateway catalogue import /data/charts-2026'))
    .addHelpText(
      'after',
      '\nExit codes: 0 done, 1 refused or found something, 2 called incorrectly.',
    );
  if (name === '-v' || name === '--version') return program; // needs no command
  for (const [chosen, entry] of select(commandTable, name))
    program.addCommand(await load(chosen, entry, args));
  return program;
};
