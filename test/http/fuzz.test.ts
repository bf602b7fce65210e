import { expect } from 'chai';
import fc from 'fast-check';
import { forms } from '../../adapters/forms/forms.ts';
import type { ComparedForm } from '../../tools/migration/mapping/forms.ts';
import { formExpectations } from '../support/forms/form-expectations.ts';
import { keys, unissuedKey } from '../support/forms/form-keys.ts';
import { currentQuestions, targetOf, variantQuestions } from '../support/forms/random-questions.ts';
import { useGateway } from '../support/gateway.ts';
import { assertValidResponse } from '../support/http/assert-valid-response.ts';
import { openWire, type Wire, type WireReply } from '../support/wire.ts';

const runs = Number(process.env['FUZZ_RUNS'] ?? 1_000);
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);

/** A request, and the facts that a test checks it against. */
interface OddRequest {
  readonly bytes: Buffer;
  /** Its target; `undefined` when bytes of it were changed at random. */
  readonly target: string | undefined;
  readonly isHead: boolean;
}

/** Targets that a form answers over the example catalogue, and questions right and wrong. */
const targetsOf = (form: ComparedForm): fc.Arbitrary<string> => {
  const questions = form === 'current' ? currentQuestions('2026-08-22') : variantQuestions;
  return fc.oneof(
    fc.constantFrom(...formExpectations[form].successes.map(({ path }) => path)),
    questions.map(targetOf),
  );
};

/** Characters that a target may have, raw or as parts of escapes. */
const piece = fc.oneof(
  fc.constantFrom(...'% %zz %ff %00 %ED%A0%80 & = ; + ? / // .. __proto__ {"$gt":""}'.split(' ')),
  fc.stringMatching(/^[!-~]{1,12}$/),
  fc
    .string({ unit: 'grapheme', maxLength: 40 })
    .map((text) => encodeURIComponent(text.replace(/\p{Cs}/gu, ''))),
);

/** A target with some text between two of its characters. */
const oddTargets = (form: ComparedForm): fc.Arbitrary<string> =>
  fc
    .tuple(targetsOf(form), fc.nat(60), fc.array(piece, { minLength: 1, maxLength: 8 }))
    .map(
      ([target, at, pieces]) => target.slice(0, 1 + at) + pieces.join('') + target.slice(1 + at),
    );

const path = (form: ComparedForm) =>
  fc.oneof(
    { weight: 12, arbitrary: targetsOf(form) },
    { weight: 12, arbitrary: oddTargets(form) },
    fc.constantFrom(...'/ * /api/v1 //api/v1/artists /API/V1/artists /../api/v1/health'.split(' ')),
  );

const method = fc.oneof(
  { weight: 14, arbitrary: fc.constant('GET') },
  fc.constantFrom(...'HEAD POST PUT DELETE OPTIONS PATCH TRACE PROPFIND FOO get'.split(' ')),
);

const authorization = (form: ComparedForm): fc.Arbitrary<string[]> => {
  const { full, override, noSpikes, revoked, expired, suspended } = keys[form];
  const texts = [override, noSpikes, revoked, expired, suspended].map(({ text }) => text);
  const none: string[] = [];
  const bearer = (text: string): string[] => [`Authorization: Bearer ${text}`];
  return fc.oneof(
    { weight: 9, arbitrary: fc.constant(bearer(full.text)) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(...texts, unissuedKey, 'aik_bad', full.text.slice(1)).map(bearer),
    },
    fc.constantFrom(
      none,
      ['Authorization:'],
      [`Authorization: Basic ${full.text}`],
      [...bearer(full.text), 'Authorization: x'],
    ),
  );
};

const token = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,20}$/);
const fieldText = fc.stringMatching(/^[ -~\x80-\xff]{0,60}$/);

const header = fc.oneof(
  fc.constantFrom('current', 'variant', 'x').map((form) => `X-Envelope: ${form}`),
  fc.constantFrom('X-Request-Id: x', 'Expect: 100-continue'),
  fc.constantFrom(
    'If-None-Match: *',
    'If-None-Match: W/"x", "y"',
    'Accept: text/html',
    'Cookie: a=b',
    'Origin: null',
  ),
  fc.constantFrom(
    'Content-Length: 0',
    'Content-Length: 4',
    'Connection: close',
    'Upgrade: h2c',
    'Range: bytes=0-1',
  ),
  fc.tuple(token, fieldText).map(([name, text]) => `X-${name}: ${text}`),
);

const host = fc.oneof(
  { weight: 20, arbitrary: fc.constant(['Host: gateway.test']) },
  fc.constantFrom([], ['Host: a', 'Host: b'], ['Host:'], ['Host: a b']),
);

/** Changes of single bytes, as a broken proxy or an attacker might make them. */
const changes = fc.array(fc.tuple(fc.nat(400), fc.nat(255), fc.constantFrom(0, 1)), {
  minLength: 1,
  maxLength: 4,
});

const change = (bytes: Buffer, [at, byte, removed]: readonly [number, number, number]): Buffer =>
  Buffer.concat([bytes.subarray(0, at), Buffer.from([byte]), bytes.subarray(at + removed)]);

/** Requests of a client of one form, from valid to hostile. */
const oddRequests = (form: ComparedForm): fc.Arbitrary<OddRequest> =>
  fc
    .record({
      method,
      target: path(form),
      host,
      authorization: authorization(form),
      headers: fc.array(header, { maxLength: 4 }),
      changed: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, changes),
    })
    .map(({ method: verb, target, host: hosts, authorization: key, headers, changed }) => {
      const fields = [...hosts, ...key, ...headers].map((field) => `${field}\r\n`).join('');
      const bytes = Buffer.from(`${verb} ${target} HTTP/1.1\r\n${fields}\r\n`, 'latin1');
      return changed === undefined
        ? { bytes, target, isHead: verb === 'HEAD' }
        : { bytes: changed.reduce(change, bytes), target: undefined, isHead: verb === 'HEAD' };
    });

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
