import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { freePort } from '../../test/support/ports.ts';
import { stopWithRow } from '../process/started.ts';
import { type Collections, createCommands } from './commands.ts';
import { type Raw, rawOf } from './raw.ts';
import { createReader, type Question, writeAnswer } from './wire.ts';

/**
 * Stands in for MongoDB: the gateway's real driver asks it over the wire, and it answers what the gateway asks at once,
 * out of memory. So what is measured is the gateway and not a database. It runs in the bench's own process, off the core
 * of what is measured, and is no mongod: where a real one is slower, so is the start and a refresh.
 */
export const startStandIn = async (collections: Collections): Promise<string> => {
  for (const document of [...collections.values()].flat()) rawOf(document); // beforehand: nobody is to wait for that
  const perform = createCommands(collections); // a cursor is read on over whatever connection is free
  const server = createServer((socket: Socket) => {
    const read = createReader();
    const answer = ({ command }: Question): Raw => {
      try {
        return perform(command);
      } catch (failure) {
        // A refusal, as MongoDB says it: the gateway's log then tells which question was not understood.
        return rawOf({ ok: 0, code: 59, codeName: 'CommandNotFound', errmsg: String(failure) });
      }
    };
    socket.on('data', (bytes) => {
      for (const question of read(bytes)) socket.write(writeAnswer(question, answer(question)));
    });
    socket.on('error', () => {}); // the gateway was stopped
  });
  stopWithRow(() => new Promise((resolve) => server.close(() => resolve())));
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return `mongodb://127.0.0.1:${port}/bench?directConnection=true`;
};
