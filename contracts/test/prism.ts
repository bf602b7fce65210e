import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as openRequest, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const prism = fileURLToPath(new URL('../node_modules/.bin/prism', import.meta.url));

/** A relay to a gateway that a test may exchange, since Prism keeps the address it was started with. */
export interface Relay {
  port: number;
  /** The port of the gateway. */
  gatewayPort: number;
  close(): void;
}

const listen = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port; // a TCP address is never a string
};

export const openRelay = async (): Promise<Relay> => {
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const outgoingRequest = openRequest(
      { host: '127.0.0.1', port: relay.gatewayPort, method, path: url, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(outgoing);
      },
    );
    outgoingRequest.on('error', () => outgoing.destroy());
    incoming.pipe(outgoingRequest);
  });
  const relay: Relay = { port: 0, gatewayPort: 0, close: () => server.close() };
  relay.port = await listen(server);
  return relay;
};

const freePort = async (): Promise<number> => {
  const server = createServer();
  const port = await listen(server);
  server.close();
  await once(server, 'close');
  return port;
};

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

export interface Prism {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts Prism as a proxy that validates every response against a contract, and forwards invalid requests. */
export const startPrism = async (contract: object, gatewayPort: number): Promise<Prism> => {
  const folder = mkdtempSync(join(tmpdir(), 'prism-'));
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(contract));
  const port = await freePort();
  const upstream = `http://127.0.0.1:${gatewayPort}`;
  const options = [
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--validate-request=false',
    '--verboseLevel',
    'silent',
  ];
  const child = spawn(prism, ['proxy', file, upstream, ...options], { stdio: 'ignore' });
  const gone = once(child, 'exit');
  const endWithTest = () => child.kill('SIGKILL');
  process.once('exit', endWithTest);
  for (let tries = 0; tries < 300 && !(await accepts(port)); tries++) await wait(100);
  return {
    port,
    async stop() {
      process.off('exit', endWithTest);
      child.kill('SIGTERM');
      await gone;
      rmSync(folder, { recursive: true });
    },
  };
};
