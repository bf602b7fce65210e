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

  /** Sends a request, on the last connection if it is still open; `undefined` when the gateway waits for more bytes. */
  const ask = async ({ bytes, target, isHead }: OddRequest): Promise<WireReply | undefined> => {
    const connection = wire ?? openWire(gateway.port);
    wire = undefined;
    connection.send(bytes);
    if (target === undefined) connection.send('\r\n\r\n'); // a changed byte may have removed the end of the head
    const withinMs = target === undefined ? 150 : 3_000;
    const reply = await connection.receive({ bodiless: isHead, withinMs }).catch((problem: unknown) => {
      if (target !== undefined) throw problem;
      return undefined;
    });
    if (target !== undefined && reply?.headers['connection'] === 'keep-alive') wire = connection;
    else connection.end();
    return reply;
  };

  for (const { name: form } of forms) {
    it(`of the ${form} form get a valid response below 500 (${runs} runs, FUZZ_SEED=${seed})`, async function () {
      this.timeout(120_000);
      const counts = new Map<string, number>();
      await fc.assert(
        fc.asyncProperty(oddRequests(form), async (request) => {
          const reply = await ask(request);
          const status = String(reply?.status ?? 'waits for more');
          counts.set(status, (counts.get(status) ?? 0) + 1);
          if (reply === undefined) return;
          assertValidResponse(reply, request.target, request.isHead);
          expect(reply.status, reply.text).to.be.below(500);
          expect(`${JSON.stringify(reply.headers)}${reply.text}`).not.to.match(/aik_/);
        }),
        { numRuns: runs, seed },
      );
      console.log(
        `      ${[...counts]
          .sort()
          .map(([status, count]) => `${status} × ${count}`)
          .join(', ')}`,
      );
      expect((await gateway.send('/api/v1/health')).status).to.equal(200);
    });
  }

  it('leave no key in the log', () => {
    expect(JSON.stringify(gateway.log.entries)).not.to.match(/aik_/);
    expect(gateway.log.entries.filter(({ level }) => level === 'error')).to.deep.equal([]);
  });
});
