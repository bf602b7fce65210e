import { Command, Help, type Option } from 'commander';
import { version } from '../../src/runtime/config.ts';
import { type CommandGroup, type Commands, example, type LoadCommand } from './command.ts';
import { commandTable } from './command-table.ts';
import { UsageError } from './terminal/usage-error.ts';

/** Help texts are wrapped also on terminals with little space beside the options' names, in columns. */
const minHelpWidth = 20;

/** A command that names all missing required options at once, and marks them in its help. */
class OperatorCommand extends Command {
  constructor(name: string) {
    super(name);
    this.configureHelp({
      minWidthToWrap: minHelpWidth,
      optionDescription: (option) => `${option.mandatory ? '(required) ' : ''}${new Help().optionDescription(option)}`,
    });
  }

  /** Seam: commander calls this for the first missing option. */
  missingMandatoryOptionValue(_first: Option): void {
    const missing = this.options.filter(
      (one) => one.mandatory && this.getOptionValue(one.attributeName()) === undefined,
    );
    const names = missing.map(({ flags }) => `'${flags}'`).join(', ');
    const message = `error: required option${missing.length > 1 ? 's' : ''} ${names} not specified`;
    this.error(message, { code: 'commander.missingMandatoryOptionValue' });
  }
}

/** Words that a hand types for our commands. */
const otherWords: Readonly<Record<string, string>> = {
  ...{ key: 'keys', org: 'organizations', orgs: 'organizations', organization: 'organizations', quotas: 'quota' },
  ...{ catalog: 'catalogue', catalogs: 'catalogue', start: 'serve', run: 'serve', diff: 'compare', ls: 'list' },
  ...{ create: 'issue', new: 'issue', add: 'issue', delete: 'revoke', remove: 'revoke', rm: 'revoke', get: 'show' },
  ...{ update: 'set', edit: 'set', move: 'pin', history: 'log', audit: 'log', load: 'import', check: 'validate' },
};

/** The same where a group has another command for it. */
const wordsOfGroup: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  organizations: { create: 'set', new: 'set', add: 'set', delete: 'suspend', remove: 'suspend', rm: 'suspend' },
};

const commandFor = (commands: Commands, word: string, group = ''): string | undefined => {
  if (Object.hasOwn(commands, word)) return word;
  const meant = wordsOfGroup[group]?.[word] ?? otherWords[word];
  return meant !== undefined && Object.hasOwn(commands, meant) ? meant : undefined;
};

/** Words that a hand types for a command of a group, or for an option, without the group. */
const wholeWords: Readonly<Record<string, string>> = {
  ...{ version: '--version', import: 'catalogue import', load: 'catalogue import', validate: 'catalogue validate' },
  ...{ export: 'catalogue export', issue: 'keys issue', revoke: 'keys revoke', rotate: 'keys rotate', pin: 'keys pin' },
  ...{ suspend: 'organizations suspend', resume: 'organizations resume' },
};

/** Throws a `UsageError` that names the right command when the words are those of a hand that means one of ours. */
const refuseOtherWords = ([first = '', second = '']: readonly string[]): void => {
  const whole = Object.hasOwn(wholeWords, first) ? wholeWords[first] : undefined;
  if (whole !== undefined) throw new UsageError(`There is no command "${first}": use "artist-gateway ${whole}".`);
  const name = commandFor(commandTable, first);
  const group = name === undefined ? undefined : commandTable[name];
  if (name === undefined || group === undefined) return;
  const child = commandFor('commands' in group ? group.commands : {}, second, name);
  if (name === first && (child === undefined || child === second)) return;
  const given = child === undefined ? first : `${first} ${second}`;
  const meant = child === undefined ? name : `${name} ${child}`;
  throw new UsageError(`There is no command "${given}": use "artist-gateway ${meant}".`);
};

/** Arguments as commander reads them: `help a b` is `a b --help`, and `-V` is `-v`. */
export const readArguments = (given: readonly string[]): readonly string[] => {
  const [first, ...others] = given;
  if (first === '-V') return ['--version'];
  const args = first === 'help' && others.length > 0 ? [...others, '--help'] : given;
  refuseOtherWords(args);
  return args;
};

/** The command with this name; all commands when none has it, for help and suggestions. */
const select = <Kind>(commands: Commands<Kind>, name = ''): readonly (readonly [name: string, entry: Kind])[] => {
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
    for (const [child, of] of select(entry.commands, args[0])) command.addCommand(await load(child, of));
  } else {
    const define = await entry();
    // Seam: the same class, with types of options that the program does not know.
    define(command as unknown as Parameters<typeof define>[0]);
  }
  return command;
};

/** These need no command. */
const versionOptions = ['-v', '--version'];

/** The program with the commands that its arguments name. */
export const createProgram = async ([name, ...args]: readonly string[]): Promise<Command> => {
  const program = new OperatorCommand('artist-gateway')
    .description('An artist-intelligence gateway that answers one question in two forms.')
    .version(version, '-v, --version')
    .addHelpText(...example('artist-gateway catalogue import /data/charts-2026'))
    .addHelpText('after', '\nExit codes: 0 done, 1 refused or found something, 2 called incorrectly.');
  if (name !== undefined && versionOptions.includes(name)) return program;
  for (const [chosen, entry] of select(commandTable, name)) program.addCommand(await load(chosen, entry, args));
  return program;
};
