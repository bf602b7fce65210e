import { setTimeout as wait } from 'node:timers/promises';
import type { DemoFault } from '../../src/domain/caller.ts';
import { dataUnavailable } from '../../src/domain/problem.ts';
import type { Gateway } from '../../src/gateway.ts';
import type { Route } from '../forms/form.ts';
import type { Body } from '../rendering/body.ts';
import type { RequestContext } from './request-context.ts';
import type { Reply } from './send.ts';

/** Delay of the response to a slow demo key, in milliseconds. */
const slowMs = 3_000;

/** Body bytes sent before the connection is closed. */
const cutAfterBytes = 200;

async function* beginningOf(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
): AsyncIterable<Buffer> {
  let left = cutAfterBytes;
  for await (const chunk of chunks) {
    if (left > 0) yield chunk.subarray(0, left);
    left -= chunk.length;
  }
  throw new Error('The response to this demo key is cut short.');
}

const cutShort = (body: Body): Body =>
  'stream' in body
    ? { ...body, stream: beginningOf(body.stream) }
    : { stream: beginningOf(body.chunks) };

/** The fault that a request's key simulates. Only the embedded sandbox has such keys. */
export const demoFaultOf = (
  { authentication }: RequestContext,
  { demoFaults }: Gateway,
): DemoFault | undefined =>
  'caller' in authentication ? demoFaults?.get(authentication.caller.key.id) : undefined;

/**
 * Applies a fault before a route is served. An outage does not affect health, like a real outage.
 */
export const beginFault = async (fault: DemoFault, { access }: Route): Promise<void> => {
  if (fault === 'error') throw new Error('This demo key raises an internal error.');
  if (fault === 'outage' && access !== 'public') throw dataUnavailable();
  if (fault === 'slow') await wait(slowMs);
};

/** Applies a fault to the reply of a route. */
export const endFault = (fault: DemoFault | undefined, reply: Reply): Reply =>
  fault === 'cut' && reply.body !== undefined ? { ...reply, body: cutShort(reply.body) } : reply;
