import { expect } from 'chai';
import type { Command } from 'commander';
import { readinessCommand } from '../../adapters/cli/commands/readiness.ts';
import { serveCommand } from '../../adapters/cli/commands/serve.ts';
import { usageCommand } from '../../adapters/cli/commands/usage.ts';
import { catalogueCommand } from '../../adapters/cli/groups/catalogue.ts';
import { crosswalkCommand } from '../../adapters/cli/groups/crosswalk.ts';
import { keysCommand } from '../../adapters/cli/groups/keys.ts';
import { organizationsCommand } from '../../adapters/cli/groups/organizations.ts';
import { quotaCommand } from '../../adapters/cli/groups/quota.ts';
import { sunsetCommand } from '../../adapters/cli/groups/sunset.ts';
import { run } from '../support/cli/run.ts';

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
