import { expect } from 'chai';
import type { Command } from 'commander';
import { createProgram } from '../../adapters/cli/program.ts';
import { version } from '../../src/runtime/config.ts';
import { run } from '../support/cli/run.ts';

interface NamedCommand {
  /** The command with its parents: `keys issue`. */
  readonly name: string;
  readonly command: Command;
}

const withChildren = (command: Command, parents = ''): NamedCommand[] => {
  const name = `${parents} ${command.name()}`.trim();
  return [{ name, command }, ...command.commands.flatMap((child) => withChildren(child, name))];
};

const helpOf = (command: Command): string => {
  let help = '';
  command.configureOutput({
    writeOut(text) {
      help += text;
    },
  });
  command.outputHelp();
  return help;
};

describe('--help', () => {
  let commands: readonly NamedCommand[];

  before(async () => {
    commands = (await createProgram([])).commands.flatMap((command) => withChildren(command));
  });

  it('shows an example call for every command', () => {
    expect(commands.length).to.be.greaterThan(20);
    for (const { name, command } of commands) {
      const example = helpOf(command).split(/\nExamples?:\n/)[1] ?? '';
      expect(example, name).to.include(`artist-gateway ${name}`);
    }
  });

  it('prints the usage of a command to standard output and exits with 0', async () => {
    const { code, stdout, stderr } = await run({}, ['keys', 'rotate', '--help']);
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout).to.match(/^Usage: artist-gateway keys rotate \[options\] <key>\n/);
  });

  it('is printed by `help` with the names of a command', async () => {
    const { code, stdout } = await run({}, ['help', 'keys', 'issue']);
    expect(code).to.equal(0);
    expect(stdout)
      .to.match(/^Usage: artist-gateway keys issue /)
      .and.include('(required)')
      .and.include('signing-notes:read');
  });

  it('has the version beside it, as -v and -V too', async () => {
    for (const option of ['-v', '-V', '--version']) expect((await run({}, [option])).stdout).to.equal(`${version}\n`);
  });

  it('offers --json on every command that changes something', () => {
    const changes = ['issue', 'rotate', 'revoke', 'set', 'pin', 'sunset'].map((name) => `keys ${name}`);
    const others = ['organizations set', 'organizations suspend', 'organizations resume', 'quota reset'];
    const withJson = commands
      .filter(({ command }) => command.options.some(({ long }) => long === '--json'))
      .map(({ name }) => name);
    expect(withJson).to.include.members([...changes, ...others, 'catalogue import', 'catalogue indexes']);
  });

  it('offers --json on every command that lists something', () => {
    const listings = [
      'catalogue stats',
      'catalogue indexes',
      'catalogue validate',
      'catalogue import',
      'quota show',
      'keys list',
      'keys show',
      'keys log',
      'organizations list',
      'usage',
      'readiness',
      'sunset report',
      'crosswalk ids',
    ];
    const withJson = commands
      .filter(({ command }) => command.options.some(({ long }) => long === '--json'))
      .map(({ name }) => name);
    expect(withJson).to.include.members(listings);
  });

  it('loads only the commands that the arguments name', async () => {
    const namesOf = async (...args: string[]) =>
      (await createProgram(args)).commands.flatMap((command) => withChildren(command)).map(({ name }) => name);
    expect(await namesOf('keys', 'list')).to.deep.equal(['keys', 'keys list']);
    expect(await namesOf('quota', '--help')).to.deep.equal(['quota', 'quota show', 'quota replay', 'quota reset']);
    expect(await namesOf('help')).to.have.length(commands.length);
    expect(await namesOf('--version')).to.deep.equal([]);
  });
});
