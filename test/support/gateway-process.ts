import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expectContract } from './contract.ts';

const command = fileURLToPath(new URL('../../dist/src/cli/artist-gateway.js', import.meta.url));

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Milliseconds from the request to the last byte. */
  readonly ms: number;
}

/** The gateway as it is shipped: compiled, in a process of its own, on a free loopback port. */
export interface GatewayProcess {
  readonly url: string;
  /** Everything it wrote, line by line. */
  readonly lines: readonly string[];
  /** A GET; rejects when the connection fails, and when the response is not as its contract says. */
  get(path: string, key?: string, headers?: Record<string, string>): Promise<Answer>;
  /** Whether it still runs. */
  isAlive(): boolean;
  stop(): Promise<void>;
}

/** Starts a gateway with these settings; everything else is as it comes. Run `npm run build` first. */
export const startGatewayProcess = async (settings: Record<string, string>): Promise<GatewayProcess> => {
  const env = { PATH: process.env['PATH'], PORT: '0', LOG_LEVEL: 'info', ...settings };
  const child = spawn(process.execPath, ['--enable-source-maps', command, 'serve'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const endWithTest = () => child.kill('SIGKILL');
  process.once('exit', endWithTest);
  child.once('exit', () => process.off('exit', endWithTest));
  const lines: string[] = [];
  const listening = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        const url = /"url":"([^"]+)"/.exec(line)?.[1];
        if (url !== undefined) resolve(url);
      });
    }
    child.once('exit', () => reject(new Error(`the gateway ended before it listened:\n${lines.join('\n')}`)));
  });
  const url = await listening;
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const isAlive = () => child.exitCode === null && child.signalCode === null;

  return {
    url,
    lines,
    isAlive,
    get: (path, key, headers = {}) =>
      new Promise((resolve, reject) => {
        const started = performance.now();
        const authorization = key === undefined ? {} : { Authorization: `Bearer ${key}` };
        const sent = request(
          `${url}${path}`,
          { agent, headers: { ...headers, ...authorization } },
          async (response) => {
            response.setEncoding('utf8');
            let body = '';
            response.on('data', (piece: string) => {
              body += piece;
            });
            response.on('error', reject);
            response.on('end', () => {
              const { statusCode = 0, headers: received } = response;
              try {
                expectContract(path, { status: statusCode, headers: received, text: body });
              } catch (broken) {
                return reject(broken);
              }
              resolve({ status: statusCode, headers: received, body, ms: performance.now() - started });
            });
          },
        );
        sent.on('error', reject);
        sent.end();
      }),
    async stop() {
      agent.destroy();
      if (!isAlive()) return;
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    },
  };
};
