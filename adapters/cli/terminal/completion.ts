import type { Command, Option } from 'commander';
import { type DefineCommand, example } from '../command.ts';

/** Completion scripts for shells, made from the tree of commands. Values of options are completed only from closed lists. */

/** What may follow the words of a command. */
interface Level {
  /** The names of the command and its parents: `keys issue`; empty for the program. */
  readonly path: string;
  /** Names of commands and options. */
  readonly words: readonly string[];
  /** Options whose values are a closed list. */
  readonly choices: readonly { readonly option: string; readonly values: readonly string[] }[];
  /** Other options that take a value. */
  readonly valued: readonly string[];
}

const longOf = ({ long, short }: Option): string => long ?? short ?? '';

const levelOf = (command: Command, path: string): Level => {
  const options = command.createHelp().visibleOptions(command);
  const listed = options.flatMap((option) =>
    option.argChoices === undefined ? [] : [{ option: longOf(option), values: option.argChoices }],
  );
  const closed = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  return {
    path,
    words: [...command.commands.map((child) => child.name()), ...closed, ...options.map(longOf)],
    choices: listed,
    valued: options
      .filter((option) => (option.required || option.optional) && option.argChoices === undefined)
      .map(longOf),
  };
};

/** The levels of a tree of commands, the program first. */
export const completionLevels = (command: Command, path = ''): readonly Level[] => [
  levelOf(command, path),
  ...command.commands.flatMap((child) => completionLevels(child, `${path} ${child.name()}`.trim())),
];

const bashCase = ({ path, words, choices, valued }: Level): string => {
  const ofChoices = choices.map(({ option, values }) => `${option}) words='${values.join(' ')}' ;;`);
  const ofValued = valued.length === 0 ? [] : [`${valued.join('|')}) words='' ;;`];
  return `    '${path}') case "$previous" in ${[...ofChoices, ...ofValued, `*) words='${words.join(' ')}' ;;`].join(' ')} esac ;;`;
};

const bash = (levels: readonly Level[]): string => `_artist_gateway() {
  local path='' word words='' current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${levels.map(({ path }) => `'${path}'`).join('|')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${levels.map(bashCase).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _artist_gateway artist-gateway
`;

const zsh = (levels: readonly Level[]): string => `autoload -U +X bashcompinit && bashcompinit\n${bash(levels)}`;

const fishLines = ({ path, words, choices, valued }: Level): string[] => {
  const at = `complete -c artist-gateway -n "__artist_gateway_at '${path}'"`;
  const names = words.filter((word) => !word.startsWith('-'));
  return [
    ...(names.length > 0 ? [`${at} -f -a '${names.join(' ')}'`] : []),
    ...choices.map(({ option, values }) => `${at} -l ${option.slice(2)} -x -a '${values.join(' ')}'`),
    ...valued.map((option) => `${at} -l ${option.slice(2)} -r`),
    ...words
      .filter((word) => word.startsWith('--') && !valued.includes(word))
      .filter((word) => choices.every(({ option }) => option !== word))
      .map((option) => `${at} -l ${option.slice(2)}`),
  ];
};

const fish = (levels: readonly Level[]): string => `function __artist_gateway_at
  set -l path ''
  for word in (commandline -opc)[2..]
    set -l longer (string trim -- "$path $word")
    contains -- "$longer" ${levels.map(({ path }) => `'${path}'`).join(' ')}; and set path "$longer"
  end
  test "$path" = "$argv[1]"
end
${levels.flatMap(fishLines).join('\n')}
`;

/** The script of each shell. */
export const completionScripts: Readonly<Record<string, (levels: readonly Level[]) => string>> = { bash, zsh, fish };

/** Prints a shell's completion script, made from the whole program. */
export const completionCommand =
  (loadProgram: () => Promise<Command>): DefineCommand =>
  (command) =>
    command
      .description('print the completion script of a shell, made from these commands')
      .addHelpText(...example('source <(artist-gateway completion bash)'))
      .addArgument(command.createArgument('<shell>', 'your shell').choices(Object.keys(completionScripts)))
      .action(async (shell) => {
        const levels = completionLevels(await loadProgram());
        process.stdout.write(completionScripts[shell]?.(levels) ?? '');
      });
