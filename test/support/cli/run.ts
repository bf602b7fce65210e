import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const built = fileURLToPath(new URL('../../../dist/tools/cli/artist-gateway.js', import.meta.url));

/** The built command. Throws, with what to do, when it was not built. */
export const builtCommand = (): string => {
  if (existsSync(built)) return built;
  throw new Error('The built command is missing: run "npm run build" first.');
};

/** Exit code and output of a command. */
export interface CommandResult {
  /** `undefined` when it was killed. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Environment variables of a command. It inherits only `PATH`. */
export type Settings = Readonly<Record<string, string>>;

interface Watch {
  /** Another program than the built command. */
  readonly program?: string;
  /** Called with each chunk of standard error. */
  readonly onStderr?: (text: string, child: ChildProcess) => void;
}

/**
 * Runs the built command in a process of its own, with its output in pipes. Run `npm run build`
 * first.
 */
export const run = (
  settings: Settings,
  args: readonly string[],
  { onStderr, program = builtCommand() }: Watch = {},
): Promise<CommandResult> =>
  new Promise((resolve, reject) => {
    const env = { PATH: process.env['PATH'], ...settings };
    const child = spawn(process.execPath, [program, ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output.stderr += text;
      onStderr?.(text, child);
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? undefined, ...output }));
  });
