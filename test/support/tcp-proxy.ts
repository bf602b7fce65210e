import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy on loopback between a client and a server, at whose will the bytes flow. */
export interface TcpProxy {
  readonly port: number;
  /** Keeps bytes of both directions back; nothing is lost, as on a network that is cut and mended. */
  hold(): void;
  /** Lets the bytes that were kept back go on, in order. */
  release(): void;
  /** Delays every piece from the server by so many milliseconds; 0 for none. */
  delay(milliseconds: number | (() => number)): void;
  /** In how many pieces clients' bytes have come so far. */
  pieces(): number;
  /** Resets every connection there is; new ones are taken. */
  reset(): void;
  close(): Promise<void>;
}

/** Writes pieces in order, each when its time has come and nothing is held. */
class Pipe {
  private readonly waiting: { readonly due: number; readonly piece: Buffer }[] = [];
  private readonly target: Socket;
  private isHeld: boolean;

  constructor(target: Socket, isHeld: boolean) {
    this.target = target;
    this.isHeld = isHeld;
  }

  push(piece: Buffer, delay: number): void {
    const last = this.waiting.at(-1)?.due ?? 0;
    this.waiting.push({ due: Math.max(last, performance.now() + delay), piece });
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
      if (this.target.writable) this.target.write(first.piece);
    }
  }
}

/** Starts a proxy to a port on loopback. */
export const startTcpProxy = async (serverPort: number): Promise<TcpProxy> => {
  const sockets = new Set<Socket>();
  const pipes = new Set<Pipe>();
  let isHeld = false;
  let delayOf = (): number => 0;
  let pieces = 0;

  const join = (from: Socket, to: Socket, delay: () => number): void => {
    const pipe = new Pipe(to, isHeld);
    pipes.add(pipe);
    sockets.add(from);
    from.on('data', (piece) => pipe.push(piece, delay()));
    from.on('error', () => {}); // a reset connection is what this proxy is for
    from.on('close', () => {
      sockets.delete(from);
      pipes.delete(pipe);
      to.destroy();
    });
  };

  const server = createServer((client) => {
    const upstream = connect(serverPort, '127.0.0.1');
    client.on('data', () => {
      pieces += 1;
    });
    join(client, upstream, () => 0);
    join(upstream, client, () => delayOf());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const holdAll = (held: boolean): void => {
    isHeld = held;
    for (const pipe of pipes) pipe.hold(held);
  };

  return {
    port: (server.address() as AddressInfo).port, // TCP: never a text
    hold: () => holdAll(true),
    release: () => holdAll(false),
    delay(milliseconds) {
      delayOf = typeof milliseconds === 'number' ? () => milliseconds : milliseconds;
    },
    pieces: () => pieces,
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
