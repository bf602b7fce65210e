import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { useCleanup } from '../../test/support/cleanup.ts';
import { closedContractOf } from '../../test/support/contract.ts';
import { demoKey } from '../../test/support/documents.ts';
import {
  exchangeNames,
  type GoldenExchange,
  openSandbox,
  readExchange,
  requestIdPlaceholder,
  sendExchange,
} from '../../test/support/exchanges.ts';
import { type RawReply, type RawRequest, sendRaw } from '../../test/support/raw.ts';
import { comparedForms } from '../../tools/migration/mapping/forms.ts';
import { openRelay, type Prism, type Relay, startPrism } from './prism.ts';

/**
 * The violations in a response. Those in a request are intended: some golden exchanges have invalid
 * requests.
 */
const violationsIn = ({ headers }: RawReply): readonly object[] => {
  const violations: { location: string[] }[] = JSON.parse(String(headers['sl-violations'] ?? '[]'));
  return violations.filter(({ location }) => location[0] !== 'request');
};

/**
 * Exchanges that a contract does not describe: statuses before the form is known, and paths of the
 * other form.
 */
const isOutside = (name: string, { status, headers, request }: GoldenExchange): boolean =>
  status === 431 ||
  name === 'path-unknown' ||
  (headers['X-Envelope-Served'] === 'variant' && request.path.startsWith('/api/v1/artists/'));

describe('Prism as a proxy to the gateway', () => {
  const cleanup = useCleanup(after);
  let relay: Relay;
  const proxies = new Map<string, Prism>();
  /** Exchanges that Prism validated, and those for which the contract has no operation. */
  const count = { validated: 0, skipped: 0 };

  before(async () => {
    relay = await openRelay(cleanup);
    await Promise.all(
      forms.map(async (form) =>
        proxies.set(form.name, await startPrism(closedContractOf(form), relay.url)),
      ),
    );
  });
  after(async () => {
    await Promise.all([...proxies.values()].map((proxy) => proxy.stop()));
    process.stdout.write(
      `    Prism validated ${count.validated} exchanges; ${count.skipped} have a method that no contract has.\n`,
    );
  });

  /** Sends a request through Prism, which expects a form, to the gateway behind the relay. */
  const askThrough = (
    form: string,
    path: string,
    key: string | undefined,
    rest: Omit<RawRequest, 'path'> = {},
  ) => {
    const authorization = key === undefined ? {} : { Authorization: `Bearer ${key}` };
    return sendRaw(proxies.get(form)?.port ?? 0, {
      ...rest,
      path,
      headers: { ...authorization, ...rest.headers },
    });
  };

  for (const form of comparedForms) {
    for (const name of exchangeNames(form)) {
      const exchange = readExchange(form, name);
      if (isOutside(name, exchange)) continue;

      it(`reports no violation in ${name} of the ${form} form`, async () => {
        const { request, headers } = exchange;
        const reply = await sendExchange(exchange, ({ port }, key) => {
          relay.gatewayPort = port;
          return askThrough(headers['X-Envelope-Served'] ?? '', request.path, key, request);
        });
        expect(violationsIn(reply)).to.deep.equal([]);
        const id = String(reply.headers['x-request-id']);
        expect([reply.status, reply.text.replaceAll(id, requestIdPlaceholder)]).to.deep.equal([
          exchange.status,
          exchange.body === null ? '' : JSON.stringify(exchange.body),
        ]);
        const skipped = String(reply.headers['sl-violations']).includes('route not found');
        expect(skipped).to.equal(exchange.request.method !== undefined);
        count[skipped ? 'skipped' : 'validated']++;
      });
    }
  }

  it('reports a response of the other form', async () => {
    const gateway = await openSandbox();
    relay.gatewayPort = gateway.port;
    const reply = await askThrough('variant', '/api/v1/signings', demoKey('curFull01'));
    expect(String(reply.headers['sl-violations'])).to.match(/violations|"location":\["response"/);
    await gateway.close();
  });
});
