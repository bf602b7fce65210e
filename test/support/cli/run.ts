import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const built = join(root, 'dist/tools/cli/artist-gateway.js');

/** The first source file that is newer than the build. */
const newerSource = (): string | undefined => {
  const builtAt = statSync(built).mtimeMs;
  return ['src', 'adapters', 'tools']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
        join(folder, file),
      ),
    )
    .find((file) => file.endsWith('.ts') && statSync(join(root, file)).mtimeMs > builtAt);
};
let isChecked = false;

/** The built command. Throws if it is missing or older than its sources. */
export const builtCommand = (): string => {
  const stale = existsSync(built) && !isChecked ? newerSource() : undefined;
  if (stale !== undefined) throw new Error(`${stale} is newer than dist: run "npm run build".`);
  isChecked = existsSync(built);
  if (isChecked) return built;
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
