import { expect } from 'chai';
import { expectRefusal, expectUsageError } from '../support/cli/operator-environment.ts';
import { type CommandResult, run, type Settings } from '../support/cli/run.ts';
import { createWarmCommand } from '../support/cli/warm-command.ts';

const command = createWarmCommand();

const secret = 'pa55word';
const unreachable: Settings = {
  MONGODB_URL: `mongodb://operator:${secret}@127.0.0.1:1/gateway`,
  REDIS_URL: `redis://:${secret}@127.0.0.1:1`,
};
const issue = ['keys', 'issue', '--organization', 'acme', '--partner', 'P', '--scopes', 'artists:read'];

const invalidInvocations: readonly (readonly [args: readonly string[], message: RegExp])[] = [
  [['nonsense'], /unknown command 'nonsense'/],
  [['keys', 'list', '--nonsense'], /unknown option '--nonsense'/],
  [['keys', 'list', 'nonsense'], /too many arguments/],
  [['quota', 'show'], /missing required argument/],
  [issue, /required option '--form <form>' not specified/],
  [
    ['keys', 'issue'],
    /^error: required options '--organization <id>', '--form <form>', '--scopes <list>', '--partner <name>' not specified$/,
  ],
  [['keys', 'create'], /^There is no command "keys create": use "artist-gateway keys issue"\.$/],
  [['keys', 'delete', 'abc'], /: use "artist-gateway keys revoke"\.$/],
  [['orgs'], /^There is no command "orgs": use "artist-gateway organizations"\.$/],
  [['orgs', 'ls'], /: use "artist-gateway organizations list"\.$/],
  [['organizations', 'create', 'acme'], /: use "artist-gateway organizations set"\.$/],
  [[...issue, '--form', 'other'], /Allowed choices are current, variant/],
  [[...issue, '--form', 'current', '--expires', 'soon'], /It must be a duration: 90s, 30m, 12h or 365d/],
  [['keys', 'set', 'abc'], /Nothing to set/],
  [['usage', '--days', '0'], /It must be a whole number from 1/],
  [['usage', '--form', 'other'], /Allowed choices are current, variant/],
  [['usage', '--json', '--csv'], /cannot be used with option/],
  [['usage', '--near', '80', '--form', 'current'], /cannot be used with option/],
  [['readiness', 'abc', '--letter', '--json'], /cannot be used with option/],
  [['catalogue', 'import', '/nowhere'], /^\/nowhere: there is no such file or folder\.$/],
  [['catalogue', 'import', import.meta.filename], /unknown collection: use a name that begins with/],
];

const runAll = (commands: readonly (readonly string[])[], settings: Settings): Promise<CommandResult[]> =>
  Promise.all(commands.map((args) => run(settings, args)));

describe('a command that fails', function () {
  this.timeout(30_000);
  after(() => command.stop());

  it('exits with 2 and one line for an invalid invocation', async () => {
    const runs = invalidInvocations.map(async ([args, message]) =>
      expectUsageError(await command.run(unreachable, args), message),
    );
    await Promise.all(runs);
  });

  it('exits with 2 and lists the subcommands when none is named', async () => {
    const { code, stderr } = await command.run({}, ['keys']);
    expect(code).to.equal(2);
    expect(stderr).to.include('rotate').and.to.include('Example:');
  });

  it('exits with 2 and names the variable when a store is not configured', async () => {
    expectUsageError(await command.run({}, ['keys', 'list']), /^MONGODB_URL is not set/);
    const ran = await command.run({ MONGODB_URL: `mongodb://operator:${secret}%@localhost/x` }, ['keys', 'list']);
    expectUsageError(ran, /^MONGODB_URL is not usable/);
    expect(ran.stderr).not.to.include(secret);
  });

  it('exits with 1 and the reason in words when the server of a mongodb+srv address is unknown', async () => {
    const ran = await command.run({ MONGODB_URL: `mongodb+srv://operator:${secret}@nowhere.invalid/x` }, [
      'keys',
      'list',
    ]);
    const reason = '(unknown host|the name server does not answer|connection refused).*';
    expectRefusal(ran, new RegExp(`^MongoDB cannot be reached \\(${reason}\\): start it, or correct MONGODB_URL\\.$`));
    expect(ran.stderr).not.to.include(secret);
  });

  it('exits with 1 when a store is unreachable, without printing a password', async () => {
    for (const ran of await runAll(
      [
        ['keys', 'list'],
        ['catalogue', 'stats'],
        ['quota', 'reset', 'acme'],
      ],
      unreachable,
    )) {
      expectRefusal(ran, /^MongoDB cannot be reached \(.*\): start it, or correct MONGODB_URL\.$/);
      expect(ran.stderr).not.to.include(secret);
    }
  });
});
