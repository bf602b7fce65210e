import { expect } from 'chai';
import newman, { type NewmanRunExecution } from 'newman';
import converter from 'openapi-to-postmanv2';
import { formNames } from '../../adapters/forms/forms.ts';
import { createEmbeddedKeys } from '../../adapters/stores/embedded/keys.ts';
import { fixtureFolder } from '../../src/runtime/config.ts';
import { type GatewayProcess, startGatewayProcess } from '../../test/support/gateway-process.ts';

const keys = createEmbeddedKeys(fixtureFolder, formNames, { sandbox: true });

/** Imports a contract as Postman does. */
const importContract = (contract: string, options: object): Promise<object> =>
  new Promise((resolve, reject) => {
    converter.convertV2({ type: 'string', data: contract }, options, (_error, imported) => {
      const data = imported?.result === true ? imported.output?.[0]?.data : undefined;
      if (data === undefined) reject(new Error('The contract cannot be imported.'));
      else resolve(data);
    });
  });

/** Sends every request of a collection with a key. */
const runCollection = (collection: object, key: string): Promise<readonly NewmanRunExecution[]> =>
  new Promise((resolve, reject) => {
    const envVar = [{ key: 'bearerToken', value: key }];
    newman.run({ collection, envVar }, (error, { run }) => (error ? reject(error) : resolve(run.executions)));
  });

describe('a contract imported into Postman', () => {
  let gateway: GatewayProcess;
  before(async () => {
    gateway = await startGatewayProcess({});
  });
  after(() => gateway.stop());

  for (const [path, keyId, requests] of [
    ['/openapi.json', 'qaCurrent', 6],
    ['/openapi.variant.json', 'qaVariant', 4],
  ] as const) {
    for (const [which, enableOptionalParameters] of [
      ['only the parameters that are required', false],
      ['every example', true],
    ] as const) {
      it(`from ${path} makes ${requests} requests that answer 200 with ${which}`, async () => {
        const { body } = await gateway.get(path);
        const options = { parametersResolution: 'Example', enableOptionalParameters };
        const known = (await keys.demoKeys()).find(({ key }) => key.id === keyId);
        const executions = await runCollection(await importContract(body, options), known?.text ?? '');
        const outcomes = executions.map(({ item, response }) => `${item.name}: ${response?.code}`);
        expect(outcomes.filter((outcome) => !outcome.endsWith(': 200'))).to.deep.equal([]);
        expect(outcomes).to.have.lengthOf(requests);
      }).timeout(60_000);
    }
  }
});
