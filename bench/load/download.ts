import { connect } from 'node:net';
import { lastChunk, prepare } from './connection.ts';

/** The most bytes of the first read that are looked at for the head. */
const maxHeadLength = 4_096;

const endOfHead = '\r\n\r\n';

/** All downloads read into the same bytes: garbage of half a gigabyte would keep the probe's core busy. */
const shared = Buffer.allocUnsafe(64 * 1024);

/**
 * Reads an answer of 200 to its end, at most `bytesPerMs`, without keeping it. Gives its bytes (with the framing of chunks), and
 * whether its length was announced: then the server had all of it. Rejects when it is cut short.
 */
export const download = (
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
  bytesPerMs = Number.POSITIVE_INFINITY,
): Promise<{ readonly bytes: number; readonly announced: boolean }> =>
  new Promise((resolve, reject) => {
    let [bytes, begin, head, tail] = [0, 0, '', ''];
    const read = (length: number): boolean => {
      if (head === '') {
        begin = performance.now();
        head = shared.toString('latin1', 0, Math.min(length, maxHeadLength)).split(endOfHead)[0] ?? '';
        bytes -= head.length + endOfHead.length;
      }
      bytes += length;
      tail = (tail + shared.toString('latin1', Math.max(0, length - lastChunk.length), length)).slice(
        -lastChunk.length,
      );
      const early = bytes / bytesPerMs - (performance.now() - begin);
      if (early <= 1) return true;
      setTimeout(() => socket.resume(), early);
      return false;
    };
    const socket = connect({ port, host: '127.0.0.1', onread: { buffer: shared, callback: read } });
    socket.write(prepare({ path, headers: { ...headers, Connection: 'close' }, status: 200 }).bytes);
    socket.once('error', reject).once('close', () => {
      const announced = /\r\ncontent-length:/i.test(head);
      if (!head.startsWith('HTTP/1.1 200 ')) reject(new Error(`${path}: ${head.slice(0, 40)}`));
      else if (!announced && tail !== lastChunk) reject(new Error(`${path} was cut short after ${bytes} bytes`));
      else resolve({ bytes, announced });
    });
  });
