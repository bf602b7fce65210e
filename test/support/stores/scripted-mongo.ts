import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { BSON } from 'mongodb';

const headerLength = 16;
const opQuery = 2004;
const opReply = 1;
const opMsg = 2013;

/** A command as a client sent it: its first member is its name. */
export type Command = Readonly<Record<string, unknown>>;

/** What the server replies; `undefined`: nothing, for ever. */
export type Reply = Readonly<Record<string, unknown>> | undefined;

const readCommand = (message: Buffer): { readonly isMsg: boolean; readonly command: Command } => {
  const isMsg = message.readInt32LE(12) === opMsg;
  // flags and the kind of the section; or flags, the name of the collection and two numbers
  const start = isMsg ? headerLength + 5 : message.indexOf(0, headerLength + 4) + 9;
  const length = message.readInt32LE(start);
  return { isMsg, command: BSON.deserialize(message.subarray(start, start + length)) };
};

const frame = (request: Buffer, isMsg: boolean, reply: NonNullable<Reply>): Buffer => {
  const body = BSON.serialize({ ok: 1, ...reply });
  const before = Buffer.alloc(headerLength + (isMsg ? 5 : 20));
  before.writeInt32LE(before.length + body.length, 0);
  before.writeInt32LE(request.readInt32LE(4), 8);
  before.writeInt32LE(isMsg ? opMsg : opReply, 12);
  if (!isMsg) before.writeInt32LE(1, headerLength + 16); // one document
  return Buffer.concat([before, body]);
};

/** What a server says of itself, as MongoDB 8 does. */
const hello = (port: number): NonNullable<Reply> => ({
  isWritablePrimary: true,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  localTime: new Date(),
  minWireVersion: 0,
  maxWireVersion: 25,
  me: `127.0.0.1:${port}`,
});

/**
 * Starts a server that speaks MongoDB's wire protocol and replies as a test says: to the handshake
 * with `self` beside what any server says, to other commands what `reply` returns.
 */
export const startScriptedMongo = async (
  self: Readonly<Record<string, unknown>> = {},
  reply: (name: string, command: Command) => Reply = () => ({}),
) => {
  const sockets = new Set<Socket>();
  const commands: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      // mongod closes a connection that speaks TLS to it
      if (received.length >= headerLength && ![opMsg, opQuery].includes(received.readInt32LE(12)))
        socket.destroy();
      while (
        !socket.destroyed &&
        received.length >= 4 &&
        received.length >= received.readInt32LE(0)
      ) {
        const message = received.subarray(0, received.readInt32LE(0));
        received = received.subarray(message.length);
        const { isMsg, command } = readCommand(message);
        const [name = ''] = Object.keys(command);
        const isHello = ['hello', 'ismaster', 'isMaster'].includes(name);
        if (!isHello) commands.push(name);
        const { port } = address();
        const answer = isHello ? { ...hello(port), ...self } : reply(name, command);
        if (answer !== undefined) socket.write(frame(message, isMsg, answer));
      }
    });
  });
  const address = () => {
    const found = server.address();
    if (typeof found !== 'object' || found === null) throw new Error('The server does not listen.');
    return found;
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = address();
  return {
    port,
    /** The names of the commands that it was sent, but for handshakes. */
    commands,
    async stop(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
