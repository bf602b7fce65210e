import type { Writable } from 'node:stream';
import { type LevelWithSilent, pino } from 'pino';
import { Problem } from '../../src/domain/problem.ts';
import { redactKeyTexts } from '../../src/keys/key-format.ts';
import type { Log } from '../../src/ports.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { createOutageFilter } from './outage-filter.ts';

// The buffer is our own. With sonic-boom (`sync: false`, `maxLength`: 1 MB) a blocked write in the
// thread pool kept the process from exiting when the reader was stuck, and of 500 lines lost on a
// full disk 46 were counted (test/faults/log-sink.test.ts).

/**
 * The gateway's log. Logging never blocks requests: lines that do not fit the buffer are dropped.
 */
export interface GatewayLog extends Log {
  /** Lines dropped because the buffer was full or writing failed. */
  droppedLines(): number;
  /** Waits until all lines so far are written, at most `withinMs` milliseconds. */
  flush(withinMs: number): Promise<void>;
}

/** A standard stream, which may be a terminal. */
export type LogStream = Writable & { readonly isTTY?: boolean };

/** Maximum bytes buffered for a slow reader. Further lines are dropped and counted. */
const maxBufferedBytes = 1024 * 1024;

/**
 * Escapes DEL and C1 control characters, which JSON may contain: `U+009B` starts a terminal
 * command.
 */
const escapeControls = (line: string): string =>
  line.replace(/[\x7f-\x9f]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);

const codeOf = (error: Error): object =>
  'code' in error && typeof error.code === 'string' ? { code: error.code } : {};

/**
 * Serialises an error and up to three causes. Leaves out other fields, because drivers keep
 * commands and addresses there. Only bugs have a stack; elsewhere it adds nothing to the message.
 */
const describeError = (thrown: unknown, depth = 0): unknown => {
  if (!(thrown instanceof Error)) return String(thrown);
  const isExpected = thrown instanceof Problem && thrown.kind !== 'bug';
  return {
    type: thrown.name,
    message: thrown.message,
    ...codeOf(thrown),
    ...(!isExpected && depth === 0 && { stack: thrown.stack }),
    ...(thrown.cause !== undefined &&
      depth < 3 && { cause: describeError(thrown.cause, isExpected ? depth + 1 : 0) }),
  };
};

const createFormat = async ({ isTTY }: LogStream): Promise<(line: string) => string> => {
  // An optional package. Without it, as in the image, JSON is written on a terminal too.
  const pretty = isTTY === true ? await import('pino-pretty').catch(() => undefined) : undefined;
  if (pretty === undefined) return (line) => line;
  return pretty.prettyFactory({
    colorize: true,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss.l',
  });
};

/**
 * Opens a log that writes one JSON line per event, or readable lines if the stream is a terminal.
 */
export const openLog = async (
  level: LevelWithSilent,
  stream: LogStream = process.stdout,
): Promise<GatewayLog> => {
  const format = await createFormat(stream);
  let dropped = 0;
  let pending: string[] = [];
  let pendingLength = 0;
  /**
   * Writes the lines of one turn of the event loop together: each write is a system call, which
   * often blocks.
   */
  const writePending = (): void => {
    const lines = pending;
    pending = [];
    pendingLength = 0;
    if (lines.length === 0) return;
    stream.write(lines.join(''), (failure) => {
      if (failure) dropped += lines.length;
    });
  };
  // On a full disk or without a reader the gateway continues, and the write above counts each lost
  // line. This removes the program's listener, which would end the process.
  stream.removeAllListeners('error').on('error', () => {});
  const write = (line: string): void => {
    if (stream.writableLength + pendingLength + line.length > maxBufferedBytes) {
      dropped += 1;
      return;
    }
    if (pending.length === 0) setImmediate(writePending);
    // A last defence: facts must not contain keys.
    pending.push(escapeControls(format(redactKeyTexts(line))));
    pendingLength += line.length;
  };
  const withoutRepeats = createOutageFilter(systemClock());
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (thrown: unknown) => describeError(thrown) },
      hooks: {
        logMethod([facts, event], method) {
          const shown = withoutRepeats(facts);
          if (shown !== undefined) method.call(this, shown, event);
        },
      },
    },
    { write },
  );
  return Object.assign(log, {
    droppedLines: () => dropped,
    flush: (withinMs: number): Promise<void> =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, withinMs);
        writePending();
        stream.write('', () => {
          clearTimeout(timer);
          resolve();
        });
      }),
  });
};
