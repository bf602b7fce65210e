import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../wait.ts';
import { command, type Settings } from './run.ts';

const execute = promisify(execFile);

/** A command in a terminal of its own: a tmux server with one pane. */
export interface Terminal {
  /** The visible lines, without trailing blank ones. */
  screen(): Promise<string>;
  /** The same, with the lines that the terminal had to wrap joined again. */
  unwrapped(): Promise<string>;
  type(keys: string): Promise<void>;
  /** Resolves to the screen when the command has ended. */
  ended(): Promise<string>;
  close(): Promise<void>;
}

/** Runs the built command in a terminal with this many columns. Needs tmux. */
export const openTerminal = async (
  settings: Settings,
  args: readonly string[],
  { columns, rows = 200 }: { readonly columns: number; readonly rows?: number },
): Promise<Terminal> => {
  const folder = await mkdtemp(join(tmpdir(), 'artist-gateway-tmux-'));
  const configuration = join(folder, 'tmux.conf');
  await writeFile(configuration, 'set -g remain-on-exit on\nset -g remain-on-exit-format ""\nset -g status off\n');
  const tmux = async (...more: string[]): Promise<string> => {
    const { stdout } = await execute('tmux', ['-u', '-S', join(folder, 'socket'), '-f', configuration, ...more]);
    return stdout;
  };
  const variables = { PATH: process.env['PATH'], TERM: 'xterm-256color', LANG: 'C.UTF-8', ...settings };
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const size = ['-x', String(columns), '-y', String(rows)];
  const program = ['env', '-i', ...assignments, process.execPath, command, ...args];
  await tmux('new-session', '-d', ...size, ...program);
  const capture = async (...more: string[]): Promise<string> =>
    (await tmux('capture-pane', '-p', ...more))
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n')
      .trimEnd();
  return {
    screen: () => capture(),
    unwrapped: () => capture('-J'),
    type: async (keys) => void (await tmux('send-keys', keys)),
    async ended() {
      await until(
        `${args.join(' ')} has ended`,
        async () => (await tmux('display', '-p', '#{pane_dead}')) === '1\n',
        20_000,
      );
      return capture();
    },
    async close() {
      await tmux('kill-server');
      await rm(folder, { recursive: true });
    },
  };
};
