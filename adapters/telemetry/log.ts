import type { Writable } from 'node:stream';
import { type LevelWithSilent, pino } from 'pino';
import { Problem } from '../../src/domain/problem.ts';
import type { Log } from '../../src/ports.ts';

/** The gateway's log. A reader that does not read costs lines, never a request. */
export interface GatewayLog extends Log {
  /** Lines that were lost: there was no room, or they could not be written. */
  droppedLines(): number;
  /** Until what was logged so far has been written, or some milliseconds have passed. */
  flush(withinMs: number): Promise<void>;
}

/** Where lines go: a standard stream, which may be a terminal. */
export type LogStream = Writable & { readonly isTTY?: boolean };

/** Bytes that may wait for a reader; a line that finds no room is dropped and counted. */
const roomBytes = 1024 * 1024;

/** What looks like a key is struck out, wherever it came from: the last line of defence, not the first. */
const strikeOut = (line: string): string =>
  line.includes('aik_') ? line.replace(/aik_[0-9A-Za-z]+_[0-9A-Za-z]+/g, 'aik_[struck out]') : line;

const codeOf = (error: Error): object =>
  'code' in error && typeof error.code === 'string' ? { code: error.code } : {};

/**
 * An error as the log tells it: not its own members, for drivers keep commands and addresses there. Of problems that are no
 * bug the stack says nothing that the message does not.
 */
const describeError = (thrown: unknown, depth = 0): unknown => {
  if (!(thrown instanceof Error)) return String(thrown);
  const isExpected = thrown instanceof Problem && thrown.kind !== 'bug';
  return {
    type: thrown.name,
    message: thrown.message,
    ...codeOf(thrown),
    ...(!isExpected && depth === 0 && { stack: thrown.stack }),
    ...(thrown.cause !== undefined && depth < 3 && { cause: describeError(thrown.cause, isExpected ? depth + 1 : 0) }),
  };
};

const plainOrPretty = async ({ isTTY }: LogStream): Promise<(line: string) => string> => {
  if (isTTY !== true) return (line) => line;
  const { prettyFactory } = await import('pino-pretty');
  return prettyFactory({ colorize: true, singleLine: true, translateTime: 'SYS:HH:MM:ss.l' });
};

/** A log of one JSON line per event, or of lines for people when the stream is a terminal. */
export const openLog = async (level: LevelWithSilent, stream: LogStream = process.stdout): Promise<GatewayLog> => {
  const format = await plainOrPretty(stream);
  let dropped = 0;
  let waiting: string[] = [];
  let waitingLength = 0;
  /** Lines of one turn of the event loop are written together: to write is a system call, and often a blocking one. */
  const writeWaiting = (): void => {
    const lines = waiting;
    waiting = [];
    waitingLength = 0;
    if (lines.length === 0) return;
    stream.write(lines.join(''), (failure) => {
      if (failure) dropped += lines.length;
    });
  };
  // A full disk, a reader that is gone: each lost line is counted where it is written. A command may end over that, and the
  // program listens for it; a gateway goes on.
  stream.removeAllListeners('error').on('error', () => {});
  const write = (line: string): void => {
    if (stream.writableLength + waitingLength + line.length > roomBytes) {
      dropped += 1;
      return;
    }
    if (waiting.length === 0) setImmediate(writeWaiting);
    waiting.push(format(strikeOut(line)));
    waitingLength += line.length;
  };
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (thrown: unknown) => describeError(thrown) },
    },
    { write },
  );
  return Object.assign(log, {
    droppedLines: () => dropped,
    flush: (withinMs: number): Promise<void> =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, withinMs);
        writeWaiting();
        stream.write('', () => {
          clearTimeout(timer);
          resolve();
        });
      }),
  });
};
