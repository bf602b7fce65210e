import { expect } from 'chai';
import fc from 'fast-check';
import { forms } from '../../adapters/forms/forms.ts';
import { useGateway } from '../support/gateway.ts';
import { assertValidResponse } from '../support/http/assert-valid-response.ts';
import { type OddRequest, oddRequests } from '../support/http/odd-requests.ts';
import { openWire, type Wire, type WireReply } from '../support/wire.ts';

const runs = Number(process.env['FUZZ_RUNS'] ?? 1_000);
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);

describe('random requests', () => {
  const gateway = useGateway();
  let wire: Wire | undefined;
  after(() => wire?.end());

  /** Sends a request, on the last connection if it is still open. */
  const ask = async ({ bytes, target, isHead }: OddRequest): Promise<WireReply> => {
    const connection = wire ?? openWire(gateway.port);
    wire = undefined;
    if (target !== undefined) connection.send(bytes);
    // a changed byte may have removed the end of the head, or of a body
    else connection.socket.end(bytes);
    const reply = await connection.receive({ bodiless: isHead });
    if (target !== undefined && reply.headers['connection'] === 'keep-alive') wire = connection;
    else connection.end();
    return reply;
  };

  for (const { name: form } of forms) {
    it(`of the ${form} form get a valid response below 500 (${runs} runs, FUZZ_SEED=${seed})`, async () => {
      const statuses = new Set<number>();
      await fc.assert(
        fc.asyncProperty(oddRequests(form), async (request) => {
          const reply = await ask(request);
          statuses.add(reply.status);
          assertValidResponse(reply, request.target, request.isHead);
          expect(reply.status, reply.text).to.be.below(500);
          expect(`${JSON.stringify(reply.headers)}${reply.text}`).not.to.match(/aik_/);
        }),
        { numRuns: runs, seed },
      );
      expect([...statuses]).to.include.members([200, 400, 401, 404, 405]);
      expect((await gateway.send('/api/v1/health')).status).to.equal(200);
    });
  }

  it('leave no key in the log', () => {
    expect(JSON.stringify(gateway.log.entries)).not.to.match(/aik_/);
    expect(gateway.log.entries.filter(({ level }) => level === 'error')).to.deep.equal([]);
  });
});
