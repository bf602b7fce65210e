import { setTimeout as sleep } from 'node:timers/promises';
import type { DemoFault } from '../../src/domain/caller.ts';
import { dataUnavailable } from '../../src/domain/problem.ts';
import type { Body } from '../rendering/content-encoding.ts';
import type { Reply } from './send.ts';

/** How long an answer to a slow demo key is held back, in milliseconds. */
const slowMs = 3_000;

/** The bytes of a body that are sent before the connection is closed. */
const cutAfterBytes = 200;

async function* beginningOf(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
): AsyncIterable<Buffer> {
  let left = cutAfterBytes;
  for await (const chunk of chunks) {
    if (left > 0) yield chunk.subarray(0, left);
    left -= chunk.length;
  }
  throw new Error('The answer to this demo key is cut short.');
}

const cutShort = (body: Body): Body =>
  'stream' in body
    ? { ...body, stream: beginningOf(body.stream) }
    : { stream: beginningOf(body.chunks) };

/**
 * Serves a request of a demo key with a fault that partners cannot provoke otherwise. Only the
 * embedded sandbox knows such keys. An outage leaves health alone, as a real one does.
 */
export const provokeFault = async (
  fault: DemoFault,
  needsKey: boolean,
  serve: () => Promise<Reply>,
): Promise<Reply> => {
  if (fault === 'error') throw new Error('This demo key raises an internal error.');
  if (fault === 'outage' && needsKey) throw dataUnavailable();
  if (fault === 'slow') await sleep(slowMs);
  const reply = await serve();
  return fault === 'cut' && reply.body !== undefined
    ? { ...reply, body: cutShort(reply.body) }
    : reply;
};
