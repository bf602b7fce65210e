import { expect } from 'chai';
import { useStarted } from '../support/cleanup.ts';
import { createTestGateway } from '../support/gateway.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';
const path = '/api/v1/artists';

describe('the trace id of a request', () => {
  const gateway = useStarted(
    () => createTestGateway(),
    ({ close }) => close(),
  );

  /** What the line of a request with this `traceparent` names. */
  const logged = async (traceparent: string | undefined, asked = path) => {
    const reply = await gateway.get(
      asked,
      undefined,
      traceparent === undefined ? {} : { traceparent },
    );
    const id = reply.headers['x-request-id'];
    const line = gateway.log.entries.find(
      ({ event, facts }) => event === 'request' && Object(facts).requestId === id,
    );
    expect(line, 'the line of the request').to.not.equal(undefined);
    expect(JSON.stringify([reply.headers, reply.body])).to.not.include(traceId);
    return Object(line?.facts).traceId;
  };

  for (const traceparent of [
    `00-${traceId}-${parentId}-01`,
    `00-${traceId}-${parentId}-00`,
    `cc-${traceId}-${parentId}-01`,
    `01-${traceId}-${parentId}-01-what-the-future-adds`,
  ])
    it(`is logged and never echoed: ${traceparent}`, async () => {
      expect(await logged(traceparent)).to.equal(traceId);
      expect(await logged(traceparent, '/docs'), 'of a page').to.equal(traceId);
    });

  for (const traceparent of [
    undefined,
    '',
    traceId,
    `ff-${traceId}-${parentId}-01`,
    `00-${traceId}-${parentId}-01-more`,
    `00-${traceId.toUpperCase()}-${parentId}-01`,
    `00-${'0'.repeat(32)}-${parentId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId}-${parentId}`,
  ])
    it(`is absent where traceparent is not well formed: ${traceparent ?? 'no header'}`, async () => {
      expect(await logged(traceparent)).to.equal(undefined);
    });
});
