import { expect } from 'chai';
import newman, { type NewmanRunExecution } from 'newman';
import converter from 'openapi-to-postmanv2';
import { demoKeyText } from '../../test/support/exchanges.ts';
import { type GatewayProcess, startGatewayProcess } from '../../test/support/gateway-process.ts';

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

  for (const [form, keyId, requests, contract] of [
    ['current', 'qaCurrent', 6, '/openapi.json'],
    ['variant', 'qaVariant', 4, '/openapi.variant.json'],
  ] as const) {
    const collection = `/docs/postman-${form}.json`;
    const imported = (enableOptionalParameters: boolean) => (text: string) =>
      importContract(text, { parametersResolution: 'Example', enableOptionalParameters });
    for (const [path, which, prepare] of [
      [collection, 'as it is imported', (text: string) => JSON.parse(text)],
      [collection, 'with every parameter', (text: string) => JSON.parse(withEverything(text))],
      [contract, 'imported with only the parameters that are required', imported(false)],
      [contract, 'imported with every example', imported(true)],
    ] as const) {
      it(`${path} makes ${requests} requests that answer 200, ${which}`, async () => {
        const { body } = await gateway.get(path);
        const outcomes = outcomesOf(await runCollection(await prepare(body), await demoKeyText(keyId)));
        expect(outcomes.filter((outcome) => !outcome.endsWith(': 200'))).to.deep.equal([]);
        expect(outcomes).to.have.lengthOf(requests);
      });
    }
  }
});
