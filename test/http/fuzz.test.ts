import { expect } from 'chai';
import fc from 'fast-check';
import { forms } from '../../adapters/forms/forms.ts';
import type { ComparedForm } from '../../src/crosswalk/forms.ts';
import { keys } from '../support/forms/form-keys.ts';
import { useGateway } from '../support/gateway.ts';
import { assertValidResponse } from '../support/http/assert-valid-response.ts';
import { allowedTargets, brokenTargets } from '../support/http/contract-requests.ts';
import { type OddRequest, oddRequests } from '../support/http/odd-requests.ts';
import { openWire, type Wire, type WireReply } from '../support/wire.ts';

const runs = Number(process.env['FUZZ_RUNS'] ?? 1_000);
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);

const printCounts = (counts: ReadonlyMap<unknown, number>): void => {
  const formatted = [...counts].sort().map(([status, count]) => `${status} × ${count}`);
  console.log(`      ${formatted.join(', ')}`);
};

/** Whether the target names one artist by an identifier, which may be unknown. */
const namesOne = (target: string): boolean => /\/artists\/[^?]/.test(target) || /[?&]id=/.test(target);

/** How each form answers a parameter that its contract does not allow. */
const outcomes: Readonly<
  Record<ComparedForm, { outcome: string; isMet: (reply: WireReply, target: string) => boolean }>
> = {
  current: { outcome: 'are refused', isMet: ({ status }) => status === 400 },
  variant: {
    outcome: 'are repaired or match nothing',
    isMet: ({ status }, target) => status === 200 || (status === 404 && namesOne(target)),
  },
};

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

  /** Sends GETs with a full key, checks the answers and prints how many had each status. */
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
    printCounts(counts);
  };

  for (const form of forms) {
    const key = keys[form.name].full.text;

    it(`that the contract of the ${form.name} form allows succeed`, async function () {
      this.timeout(120_000);
      await askAll(allowedTargets(form), key, ({ status, headers }, target) => {
        const isAnswered = status === 200 || (status === 404 && namesOne(target));
        return isAnswered && headers['x-params-adjusted'] === undefined;
      });
    });

    const { outcome, isMet } = outcomes[form.name];
    it(`that the contract of the ${form.name} form does not allow ${outcome}`, async function () {
      this.timeout(120_000);
      await askAll(brokenTargets(form), key, isMet);
    });
  }

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
      printCounts(counts);
      expect((await gateway.send('/api/v1/health')).status).to.equal(200);
    });
  }

  it('leave no key in the log', () => {
    expect(JSON.stringify(gateway.log.entries)).not.to.match(/aik_/);
    expect(gateway.log.entries.filter(({ level }) => level === 'error')).to.deep.equal([]);
  });
});
