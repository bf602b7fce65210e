import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { formNames, forms } from '../../adapters/forms/forms.ts';
import { openSources } from '../../adapters/stores/open-stores.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { docsFolder, readConfig } from '../../src/runtime/config.ts';
import { contractOf } from '../support/contract.ts';
import { demoKeyText, openSandbox } from '../support/exchanges.ts';
import { formExpectations } from '../support/forms/form-expectations.ts';
import { fullKeys, type TestGateway, useGateway } from '../support/gateway.ts';
import { createMemoryLog } from '../support/log.ts';
import type { RawReply, RawRequest } from '../support/raw.ts';

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

/**
 * Sends the requests of a row for one path, each in a minute of its own unless they are to meet in
 * one.
 */
const follow = async (
  gateway: TestGateway,
  row: Row,
  [method, path]: readonly [string, string],
): Promise<RawReply> => {
  const request: Omit<RawRequest, 'path'> = { method, headers: row.headers };
  for (let turn = 1; turn < row.times; turn++) {
    await gateway.send(path, row.key, request);
    if (row.times > 2) gateway.clock.advance(30_000);
  }
  return gateway.send(path, row.key, request);
};

describe('the sandbox', () => {
  for (const form of forms) {
    const contract = contractOf(form);
    const rows = rowsBelow(form.name, 'To get | Send | With the key').map(parseRow);

    for (const [template, { get }] of Object.entries(contract.paths ?? {})) {
      for (const status of Object.keys(get?.responses ?? {}).map(Number)) {
        it(`answers ${status} at ${template} in the ${form.name} form as /docs says`, async () => {
          const anyPath = template.replace('{id}', 'art_7rf1ly');
          const requests = rows
            .filter(
              (row) => row.status === status && !(row.exceptHealth && template.endsWith('/health')),
            )
            .flatMap((row) =>
              row.requests.map(([method, path = anyPath]) => ({ row, method, path })),
            )
            .filter(({ path }) => patternOf(template).test(path));
          expect(requests).to.not.have.lengthOf(0);
          for (const { row, method, path } of requests) {
            const gateway = await openSandbox();
            const reply = await follow(gateway, row, [method, path]);
            await gateway.close();
            expect([reply.status, reply.headers['x-envelope-served']], path).to.deep.equal([
              status,
              row.key === undefined ? 'current' : form.name,
            ]);
          }
        });
      }
    }
  }

  it('answers ten readers within a minute who all use the key of the first row', async () => {
    const gateway = await openSandbox();
    const rows = rowsBelow('current', 'To get | Send | With the key').map(parseRow);
    for (let reader = 1; reader <= 10; reader++)
      for (const { status, key, headers, requests } of rows.filter(
        ({ key }) => key === rows[0]?.key,
      ))
        for (const [method, path = '/api/v1/artists'] of requests)
          expect((await gateway.send(path, key, { method, headers })).status).to.equal(status);
    await gateway.close();
  });

  for (const form of ['cur', 'var']) {
    it(`ends an answer to ${form}CutOff after 200 bytes, so that a client notices`, async () => {
      const gateway = await openSandbox();
      const sent = gateway.send('/api/v1/artists', await demoKeyText(`${form}CutOff`));
      const [outcome] = await Promise.allSettled([sent]);
      const cutShort = gateway.log.entries.find(({ event }) => event === 'response cut short');
      await gateway.close();
      expect(outcome.status).to.equal('rejected');
      expect(cutShort).to.not.equal(undefined);
      expect(gateway.log.entries.at(-1)?.facts).to.include({ status: 200, bytes: 200 });
    });
  }

  for (const id of ['curOutage', 'curBroken', 'varOutage', 'varBroken'])
    it(`answers another method than GET with 405 to ${id}, as in a real outage`, async () => {
      const gateway = await openSandbox();
      const key = await demoKeyText(id);
      const { status } = await gateway.send('/api/v1/artists', key, { method: 'PUT' });
      await gateway.close();
      expect(status).to.equal(405);
    });

  it('holds an answer to curSlowly back for 3 seconds', async () => {
    const gateway = await openSandbox();
    const before = performance.now();
    const { status } = await gateway.send('/api/v1/signings', await demoKeyText('curSlowly'));
    await gateway.close();
    expect([status, performance.now() - before >= 2_990]).to.deep.equal([200, true]);
  });

  it('refuses its keys with a fault when the gateway has a database or a quota store', async () => {
    const options = { clock: systemClock(), log: createMemoryLog(), formNames };
    const ids = async (variables: NodeJS.ProcessEnv): Promise<readonly string[]> => {
      const { keys: source, demoFaults, close } = await openSources(readConfig(variables), options);
      const records = await source.load();
      await close();
      expect(demoFaults?.size).to.equal('REDIS_URL' in variables ? 0 : 8);
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

describe('what the chapters say about parameters', () => {
  const gateway = useGateway();

  for (const [sent = '', outcome = ''] of rowsBelow('current', 'You send | You get')) {
    it(`holds in the current form for ${sent}`, async () => {
      const { status, text } = await gateway.send(pathIn(sent), fullKeys.current.text);
      const [, expected, message] = /^`(\d+)`:? ?(.*)$/.exec(outcome) ?? [];
      expect(status).to.equal(Number(expected));
      if (status === 400)
        expect(formExpectations.current.readError(text).message).to.equal(message);
      else expect(JSON.parse(text).data.length > 0).to.equal(!outcome.includes('no artists'));
    });
  }

  for (const [sent = '', outcome = '', header = ''] of rowsBelow(
    'variant',
    'You send | You get | `X-Params-Adjusted`',
  )) {
    it(`holds in the variant form for ${sent}`, async () => {
      const { status, headers, text } = await gateway.send(pathIn(sent), fullKeys.variant.text);
      expect([status, headers['x-params-adjusted']]).to.deep.equal([
        200,
        /`(.+)`/.exec(header)?.[1],
      ]);
      const { count } = JSON.parse(text);
      if (outcome.startsWith('nothing')) expect(count).to.equal(0);
      else if (outcome === 'one artist') expect(count).to.equal(1);
      else expect(count).to.be.greaterThan(0);
    });
  }
});
