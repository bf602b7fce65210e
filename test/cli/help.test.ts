import { expect } from 'chai';
import type { Command } from 'commander';
import { catalogueCommand } from '../../src/cli/catalogue.ts';
import { crosswalkCommand } from '../../src/cli/crosswalk.ts';
import { keysCommand } from '../../src/cli/keys.ts';
import { organizationsCommand } from '../../src/cli/organizations.ts';
import { quotaCommand } from '../../src/cli/quota.ts';
import { readinessCommand } from '../../src/cli/readiness.ts';
import { serveCommand } from '../../src/cli/serve.ts';
import { sunsetCommand } from '../../src/cli/sunset.ts';
import { usageCommand } from '../../src/cli/usage.ts';
import { run } from './run.ts';

interface Named {
  /** As it is typed: `keys issue`. */
  readonly name: string;
  readonly command: Command;
}

const withChildren = (command: Command, parents = ''): Named[] => {
  const name = `${parents} ${command.name()}`.trim();
  return [{ name, command }, ...command.commands.flatMap((child) => withChildren(child, name))];
};

const groups = [
  serveCommand(),
  catalogueCommand(),
  keysCommand(),
  organizationsCommand(),
  quotaCommand(),
  usageCommand(),
  crosswalkCommand(),
  readinessCommand(),
  sunsetCommand(),
];
const commands = groups.flatMap((group) => withChildren(group));

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
  it('of every command has an example that is a call of it', () => {
    expect(commands.length).to.be.greaterThan(20);
    for (const { name, command } of commands) {
      const example = helpOf(command).split('\nExample:\n')[1] ?? '';
      expect(example, name).to.include(`artist-gateway ${name}`);
    }
  });

  it('tells how the command is called', async function () {
    this.timeout(10_000);
    const { code, stdout, stderr } = await run({}, ['keys', 'rotate', '--help']);
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout).to.match(/^Usage: artist-gateway keys rotate \[options\] <key>\n/);
  });

  it('has --json on every command that lists something', () => {
    const listings = [
      'catalogue stats',
      'catalogue indexes',
      'catalogue validate',
      'catalogue import',
      'quota show',
    ].concat([
      'keys list',
      'keys show',
      'keys log',
      'organizations list',
      'usage',
      'readiness',
      'sunset report',
      'crosswalk ids',
    ]);
    const having = commands
      .filter(({ command }) => command.options.some(({ long }) => long === '--json'))
      .map(({ name }) => name);
    expect(having).to.include.members(listings);
  });
});
