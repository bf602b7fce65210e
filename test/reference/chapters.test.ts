import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { formNames, forms } from '../../adapters/forms/forms.ts';
import { beginFault } from '../../adapters/http/demo-faults.ts';
import { openSources } from '../../adapters/stores/open-stores.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { readConfig } from '../../src/runtime/config.ts';
import { docsFolder } from '../../src/runtime/folders.ts';
import { useCleanup } from '../support/cleanup.ts';
import { contractOf } from '../support/contract.ts';
import { demoKey } from '../support/documents.ts';
import { openSandbox } from '../support/exchanges.ts';
import { formExpectations } from '../support/forms/form-expectations.ts';
import { fullKeys, type TestGateway, useGateway } from '../support/gateway.ts';
import { createMemoryLog } from '../support/log.ts';

/** A row of the table in the chapter "Try every response": how partners get a status. */
interface Row {
  readonly status: number;
  readonly key: string | undefined;
  readonly times: number;
  readonly exceptHealth: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** Method and path of each request; a path that is `undefined` stands for any. */
  readonly requests: readonly (readonly [method: string, path: string | undefined])[];
}

const parseRow = ([outcome = '', request = '', key = '']: readonly string[]): Row => {
  const codes = [...request.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  return {
    status: Number(/`(\d{3})/.exec(outcome)?.[1]),
    key: /`(aik_\w+)`/.exec(key)?.[1],
    exceptHealth: request.includes('except health'),
    times: request.includes('twice') ? 2 : request.includes('six times') ? 6 : 1,
    headers: Object.fromEntries(
      codes.filter((code) => code.includes(': ')).map((code) => code.split(': ', 2)),
    ),
    requests: codes
      .filter((code) => /^[A-Z]+( |$)/.test(code))
      .map((code) => code.split(' ', 2))
      .map(([method = '', path]) => [method, path] as const),
  };
};

/** The chapters of a form's pages. */
const readChapters = (form: string): string =>
  (form === 'current' ? ['guides', 'errors'] : [form])
    .map((name) => readFileSync(join(docsFolder, 'site', `${name}.md`), 'utf8'))
    .join('\n');

/** The rows of the table that follows a head in a form's chapters, cell by cell. */
const rowsBelow = (form: string, head: string): readonly (readonly string[])[] => {
  const [, table = ''] = readChapters(form).split(`${head}\n`);
  const [, ...rows] =
    table
      .trim()
      .split(/\n(?!.* \| )/)[0]
      ?.split('\n') ?? [];
  return rows.map((line) => line.split(' | '));
};

const patternOf = (template: string): RegExp =>
  new RegExp(`^${template.replace(/\{\w+\}/, '[^/?]+')}(\\?|$)`);

describe('the sandbox', () => {
  const cleanup = useCleanup(afterEach);
  const open = async (): Promise<TestGateway> =>
    cleanup.add(await openSandbox(), ({ close }) => close());

  for (const form of forms) {
    const rows = rowsBelow(form.name, 'To get | Send | With the key').map(parseRow);

    for (const [template, { get }] of Object.entries(contractOf(form).paths ?? {}))
      it(`returns every status of ${template} as the ${form.name} page describes`, async () => {
        for (const status of Object.keys(get?.responses ?? {}).map(Number)) {
          const anyPath = template.replace('{id}', 'art_7rf1ly');
          const requests = rows
            .filter((row) => row.status === status)
            .filter(({ exceptHealth }) => !(exceptHealth && template.endsWith('/health')))
            .flatMap((row) =>
              row.requests.map(([method, path = anyPath]) => ({ row, method, path })),
            )
            .filter(({ path }) => patternOf(template).test(path));
          expect(requests, `${status}`).to.not.have.lengthOf(0);
          for (const { row, method, path } of requests) {
            const { clock, send } = await open();
            const request = { method, headers: row.headers };
            for (let turn = 1; turn < row.times; turn++) {
              await send(path, row.key, request);
              if (row.times > 2) clock.advance(30_000); // each in a minute of its own
            }
            const reply = await send(path, row.key, request);
            expect([reply.status, reply.headers['x-envelope-served']], path).to.deep.equal([
              status,
              row.key === undefined ? 'current' : form.name,
            ]);
          }
        }
      });
  }

  it('serves ten readers in a minute with the key of the first row', async () => {
    const { send } = await open();
    const rows = rowsBelow('current', 'To get | Send | With the key').map(parseRow);
    for (let reader = 1; reader <= 10; reader++)
      for (const { status, key, headers, requests } of rows.filter(
        (row) => row.key === rows[0]?.key,
      ))
        for (const [method, path = '/api/v1/artists'] of requests)
          expect((await send(path, key, { method, headers })).status).to.equal(status);
  });

  for (const form of ['cur', 'var'])
    it(`cuts a response to ${form}CutOff after 200 bytes, which a client notices`, async () => {
      const { send, log } = await open();
      const sent = send('/api/v1/artists', demoKey(`${form}CutOff`));
      const [outcome] = await Promise.allSettled([sent]);
      expect(outcome.status).to.equal('rejected');
      expect(log.entries.map(({ event }) => event)).to.include('response cut short');
      expect(log.entries.at(-1)?.facts).to.include({ status: 200, bytes: 200 });
    });

  it('returns 405 to keys of an outage', async () => {
    const { send } = await open();
    for (const id of ['curOutage', 'curBroken', 'varOutage', 'varBroken']) {
      const reply = await send('/api/v1/artists', demoKey(id), { method: 'PUT' });
      expect(reply.status).to.equal(405);
    }
  });

  it('delays a response to a slow key by 3 seconds', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    cleanup.add(mock.timers, async (timers) => {
      timers.reset();
      syncBuiltinESMExports();
    });
    syncBuiltinESMExports();
    const delayed = forms[0].routes.map((route) => beginFault('slow', route));
    const first = Promise.race([...delayed, nextTurn('none')]);
    mock.timers.tick(2_999);
    expect(await first).to.equal('none');
    mock.timers.tick(1);
    await Promise.all(delayed);
  });

  it('removes its keys with a fault if a quota store is configured', async () => {
    const options = { clock: systemClock(), log: createMemoryLog(), formNames };
    const ids = async (variables: NodeJS.ProcessEnv): Promise<readonly string[]> => {
      const { keys: source, demoFaults, close } = await openSources(readConfig(variables), options);
      const records = await source.load();
      await close();
      const slow = ['curSlowly', 'varSlowly'].map((id) => demoFaults?.get(id));
      expect(slow).to.deep.equal(Array(2).fill('REDIS_URL' in variables ? undefined : 'slow'));
      return records.keys.map(({ id }) => id);
    };
    expect(await ids({})).to.include.members(['curFull01', 'curOutage', 'varCutOff']);
    const shared = await ids({ REDIS_URL: 'redis://127.0.0.1:1' });
    expect(shared).to.include('curFull01');
    expect(shared).to.not.include.members(['curOutage']);
    expect(() => readConfig({ NODE_ENV: 'production' })).to.throw('MONGODB_URL');
  });
});

const pathIn = (cell: string): string => `/api/v1${/`([^`]+)`/.exec(cell)?.[1]}`;

describe('the tables of parameters in the pages', () => {
  const gateway = useGateway();

  it('match the current form', async () => {
    const rows = rowsBelow('current', 'You send | You get');
    expect(rows).to.not.have.lengthOf(0);
    for (const [sent = '', outcome = ''] of rows) {
      const { status, text } = await gateway.send(pathIn(sent), fullKeys.current.text);
      const [, expected, message] = /^`(\d+)`:? ?(.*)$/.exec(outcome) ?? [];
      expect(status, sent).to.equal(Number(expected));
      if (status === 400)
        expect(formExpectations.current.readError(text).message, sent).to.equal(message);
      else expect(JSON.parse(text).data.length > 0, sent).to.equal(!outcome.includes('no artists'));
    }
  });

  it('match the variant form', async () => {
    const rows = rowsBelow('variant', 'You send | You get | `X-Params-Adjusted`');
    expect(rows).to.not.have.lengthOf(0);
    for (const [sent = '', outcome = '', header = ''] of rows) {
      const { status, headers, text } = await gateway.send(pathIn(sent), fullKeys.variant.text);
      const adjusted = /`(.+)`/.exec(header)?.[1];
      expect([status, headers['x-params-adjusted']], sent).to.deep.equal([200, adjusted]);
      const { count } = JSON.parse(text);
      if (outcome.startsWith('nothing')) expect(count, sent).to.equal(0);
      else if (outcome === 'one artist') expect(count, sent).to.equal(1);
      else expect(count, sent).to.be.greaterThan(0);
    }
  });
});
