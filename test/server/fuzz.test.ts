import { expect } from 'chai';
import fc from 'fast-check';
import { forms } from '../../src/app.ts';
import { keySource } from '../forms/keys.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { openWire, type Wire, type WireReply } from '../support/wire.ts';
import { judge } from './judge.ts';
import { type OddRequest, oddRequests } from './odd-requests.ts';

const runs = Number(process.env['FUZZ_RUNS'] ?? 2_000);
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);

describe('odd requests', () => {
  let gateway: TestGateway;
  let wire: Wire | undefined;
  before(async () => {
    gateway = await createTestGateway({ keys: keySource });
  });
  after(async () => {
    wire?.end();
    await gateway.close();
  });

  /** The answer, on the connection of the answer before if that is still there; `undefined` when it waits for more. */
  const ask = async ({ bytes, target, isHead }: OddRequest): Promise<WireReply | undefined> => {
    const asked = wire ?? openWire(gateway.port);
    wire = undefined;
    asked.say(bytes);
    if (target === undefined) asked.say('\r\n\r\n'); // a change may have made it longer
    const patience = target === undefined ? 150 : 3_000;
    const reply = await asked.hear({ bodiless: isHead, withinMs: patience }).catch((problem: unknown) => {
      if (target !== undefined) throw problem;
      return undefined;
    });
    if (target !== undefined && reply?.headers['connection'] === 'keep-alive') wire = asked;
    else asked.end();
    return reply;
  };

  for (const { name: form } of forms) {
    it(`of a client of the ${form} form are answered by the law, ${runs} of them (FUZZ_SEED=${seed})`, async function () {
      this.timeout(120_000);
      const counts = new Map<string, number>();
      await fc.assert(
        fc.asyncProperty(oddRequests(form), async (request) => {
          const reply = await ask(request);
          const status = String(reply?.status ?? 'waits for more');
          counts.set(status, (counts.get(status) ?? 0) + 1);
          if (reply === undefined) return;
          judge(reply, request.target, request.isHead);
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
