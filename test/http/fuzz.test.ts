import { expect } from 'chai';
import fc from 'fast-check';
import { forms } from '../../adapters/forms/forms.ts';
import type { FormName } from '../../src/domain/caller.ts';
import { keySource, keys } from '../support/forms/form-keys.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { assertValidResponse } from '../support/http/assert-valid-response.ts';
import { allowedTargets, brokenTargets } from '../support/http/contract-requests.ts';
import { type OddRequest, oddRequests } from '../support/http/odd-requests.ts';
import { openWire, type Wire, type WireReply } from '../support/wire.ts';

const runs = Number(process.env['FUZZ_RUNS'] ?? 2_000);
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);

const tell = (counts: ReadonlyMap<unknown, number>): void => {
  const told = [...counts].sort().map(([status, count]) => `${status} × ${count}`);
  console.log(`      ${told.join(', ')}`);
};

/** Whether one artist is asked for by an identifier, which may be nobody's. */
const namesOne = (target: string): boolean => /\/artists\/[^?]/.test(target) || /[?&]id=/.test(target);

/** What becomes of a parameter that a form's contract does not allow. */
const fates: Readonly<Record<FormName, { fate: string; isMet: (reply: WireReply, target: string) => boolean }>> = {
  current: { fate: 'refused', isMet: ({ status }) => status === 400 },
  variant: {
    fate: 'repaired, or a filter that matches nothing',
    isMet: ({ status }, target) => status === 200 || (status === 404 && namesOne(target)),
  },
};

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
    asked.send(bytes);
    if (target === undefined) asked.send('\r\n\r\n'); // a change may have made it longer
    const patience = target === undefined ? 150 : 3_000;
    const reply = await asked.receive({ bodiless: isHead, withinMs: patience }).catch((problem: unknown) => {
      if (target !== undefined) throw problem;
      return undefined;
    });
    if (target !== undefined && reply?.headers['connection'] === 'keep-alive') wire = asked;
    else asked.end();
    return reply;
  };

  /** Asks for targets with a good key; how many answers had each status. */
  const askAll = async (
    targets: fc.Arbitrary<string>,
    key: string,
    isRight: (reply: WireReply, target: string) => boolean,
  ) => {
    const counts = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(targets, async (target) => {
        const bytes = Buffer.from(`GET ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`);
        const reply = await ask({ bytes, target, isHead: false });
        if (reply === undefined) throw new Error('there is no answer');
        assertValidResponse(reply, target);
        counts.set(reply.status, (counts.get(reply.status) ?? 0) + 1);
        expect(isRight(reply, target), `${reply.status} ${reply.text.slice(0, 200)}`).to.equal(true);
      }),
      { numRuns: runs, seed },
    );
    tell(counts);
  };

  for (const form of forms) {
    const key = keys[form.name].full.text;

    it(`that the contract of the ${form.name} form allows are answered`, async function () {
      this.timeout(120_000);
      await askAll(allowedTargets(form), key, ({ status, headers }, target) => {
        const isAnswered = status === 200 || (status === 404 && namesOne(target));
        return isAnswered && headers['x-params-adjusted'] === undefined;
      });
    });

    const { fate, isMet } = fates[form.name];
    it(`that it does not allow are ${fate}`, async function () {
      this.timeout(120_000);
      await askAll(brokenTargets(form), key, isMet);
    });
  }

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
          assertValidResponse(reply, request.target, request.isHead);
          expect(reply.status, reply.text).to.be.below(500);
          expect(`${JSON.stringify(reply.headers)}${reply.text}`).not.to.match(/aik_/);
        }),
        { numRuns: runs, seed },
      );
      tell(counts);
      expect((await gateway.send('/api/v1/health')).status).to.equal(200);
    });
  }

  it('leave no key in the log', () => {
    expect(JSON.stringify(gateway.log.entries)).not.to.match(/aik_/);
    expect(gateway.log.entries.filter(({ level }) => level === 'error')).to.deep.equal([]);
  });
});
