import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * Starts a TCP proxy on loopback that holds, delays or resets the traffic between a client and a
 * server.
 */
export const startTcpProxy = async (serverPort: number) => {
  const sockets = new Set<Socket>();
  let delayMs = 0;
  let requestDelay = (_chunk: Buffer): number => 0;
  let change = (chunk: Buffer): Buffer => chunk;
  /** Resolves when nothing is held any more. */
  let gate = Promise.resolve();
  let open: (() => void) | undefined;

  /** Writes chunks in order, each when its delay is over and nothing is held. */
  const join = (
    from: Socket,
    to: Socket,
    receive: (chunk: Buffer) => readonly [chunk: Buffer, delay: number],
  ): void => {
    let last: Promise<unknown> = gate;
    sockets.add(from.unref());
    from.on('data', (received) => {
      const [chunk, delay] = receive(received);
      const due = delay === 0 ? undefined : wait(delay, undefined, { ref: false });
      last = Promise.all([last, due])
        .then(() => gate)
        .then(() => to.writable && to.write(chunk));
    });
    from.on('error', () => {}); // a reset connection is what this proxy is for
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  };

  const server = createServer((client) => {
    const upstream = connect(serverPort, '127.0.0.1');
    join(client, upstream, (chunk) => [chunk, requestDelay(chunk)]);
    join(upstream, client, (chunk) => [change(chunk), delayMs]);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Like the servers behind it, it does not keep a test run from ending when another part of a
  // group failed to start.
  server.unref();

  return {
    port: (server.address() as AddressInfo).port, // a TCP address is never a string
    /** Stops forwarding in both directions without losing bytes, like a network partition. */
    hold() {
      if (open !== undefined) return;
      gate = new Promise((resolve) => {
        open = resolve;
      });
    },
    /** Forwards the held bytes, in order. */
    release() {
      open?.();
      open = undefined;
    },
    /** Delays every chunk from the server; 0 for no delay. */
    delay(milliseconds: number) {
      delayMs = milliseconds;
    },
    /** Delays chunks from the client, each by the milliseconds that are given for it. */
    delayRequests(delayOf: typeof requestDelay) {
      requestDelay = delayOf;
    },
    /** Changes every chunk from the server, to a chunk of the same length. */
    rewrite(rewritten: typeof change) {
      change = rewritten;
    },
    /** Resets every open connection; new ones are accepted. */
    reset() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
};

export type TcpProxy = Awaited<ReturnType<typeof startTcpProxy>>;
