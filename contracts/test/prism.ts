import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endProcess, killWithTests } from '../../test/support/child-process.ts';
import type { Cleanup } from '../../test/support/cleanup.ts';
import { forward, openLocalServer } from '../../test/support/partners/local-server.ts';
import { freePort } from '../../test/support/ports.ts';
import { until } from '../../test/support/wait.ts';

const prism = fileURLToPath(new URL('../node_modules/.bin/prism', import.meta.url));

/**
 * A relay to a gateway that a test may exchange, since Prism keeps the address it was started with.
 */
export interface Relay {
  readonly url: string;
  /** The port of the gateway. */
  gatewayPort: number;
}

export const openRelay = async (cleanup: Cleanup): Promise<Relay> => {
  const to = { gatewayPort: 0 };
  const server = await openLocalServer(cleanup, (incoming, outgoing) => {
    forward(to.gatewayPort, incoming).then(
      ({ status, rawHeaders, body }) => outgoing.writeHead(status, [...rawHeaders]).end(body),
      () => outgoing.destroy(), // before there is a gateway
    );
  });
  return Object.assign(to, server);
};

export interface Prism {
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Starts Prism as a proxy that validates every response against a contract, and forwards invalid
 * requests.
 */
export const startPrism = async (contract: object, upstream: string): Promise<Prism> => {
  const folder = mkdtempSync(join(tmpdir(), 'prism-'));
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(contract));
  const port = await freePort();
  const options = [
    '--host=127.0.0.1',
    `--port=${port}`,
    '--validate-request=false',
    '--verboseLevel=silent',
  ];
  const child = spawn(prism, ['proxy', file, upstream, ...options], { stdio: 'ignore' });
  killWithTests(child);
  await until('Prism answers', async () => (await fetch(`http://127.0.0.1:${port}/`)).status > 0);
  return {
    port,
    async stop() {
      await endProcess(child, 'SIGTERM');
      rmSync(folder, { recursive: true });
    },
  };
};
