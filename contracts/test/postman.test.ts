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

const demoKey = async (keyId: string): Promise<string> =>
  (await keys.demoKeys()).find(({ key }) => key.id === keyId)?.text ?? '';

/** The name and status of each request of a run. */
const outcomesOf = (executions: readonly NewmanRunExecution[]): readonly string[] =>
  executions.map(({ item, response }) => `${item.name}: ${response?.code}`);

/** Switches every optional parameter on. */
const withEverything = (collection: string): string => collection.replaceAll('"disabled": true', '"disabled": false');

describe('in Postman', () => {
  let gateway: GatewayProcess;
  before(async () => {
    gateway = await startGatewayProcess({});
  });
  after(() => gateway.stop());

  for (const [form, keyId, requests] of [
    ['current', 'qaCurrent', 6],
    ['variant', 'qaVariant', 4],
  ] as const) {
    for (const [which, prepare] of [
      ['as it is imported', (text: string) => text],
      ['with every parameter', withEverything],
    ] as const) {
      it(`the collection of the ${form} form has ${requests} requests that answer 200 ${which}`, async () => {
        const { body } = await gateway.get(`/docs/postman-${form}.json`);
        const outcomes = outcomesOf(await runCollection(JSON.parse(prepare(body)), await demoKey(keyId)));
        expect(outcomes.filter((outcome) => !outcome.endsWith(': 200'))).to.deep.equal([]);
        expect(outcomes).to.have.lengthOf(requests);
      }).timeout(60_000);
    }
  }

  for (const [path, keyId, requests] of [
    ['/openapi.json', 'qaCurrent', 6],
    ['/openapi.variant.json', 'qaVariant', 4],
  ] as const) {
    for (const [which, enableOptionalParameters] of [
      ['only the parameters that are required', false],
      ['every example', true],
    ] as const) {
      it(`an import of ${path} makes ${requests} requests that answer 200 with ${which}`, async () => {
        const { body } = await gateway.get(path);
        const options = { parametersResolution: 'Example', enableOptionalParameters };
        const outcomes = outcomesOf(await runCollection(await importContract(body, options), await demoKey(keyId)));
        expect(outcomes.filter((outcome) => !outcome.endsWith(': 200'))).to.deep.equal([]);
        expect(outcomes).to.have.lengthOf(requests);
      }).timeout(60_000);
    }
  }
});
