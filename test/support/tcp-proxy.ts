import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy on loopback that holds, delays or resets the traffic between a client and a server. */
export interface TcpProxy {
  readonly port: number;
  /** Stops forwarding in both directions without losing bytes, like a network partition. */
  hold(): void;
  /** Forwards the held bytes, in order. */
  release(): void;
  /** Delays every chunk from the server; 0 for no delay. */
  delay(milliseconds: number | (() => number)): void;
  /** Changes every chunk from the server, to a chunk of the same length. */
  rewrite(change: (chunk: Buffer) => Buffer): void;
  /** Resets every open connection; new ones are accepted. */
  reset(): void;
  close(): Promise<void>;
}

/** Writes chunks in order, each when its delay is over and the pipe is not held. */
class Pipe {
  private readonly waiting: { readonly due: number; readonly chunk: Buffer }[] = [];
  private readonly target: Socket;
  private isHeld: boolean;

  constructor(target: Socket, isHeld: boolean) {
    this.target = target;
    this.isHeld = isHeld;
  }

  push(chunk: Buffer, delay: number): void {
    const last = this.waiting.at(-1)?.due ?? 0;
    this.waiting.push({ due: Math.max(last, performance.now() + delay), chunk });
    if (delay === 0) this.flush();
    else setTimeout(() => this.flush(), delay + 1);
  }

  hold(isHeld: boolean): void {
    this.isHeld = isHeld;
    this.flush();
  }

  private flush(): void {
    while (!this.isHeld) {
      const [first] = this.waiting;
      if (first === undefined) return;
      if (first.due > performance.now()) {
        setTimeout(() => this.flush(), first.due - performance.now() + 1);
        return;
      }
      this.waiting.shift();
      if (this.target.writable) this.target.write(first.chunk);
    }
  }
}

/** Starts a proxy to a port on loopback. */
export const startTcpProxy = async (serverPort: number): Promise<TcpProxy> => {
  const sockets = new Set<Socket>();
  const pipes = new Set<Pipe>();
  let isHeld = false;
  let delayOf = (): number => 0;
  let change = (chunk: Buffer): Buffer => chunk;

  const join = (from: Socket, to: Socket, delay: () => number, changed: (chunk: Buffer) => Buffer): void => {
    const pipe = new Pipe(to, isHeld);
    pipes.add(pipe);
    sockets.add(from.unref());
    from.on('data', (chunk) => pipe.push(changed(chunk), delay()));
    from.on('error', () => {}); // a reset connection is what this proxy is for
    from.on('close', () => {
      sockets.delete(from);
      pipes.delete(pipe);
      to.destroy();
    });
  };

  const server = createServer((client) => {
    const upstream = connect(serverPort, '127.0.0.1');
    client.on('data', () => {});
    join(
      client,
      upstream,
      () => 0,
      (chunk) => chunk,
    );
    join(
      upstream,
      client,
      () => delayOf(),
      (chunk) => change(chunk),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Like the servers behind it, it does not keep a test run from ending when another part of a group failed to start.
  server.unref();

  const holdAll = (held: boolean): void => {
    isHeld = held;
    for (const pipe of pipes) pipe.hold(held);
  };

  return {
    port: (server.address() as AddressInfo).port, // a TCP address is never a string
    hold: () => holdAll(true),
    release: () => holdAll(false),
    delay(milliseconds) {
      delayOf = typeof milliseconds === 'number' ? () => milliseconds : milliseconds;
    },
    rewrite(rewritten) {
      change = rewritten;
    },
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
