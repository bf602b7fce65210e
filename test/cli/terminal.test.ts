import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { useCleanup } from '../support/cleanup.ts';
import { artistDocuments, seriesDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import {
  expectRefusal,
  expectUsageError,
  useOperatorEnvironment,
} from '../support/cli/operator-environment.ts';
import { builtCommand, type Settings } from '../support/cli/run.ts';
import { longestWaitMs, until } from '../support/wait.ts';

/** Sets the title after a command, which signals the channel `ended`. */
const runAndMark = ['sh', '-c', `"$@"; printf '\u001b]2;ended\u0007'; exec cat >/dev/null`, 'sh'];
const configuration = 'set -g status off\nset-hook -g pane-title-changed "wait-for -S ended"\n';

describe('in a terminal', () => {
  const operator = useOperatorEnvironment();
  const input = useInputFolder();
  const cleanup = useCleanup(afterEach);
  let keyId = '';

  /** Runs the built command in a pane of tmux. */
  const open = async (settings: Settings, words: string) => {
    const folder = await cleanup.makeFolder('tmux');
    const file = join(folder, 'tmux.conf');
    await writeFile(file, configuration);
    const tmux = async (...more: string[]): Promise<string> => {
      const args = ['-u', '-S', join(folder, 'socket'), '-f', file, ...more];
      const options = { timeout: longestWaitMs, killSignal: 'SIGKILL' } as const;
      return (await promisify(execFile)('tmux', args, options)).stdout;
    };
    const variables = { PATH: process.env['PATH'], TERM: 'xterm-256color', LANG: 'C.UTF-8' };
    const env = Object.entries({ ...variables, ...settings }).map((pair) => pair.join('='));
    const command = [process.execPath, builtCommand(), ...words.split(' ')];
    const size = ['-x', '120', '-y', '200'];
    await tmux('new-session', '-d', ...size, 'env', '-i', ...env, ...runAndMark, ...command);
    cleanup.add(tmux, () => tmux('kill-server'));
    /** The visible lines, those that the terminal had to wrap joined. */
    const screen = async () =>
      (await tmux('capture-pane', '-p', '-J')).replaceAll(/ +$/gm, '').trimEnd();
    return {
      screen,
      /** Waits for a question. Answers it, and resolves to the screen at the end. */
      async reply(keys: string): Promise<string> {
        await until('it asks', async () => (await screen()).includes('[y/N]'));
        await tmux('send-keys', keys, 'Enter');
        await tmux('wait-for', 'ended');
        return screen();
      },
    };
  };

  beforeEach(async () => {
    await operator.clear();
    await operator.done('organizations set acme --name Acme');
    ({ id: keyId } = await operator.issue('variant'));
  });

  it('`serve` prints a request for each form, and the /docs address last', async () => {
    const { screen } = await open({ PORT: '0', OPERATIONS_PORT: '0' }, 'serve');
    const last = /^Open (http:\/\/127\.0\.0\.1:\d+\/docs)$/;
    const lastLine = async () => (await screen()).split('\n').at(-1) ?? '';
    await until('it prints the address', async () => last.test(await lastLine()));
    const shown = await screen();
    expect(
      shown.match(/^ {2}curl -i -H 'Authorization: Bearer aik_\w+' 'http:\S+'$/gm),
    ).to.have.length(2);
    expect(shown).to.match(/every other answer: http:\S+\/docs, "Try every answer"$/m);
    expect(shown.match(/aik_/g), 'keys').to.have.length(2);
    const [, address = ''] = last.exec(await lastLine()) ?? [];
    expect((await fetch(address)).status).to.equal(200);
  });

  it('an import clears its line of progress before it asks', async () => {
    await input.write('artists', artistDocuments(3));
    await input.write('history', seriesDocuments(3));
    await operator.done('catalogue import', input.path);
    await input.write('artists', artistDocuments(2));
    await input.write('history', seriesDocuments(2));
    const words = `catalogue import ${input.path} --prune-at-most 2`;
    const { reply } = await open(operator.settings, words);
    expect(await reply('')).to.match(
      /^Remove 1 artist and 2 series that the input no longer has\? \[y\/N\]\nNothing was changed\.$/m,
    );
  });

  const stored = () => [
    operator.collection('organizations').findOne({ _id: 'acme' }),
    operator.collection('api_keys').findOne({ _id: keyId }),
  ];

  it('a command that turns a customer away asks, and changes nothing after a no', async () => {
    const before = await Promise.all(stored());
    const words = 'organizations suspend acme --reason unpaid';
    const no = await open(operator.settings, words);
    expect(await no.reply('n')).to.match(/Nothing was changed\.$/);
    expect(await Promise.all(stored())).to.deep.equal(before);
    const yes = await open(operator.settings, words);
    expect(await yes.reply('y')).to.include('Organization acme is suspended');
  });

  it('without a terminal it needs --yes, which needs a reason', async () => {
    const before = await Promise.all(stored());
    for (const [words, question] of [
      ['organizations suspend acme', /^Suspend organization acme \(Acme\)\? /],
      [
        'organizations set acme --per-minute 0',
        /^Set a quota of organization acme \(Acme\) to 0\? /,
      ],
      ['organizations set acme --per-day 0', /^Set a quota of organization acme \(Acme\) to 0\? /],
      [
        `keys set ${keyId} --per-hour 0`,
        /^Set the quota of key \w+ of acme \(Acme Radio\) to 0\? /,
      ],
      [`keys revoke ${keyId}`, /^Revoke key \w+ of acme \(Acme Radio\)\? This cannot be undone\./],
    ] as const) {
      const refused = await operator.run(`${words} --reason unpaid`);
      expectRefusal(refused, /Not a terminal: nothing was changed\. Re-run with --yes\.$/);
      expect(refused.stderr).to.match(question);
      for (const without of [words, `${words} --yes`])
        expectUsageError(await operator.run(without), /^Give the reason with --reason TEXT/);
    }
    expect(await Promise.all(stored())).to.deep.equal(before);
  });

  it('a quota of 0 needs no --yes if unchanged or in a new organization', async () => {
    await operator.done('organizations set acme --per-day 5');
    await operator.done('organizations set acme --per-day 0 --yes --reason unpaid');
    await operator.done('organizations set acme --per-day 0');
    await operator.done('organizations set other --name Other --per-day 0');
    await operator.done(`keys set ${keyId} --per-hour 5`);
  });
});
