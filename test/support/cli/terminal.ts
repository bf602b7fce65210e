import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { longestWaitMs } from '../wait.ts';
import { builtCommand, type Settings } from './run.ts';

const execute = promisify(execFile);

interface Size {
  readonly columns: number;
  readonly rows?: number;
}

/**
 * What sets the title after a command: all that it wrote is on the screen then, and the channel
 * `ended` is signalled.
 */
const mark = '\u001b]2;ended\u0007';
const configuration = 'set -g status off\nset-hook -g pane-title-changed "wait-for -S ended"\n';

/** Runs its arguments, sets the title and stays. */
const runAndMark = ['sh', '-c', `"$@"; printf '${mark}'; exec cat >/dev/null`, 'sh'];

/** A tmux server with one pane that runs a program of Node. */
const startTmux = async (
  settings: Settings,
  args: readonly string[],
  { columns, rows = 200 }: Size,
) => {
  const folder = await mkdtemp(join(tmpdir(), 'artist-gateway-tmux-'));
  const file = join(folder, 'tmux.conf');
  await writeFile(file, configuration);
  const tmux = async (...more: string[]): Promise<string> => {
    const prefix = ['-u', '-S', join(folder, 'socket'), '-f', file];
    return (
      await execute('tmux', [...prefix, ...more], { timeout: longestWaitMs, killSignal: 'SIGKILL' })
    ).stdout;
  };
  const variables = {
    PATH: process.env['PATH'],
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    ...settings,
  };
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const size = ['-x', String(columns), '-y', String(rows)];
  await tmux(
    'new-session',
    '-d',
    ...size,
    'env',
    '-i',
    ...assignments,
    ...runAndMark,
    process.execPath,
    ...args,
  );
  const capture = async (...more: string[]): Promise<string> =>
    (await tmux('capture-pane', '-p', ...more))
      .split('\n')
      .map((line) => line.trimEnd())
      .join('\n')
      .trimEnd();
  /** The visible lines, without trailing blank ones. */
  const screen = () => capture();
  return {
    tmux,
    screen,
    /** The same, with the lines that the terminal had to wrap joined again. */
    unwrapped: () => capture('-J'),
    /** Resolves to the screen when the command has ended. */
    async ended() {
      await tmux('wait-for', 'ended');
      return screen();
    },
    async close() {
      await tmux('kill-server');
      await rm(folder, { recursive: true });
    },
  };
};

/** Runs the built command in a terminal with this many columns. Needs tmux. */
export const openTerminal = async (settings: Settings, args: readonly string[], size: Size) => {
  const { tmux, ...shown } = await startTmux(settings, [builtCommand(), ...args], size);
  return { ...shown, type: async (keys: string) => void (await tmux('send-keys', keys)) };
};

export type Terminal = Awaited<ReturnType<typeof openTerminal>>;
