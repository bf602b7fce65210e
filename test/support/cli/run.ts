import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const command = fileURLToPath(new URL('../../../dist/adapters/cli/artist-gateway.js', import.meta.url));

/** What a command said and how it ended. */
export interface Ran {
  /** `undefined` when it was killed. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Settings of a command; it gets nothing else of this process but where programs are. */
export type Settings = Readonly<Record<string, string>>;

interface Watch {
  /** Called with every piece of standard error. */
  readonly onStderr?: (text: string, child: ChildProcess) => void;
}

/** Runs the command as it is shipped, compiled and in a process of its own, in a pipe. Run `npm run build` first. */
export const run = (settings: Settings, args: readonly string[], { onStderr }: Watch = {}): Promise<Ran> => {
  if (!existsSync(command)) throw new Error('The commands are tested as they are built: run "npm run build" first.');
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env['PATH'], ...settings };
    const child = spawn(process.execPath, [command, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const said = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said.stderr += text;
      onStderr?.(text, child);
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? undefined, ...said }));
  });
};
