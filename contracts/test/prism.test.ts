import { expect } from 'chai';
import { formNames, forms } from '../../adapters/forms/forms.ts';
import { createEmbeddedKeys } from '../../adapters/stores/embedded/keys.ts';
import { comparedForms } from '../../src/crosswalk/forms.ts';
import { fixtureFolder } from '../../src/runtime/config.ts';
import { contractOf, withClosedObjects } from '../../test/support/contract.ts';
import {
  exchangeNames,
  type GoldenExchange,
  readExchange,
  requestIdPlaceholder,
} from '../../test/support/exchanges.ts';
import { createTestGateway } from '../../test/support/gateway.ts';
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

const keys = createEmbeddedKeys(fixtureFolder, formNames, { sandbox: true });

const textOf = async (id: string | null): Promise<string | undefined> =>
  (await keys.demoKeys()).find(({ key }) => key.id === id)?.text;

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
  const askThrough = async ({ request, as, headers: golden }: GoldenExchange): Promise<RawReply> => {
    const { path, method, headers, times = 1, every = 0 } = request;
    const key = await textOf(as);
    const gateway = await createTestGateway({ keys, demoFaults: await keys.demoFaults() });
    relay.gatewayPort = gateway.port;
    for (let turn = 1; turn < times; turn++) {
      await gateway.send(path, key, { method, headers });
      gateway.clock.advance(every * 1000);
      await Promise.all([gateway.gateway.keys.refresh(), gateway.gateway.catalogue.refresh()]);
    }
    const authorization = key === undefined ? {} : { Authorization: `Bearer ${key}` };
    const port = proxies.get(golden['X-Envelope-Served'] ?? '')?.port ?? 0;
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
    const gateway = await createTestGateway({ keys });
    relay.gatewayPort = gateway.port;
    const port = proxies.get('variant')?.port ?? 0;
    const authorization = { Authorization: `Bearer ${await textOf('curFull01')}` };
    const reply = await sendRaw(port, { path: '/api/v1/signings', headers: authorization });
    expect(String(reply.headers['sl-violations'])).to.match(/violations|"location":\["response"/);
    await gateway.close();
  });
});
