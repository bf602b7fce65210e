import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { comparedForms } from '../../src/crosswalk/forms.ts';
import { contractOf, withClosedObjects } from '../../test/support/contract.ts';
import {
  exchangeNames,
  type GoldenExchange,
  prepareExchange,
  readExchange,
  requestIdPlaceholder,
} from '../../test/support/exchanges.ts';
import { type RawReply, sendRaw } from '../../test/support/raw.ts';
import { openRelay, type Prism, type Relay, startPrism } from './prism.ts';

/** The violations in a response. Those in a request are intended: some golden exchanges have invalid requests. */
const violationsIn = ({ headers }: RawReply): readonly object[] => {
  const violations: { location: string[] }[] = JSON.parse(String(headers['sl-violations'] ?? '[]'));
  return violations.filter(({ location }) => location[0] !== 'request');
};

/** Exchanges that a contract does not describe: statuses before the form is known, and paths of the other form. */
const isOutside = (name: string, { status, headers, request }: GoldenExchange): boolean =>
  status === 431 ||
  name === 'path-unknown' ||
  (headers['X-Envelope-Served'] === 'variant' && request.path.startsWith('/api/v1/artists/'));

describe('Prism as a proxy to the gateway', () => {
  let relay: Relay;
  const proxies = new Map<string, Prism>();
  /** Exchanges that Prism validated, and those for which the contract has no operation. */
  const count = { validated: 0, skipped: 0 };

  before(async () => {
    relay = await openRelay();
    await Promise.all(
      forms.map(async (form) =>
        proxies.set(form.name, await startPrism(withClosedObjects(contractOf(form)), relay.url)),
      ),
    );
  });
  after(async () => {
    await Promise.all([...proxies.values()].map((proxy) => proxy.stop()));
    relay.close();
    process.stdout.write(
      `    Prism validated ${count.validated} exchanges; ${count.skipped} have a method that no contract has.\n`,
    );
  });

  /** Sends the request of a golden exchange, the last time through Prism. */
  const askThrough = async (exchange: GoldenExchange): Promise<RawReply> => {
    const { gateway, key } = await prepareExchange(exchange);
    const { path, method, headers } = exchange.request;
    relay.gatewayPort = gateway.port;
    const authorization = key === undefined ? {} : { Authorization: `Bearer ${key}` };
    const port = proxies.get(exchange.headers['X-Envelope-Served'] ?? '')?.port ?? 0;
    const reply = await sendRaw(port, { path, method, headers: { ...authorization, ...headers } });
    await gateway.close();
    return reply;
  };

  for (const form of comparedForms) {
    for (const name of exchangeNames(form)) {
      const exchange = readExchange(form, name);
      if (isOutside(name, exchange)) continue;

      it(`reports no violation in ${name} of the ${form} form`, async () => {
        const reply = await askThrough(exchange);
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
    const { gateway, key } = await prepareExchange({ request: { path: '/api/v1/signings' }, as: 'curFull01' });
    relay.gatewayPort = gateway.port;
    const port = proxies.get('variant')?.port ?? 0;
    const reply = await sendRaw(port, { path: '/api/v1/signings', headers: { Authorization: `Bearer ${key}` } });
    expect(String(reply.headers['sl-violations'])).to.match(/violations|"location":\["response"/);
    await gateway.close();
  });
});
