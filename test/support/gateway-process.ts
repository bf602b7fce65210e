import { spawn } from 'node:child_process';
import { Agent, type IncomingHttpHeaders } from 'node:http';
import { createInterface } from 'node:readline';
import { killWithTests } from './child-process.ts';
import { builtCommand } from './cli/run.ts';
import { expectContract } from './contract.ts';
import { freePort } from './ports.ts';
import { sendRaw } from './raw.ts';
import { until } from './wait.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Milliseconds from the request to the last byte. */
  readonly ms: number;
}

/** A client that keeps its connections. */
export const createClient = (maxSockets = 64) => {
  const agent = new Agent({ keepAlive: true, maxSockets });
  return {
    /** A GET; rejects when the connection fails. */
    async get(url: string, headers: Record<string, string> = {}): Promise<Answer> {
      const { port, pathname, search } = new URL(url);
      const startedAt = performance.now();
      const reply = await sendRaw(Number(port), { path: pathname + search, headers }, agent);
      return {
        status: reply.status,
        headers: reply.headers,
        body: reply.text,
        ms: performance.now() - startedAt,
      };
    },
    end: () => agent.destroy(),
  };
};

/**
 * No operations port, since many run at once, and a short grace period, since no load balancer
 * watches them.
 */
const defaults = {
  PORT: '0',
  OPERATIONS_PORT: '0',
  SHUTDOWN_GRACE_SECONDS: '0.2',
  LOG_LEVEL: 'info',
};

interface LaunchOptions {
  /**
   * A file descriptor for the log. Set `PORT` too: the log is not read, so neither is the port it
   * names.
   */
  readonly stdout?: number;
  /**
   * The command of an installed gateway and its arguments. Default: the output of `npm run build`.
   */
  readonly command?: readonly string[];
  readonly cwd?: string;
}

/**
 * Starts the compiled gateway in a process of its own, on a free loopback port, with these settings
 * (`OPERATIONS_PORT` may be `free`) and defaults for the rest. Run `npm run build` first.
 */
export const startGatewayProcess = async (
  settings: Record<string, string>,
  {
    stdout,
    cwd,
    command = [process.execPath, '--enable-source-maps', builtCommand(), 'serve'],
  }: LaunchOptions = {},
) => {
  const env = { PATH: process.env['PATH'], ...defaults, ...settings };
  if (env.OPERATIONS_PORT === 'free') env.OPERATIONS_PORT = String(await freePort());
  const [program = '', ...args] = command;
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', stdout ?? 'pipe', 'pipe'] });
  killWithTests(child);
  /** Resolves when it has ended. */
  const exit = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  );
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  /** The lines it wrote to stdout and stderr. */
  const lines: string[] = [];
  let url = stdout === undefined ? undefined : `http://127.0.0.1:${env.PORT}`;
  for (const input of [child.stdout, child.stderr]) {
    if (input === null) continue;
    createInterface({ input }).on('line', (line) => {
      lines.push(line);
      url ??= /"url":"([^"]+)"/.exec(line)?.[1];
    });
  }
  const client = createClient();
  await until('the gateway listens or has ended', async () => {
    if (!isAlive()) return true;
    return url !== undefined && (await client.get(`${url}/api/v1/health`)).status === 200;
  });
  const { pid } = child;
  if (pid === undefined || url === undefined || !isAlive())
    throw new Error(
      `the gateway ended before it listened, with ${child.exitCode}:\n${lines.join('\n')}`,
    );
  const base = url;

  return {
    url: base,
    pid,
    lines,
    exit,
    isAlive,
    /**
     * Sends a GET with a key's text; rejects when the connection fails, and when the response
     * violates its contract.
     */
    async get(path: string, key?: string, headers: Record<string, string> = {}): Promise<Answer> {
      const authorization = key === undefined ? {} : { Authorization: `Bearer ${key}` };
      const answer = await client.get(`${base}${path}`, { ...headers, ...authorization });
      expectContract(path, { ...answer, text: answer.body });
      return answer;
    },
    /** The reply of `/ready`, on its operations port. */
    ready: () => client.get(`http://127.0.0.1:${env.OPERATIONS_PORT}/ready`),
    /** The value of a metric; `NaN` when the page does not have it. */
    async metric(name: string): Promise<number> {
      const { body } = await client.get(`http://127.0.0.1:${env.OPERATIONS_PORT}/metrics`);
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(body)?.[1]);
    },
    /** True if one log line has all of these texts. */
    hasLogged: (...texts: readonly string[]) =>
      lines.some((line) => texts.every((text) => line.includes(text))),
    signal: (name: NodeJS.Signals) => void child.kill(name),
    async stop() {
      client.end();
      if (!isAlive()) return;
      child.kill('SIGTERM');
      await exit;
    },
  };
};

export type GatewayProcess = Awaited<ReturnType<typeof startGatewayProcess>>;
