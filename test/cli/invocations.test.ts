import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Command } from 'commander';
import { describeSettings, version } from '../../src/runtime/config.ts';
import { createProgram } from '../../tools/cli/program.ts';
import { expectRefusal, expectUsageError } from '../support/cli/operator-environment.ts';
import { runWarm, type Settings } from '../support/cli/run.ts';

const secret = 'pa55word';
const unreachable: Settings = {
  MONGODB_URL: `mongodb://operator:${secret}@127.0.0.1:1/gateway`,
  REDIS_URL: `redis://:${secret}@127.0.0.1:1`,
};
const issue = 'keys issue --organization acme --partner P --scopes artists:read';

const invalidInvocations: readonly (readonly [words: string, message: RegExp])[] = [
  ['nonsense', /unknown command 'nonsense'/],
  ['keys list --nonsense', /unknown option '--nonsense'/],
  ['keys list nonsense', /too many arguments/],
  ['quota show', /missing required argument/],
  [issue, /required option '--form <form>' not specified/],
  [`${issue} --form other`, /Allowed choices are current, variant/],
  [
    `${issue} --form current --expires soon`,
    /It must be a duration like 12h or 365d, a day like 2027-06-30, or never/,
  ],
  ['keys set abc', /Nothing to set/],
  ['keys set abc --sunset 2027-06-30', /unknown option '--sunset'/],
  ['usage --json --csv', /cannot be used with option/],
  [
    'quota replay acme --days 9',
    /It must be a whole number from 1 to 8: minutes are kept that long\.$/,
  ],
  ['catalogue import /nowhere', /^\/nowhere: no such file or folder\.$/],
  [
    `catalogue import ${import.meta.filename}`,
    /unknown collection: use a name that is artists, history or labels/,
  ],
];

const runWords = (settings: Settings, words: string) => runWarm(settings, words.split(' '));

describe('a command that fails', () => {
  it('exits with 2 and one line for an invalid invocation', async () => {
    for (const [words, message] of invalidInvocations)
      expectUsageError(await runWords(unreachable, words), message);
  });

  it('exits with 2, and suggests the nearest command or lists all', async () => {
    for (const [words, said] of [
      ['catalog', '\n(Did you mean catalogue?)\n'],
      ['keys lst', '\n(Did you mean list?)\n'],
      ['keys list --organisation acme', '\n(Did you mean --organization?)\n'],
      ['keys', 'Example:'],
    ] as const) {
      const { code, stderr } = await runWords(unreachable, words);
      expect(code).to.equal(2);
      expect(stderr, words).to.include(said);
    }
  });

  it('names MONGODB_URL, without its password, if it is missing or unreachable', async () => {
    expectUsageError(await runWords({}, 'keys list'), /^MONGODB_URL is not set/);
    const away = { MONGODB_URL: `mongodb://o:${secret}@127.0.0.1:1/x` };
    const ran = await runWords(away, 'keys list');
    expectRefusal(ran, /^MongoDB cannot be reached \(.*\): start it, or correct MONGODB_URL\.$/);
    expect(ran.stderr).not.to.include(secret);
  });
});

it('the output of a command in a pipe has colours only if FORCE_COLOR is set', async () => {
  for (const [settings, isColoured] of [
    [{ FORCE_COLOR: '1' }, true],
    [{ FORCE_COLOR: '0' }, false],
    [{ CI: 'true' }, false],
  ] as const) {
    const { stderr } = await runWords(settings, 'compare --case health');
    expect(stderr.includes('\u001b['), JSON.stringify(settings)).to.equal(isColoured);
  }
});

const withChildren = (
  command: Command,
  parents = '',
): { readonly name: string; readonly command: Command }[] => {
  const name = `${parents} ${command.name()}`.trim();
  return [{ name, command }, ...command.commands.flatMap((child) => withChildren(child, name))];
};

const helpOf = (command: Command): string => {
  let help = '';
  const writeOut = (text: string): void => {
    help += text;
  };
  command.configureOutput({ writeOut }).outputHelp();
  return help;
};

/** Commands that change or list something: a program can read what they print. */
const withJson = `keys issue|keys rotate|keys revoke|keys set|keys pin|keys sunset|keys list
keys show|keys log|organizations set|organizations suspend|organizations resume
organizations list|catalogue import|catalogue indexes|catalogue validate|quota reset
quota show|usage|migration status|migration report|migration ids`.split(/[|\n]/);

describe('--help', () => {
  const namesOf = async (...args: string[]): Promise<string[]> =>
    (await createProgram(args)).commands
      .flatMap((command) => withChildren(command))
      .map(({ name }) => name);

  it('shows an example for every command, and --json if it changes or lists something', async () => {
    const commands = (await createProgram([])).commands.flatMap((command) => withChildren(command));
    expect(commands.length).to.be.greaterThan(20);
    for (const { name, command } of commands) {
      const example = helpOf(command).split(/\nExamples?:\n/)[1] ?? '';
      expect(example, name).to.include(`artist-gateway ${name}`);
    }
    const found = commands.filter(({ command }) =>
      command.options.some(({ long }) => long === '--json'),
    );
    expect(found.map(({ name }) => name)).to.include.members(withJson);
  });

  it('has at most 50 different options over all commands', async () => {
    const program = await createProgram([]);
    const commands = [
      program,
      ...program.commands.flatMap((one) => withChildren(one)).map((one) => one.command),
    ];
    const names = new Set(
      commands.flatMap(({ options }) => options.map(({ long }) => long?.replace('--no-', '--'))),
    );
    expect(names.size, [...names].join(' ')).to.be.within(20, 50);
  });

  it('lists the variables of a gateway under `serve`', async () => {
    const serve = (await createProgram(['serve'])).commands.find(
      (command) => command.name() === 'serve',
    );
    const listed = serve && helpOf(serve).split('Variables:')[1];
    const names = describeSettings().map(({ name }) => name);
    expect(names).to.include.members(['PORT', 'MONGODB_URL', 'LOG_LEVEL']);
    for (const name of names) expect(listed, name).to.match(new RegExp(`^${name} {2,}\\S`, 'm'));
    expect(listed).to.match(
      /^KEYS_REFRESH_SECONDS +time between .+ \(a number of seconds from 0\.01 .+; default: 4\)$/m,
    );
  });

  it('has every command that a file defines', () => {
    const table = readFileSync('tools/cli/command-table.ts', 'utf8');
    const defined = readdirSync('tools/cli', { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .flatMap((path) => [
        ...readFileSync(join('tools/cli', path), 'utf8').matchAll(
          /^export const (\w+): DefineCommand/gm,
        ),
      ]);
    const unlisted = defined.map(([, name = '']) => name).filter((name) => !table.includes(name));
    expect(unlisted, 'tools/cli/command-table.ts').to.deep.equal([]);
  });

  it('prints and exits with 0, as versions do', async () => {
    for (const [words, printed] of [
      ['keys rotate --help', /^Usage: artist-gateway keys rotate \[options\] <key>\n/],
      [
        'help keys issue',
        /^Usage: artist-gateway keys issue [\s\S]*signing-notes:read[\s\S]*\(required\)/,
      ],
      ...['-v', '--version'].map((option) => [option, new RegExp(`^${version}\n$`)] as const),
    ] as const) {
      const { code, stdout, stderr } = await runWarm({}, words.split(' '));
      expect({ code, stderr }, words).to.deep.equal({ code: 0, stderr: '' });
      expect(stdout).to.match(printed);
    }
  });

  it('loads only the commands that the arguments name', async () => {
    expect(await namesOf('keys', 'list')).to.deep.equal(['keys', 'keys list']);
    const quota = ['quota', 'quota show', 'quota replay', 'quota reset'];
    expect(await namesOf('quota', '--help')).to.deep.equal(quota);
    expect(await namesOf('help')).to.deep.equal(await namesOf());
    expect(await namesOf('--version')).to.deep.equal([]);
  });
});
