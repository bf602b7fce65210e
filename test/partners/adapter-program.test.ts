import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { adapterFile, version } from '../../src/runtime/config.ts';
import { useCleanup } from '../support/cleanup.ts';
import { readFixtures } from '../support/documents.ts';
import { demoKeyText, openSandbox, readExchange } from '../support/exchanges.ts';
import { useGateway } from '../support/gateway.ts';
import { type AdapterFrom, startServing, writeGiven } from '../support/partners/adapter.ts';
import { forward, openLocalServer } from '../support/partners/local-server.ts';
import { runProgramFile } from '../support/partners/programs.ts';
import { startProgram } from '../support/partners/start-program.ts';
import { freePort } from '../support/ports.ts';
import { sendRaw } from '../support/raw.ts';
import { until } from '../support/wait.ts';

const lists = {
  documentIds: Object.fromEntries(
    readFixtures().artists.map(({ id, _id }) => [String(id), String(_id)]),
  ),
  labelsTracked: Object(readExchange('variant', 'signings').body)._meta.labels_tracked,
  partner: 'Quality Assurance (variant, no tight quota)',
};

const strict = join(import.meta.dirname, '../support/partners/strict');

describe('artist-gateway.mjs serve', () => {
  const demo = useGateway(openSandbox);
  const cleanup = useCleanup(afterEach);
  const fromDemo = async (): Promise<AdapterFrom> => ({
    ...{ host: `127.0.0.1:${demo.port}`, key: await demoKeyText('qaCurrent') },
    ...lists,
  });

  /** Ends with its test, even if that fails. */
  const serve = async (given: Partial<AdapterFrom> = {}) =>
    cleanup.add(await startServing({ ...(await fromDemo()), ...given }), ({ end }) => end());

  it('states its version and the licences of its packages in readable code', () => {
    const text = readFileSync(adapterFile, 'utf8');
    expect(text).to.match(
      new RegExp(`^#!.*\n// artist-gateway ${version.replaceAll('.', '\\.')}\\.`),
    );
    for (const name of ['koa', 'zod', 'lru-cache'])
      expect(text).to.match(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, 'm'));
    expect(text).to.include('createRemoteCatalogue');
  });

  it('serves as a program, and ends with Ctrl-C without a word', async () => {
    const serving = await serve();
    const { status } = await serving.send('/api/v1/artists?limit=1');
    expect([status, await serving.end('SIGINT'), serving.errors()]).to.deep.equal([200, 0, '']);
  });

  it('reports a newer version of the program at the service', async () => {
    const relay = await openLocalServer((incoming, outgoing) => {
      if (incoming.url === '/docs/clients/artist-gateway.mjs')
        return void outgoing.end('#!/usr/bin/env node\n// artist-gateway 10.0.0. …');
      const headers = { ...incoming.headers, 'accept-encoding': undefined };
      void forward(demo.port, Object.assign(incoming, { headers })).then(
        ({ status, headers, text }) => outgoing.writeHead(status, headers).end(text),
      );
    });
    cleanup.add(relay, async ({ close }) => close());
    const serving = await serve({ host: relay.host });
    const notice = `This is version ${version}. Version 10.0.0 is at ${relay.url}/docs/clients/`;
    await until('the notice', () => serving.errors().includes(notice));
  });

  it('leaves nothing behind if it is killed while it loads, and starts again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'killed-'));
    const given = writeGiven(folder, lists);
    const before = readdirSync(folder);
    const asked: string[] = [];
    const silent = await openLocalServer(({ url = '' }, response) => {
      asked.push(url);
      const body = { generated_at: '2026-08-22T12:00:00.000Z' };
      if (url.endsWith('health')) response.end(JSON.stringify(body));
    });
    cleanup.add(silent, async ({ close }) => close());
    const env = { ARTIST_API_URL: silent.url, ARTIST_API_KEY: 'x', TMPDIR: folder };
    const program = await startProgram(adapterFile, ['serve', '--port', '0', ...given], {
      env,
      cwd: folder,
    });
    await until('the first page', () => asked.some((url) => url.includes('artists')));
    program.signal('SIGKILL');
    await program.ended;
    expect(readdirSync(folder)).to.deep.equal(before);
    rmSync(folder, { recursive: true });
    const serving = await serve();
    expect((await serving.send('/api/v1/spikes')).status).to.equal(200);
    await serving.end();
  });

  it('reports what is wrong with its options in one line', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'options-'));
    const given = ['serve', ...writeGiven(folder, lists)];
    const env = { ARTIST_API_KEY: 'x' };
    const latin = join(folder, 'latin.txt');
    writeFileSync(latin, Buffer.from('Søstre', 'latin1'));
    for (const [options, words] of [
      [['--port=65536'], '--port takes a number up to 65535.'],
      [[`--port=${demo.port}`], `Cannot serve at --host 127.0.0.1 --port ${demo.port}: `],
      [['--without', 'foto'], 'There is no field foto: see serve --list-fields.'],
      [['--ids', 'nobody.csv'], 'nobody.csv'],
      [['--ids', join(folder, 'labels.txt')], 'is no CSV with the columns current and variant'],
      [['--labels', latin], `${latin} must be UTF-8: save it in that encoding.`],
      [['--record', latin], `${latin} must be UTF-8: save it in that encoding.`],
    ] as const) {
      const outcome = await runProgramFile(adapterFile, [...given, ...options], { env });
      expect([outcome.code, outcome.errors.length], words).to.deep.equal([1, 1]);
      expect(outcome.errors[0]).to.include(words);
    }
    rmSync(folder, { recursive: true });
  });

  it('gives strict programs the same before and after the move, in four languages', async function () {
    if (process.env['EXAMPLE_RUNS'] !== 'all') this.skip();
    this.timeout(180_000);
    const paths = ['artists?limit=5', 'artists?new=90&fields=basic', 'spikes?days=7', 'signings'];
    const key = await demoKeyText('qaVariant');
    const before = await openLocalServer((incoming, outgoing) => {
      const headers = { Authorization: `Bearer ${key}` };
      void sendRaw(demo.port, { path: incoming.url ?? '', headers }).then(
        ({ status, text, headers: { 'content-type': type } }) =>
          outgoing.writeHead(status, { 'Content-Type': String(type) }).end(text),
      );
    });
    cleanup.add(before, async ({ close }) => close());
    const cache = mkdtempSync(join(tmpdir(), 'go-'));
    const serving = await serve();
    for (const file of ['read.py', 'read.php', 'read.go', 'read.sh']) {
      const read = async (address: string) => {
        const targets = paths.map((path) => `/api/v1/${path}`);
        const { code, stdout, errors } = await runProgramFile(
          join(strict, file),
          [address, ...targets],
          { env: { GOCACHE: cache } },
        );
        expect(code, `${file}: ${errors.join(' / ')}`).to.equal(0);
        return stdout;
      };
      const printed = await read(before.url);
      expect(printed.split('\n'), file).to.have.length(paths.length + 1);
      expect(await read(`http://127.0.0.1:${serving.port}`), file).to.equal(printed);
    }
    await serving.end();
    rmSync(cache, { recursive: true });
  });
});

describe('artist-gateway.mjs sandbox', () => {
  const start = async (folder: string, port: number, ...more: readonly string[]) => {
    const parameters = ['sandbox', '--port', String(port), ...more];
    const env = { TMPDIR: folder, LOG_LEVEL: 'info' };
    const program = await startProgram(adapterFile, parameters, { cwd: folder, env });
    let written = '';
    program.stdout.on('data', (chunk) => {
      written += chunk;
    });
    program.stderr.on('data', (chunk) => {
      written += chunk;
    });
    await until('the first line', () => written.includes('A demo key for every other'));
    return { program, written: () => written };
  };
  const statusOf = async (port: number, name: string, path = '/api/v1/artists') => {
    const headers = { Authorization: `Bearer ${await demoKeyText(name)}` };
    return (await sendRaw(port, { path, headers })).status;
  };

  it('serves two jobs of one machine, each at its port and time, and leaves nothing after a kill', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
    const [one, other] = [await freePort(), await freePort()];
    const jobs = await Promise.all([
      start(folder, one, '--at', '2026-08-22T12:00Z'),
      start(folder, other, '--at', '2026-08-23T12:00:00+02:00'),
    ]);
    const times = [];
    for (const port of [one, other])
      times.push(JSON.parse((await sendRaw(port, { path: '/api/v1/health' })).text).generated_at);
    expect(times).to.deep.equal(['2026-08-22T12:00:00.000Z', '2026-08-23T10:00:00.000Z']);
    const statuses = [];
    for (const name of ['curFull01', 'curRevoke', 'curSpikes', 'curBroken', 'curOutage'])
      statuses.push(await statusOf(one, name));
    expect(statuses).to.deep.equal([200, 401, 403, 500, 503]);
    expect([await statusOf(one, 'varFull01'), await statusOf(one, 'varOutage')]).to.deep.equal([
      200, 500,
    ]);
    for (const path of ['/docs', '/openapi.json', '/docs/clients/artist_api.py'])
      expect((await sendRaw(one, { path })).status, path).to.equal(200);
    const own = await sendRaw(one, { path: '/docs/clients/artist-gateway.mjs' });
    expect(own.text.length).to.be.greaterThan(1_000_000);
    for (const { program, written } of jobs) {
      expect(written()).to.not.include('"operations"');
      program.signal('SIGKILL');
      await program.ended;
    }
    expect(readdirSync(folder)).to.deep.equal([]);
    rmSync(folder, { recursive: true });
  });

  it('refuses stores and a time without a zone, in one line', async () => {
    for (const [env, more, words] of [
      [{ MONGODB_URL: 'mongodb://x/y' }, [], 'MONGODB_URL is set: the sandbox has no database.'],
      [{ REDIS_URL: 'redis://x' }, [], 'REDIS_URL is set: the sandbox has no database.'],
      [{}, ['--at', '2026-08-22'], '--at takes a time with its zone, like 2026-08-22T12:00Z.'],
    ] as const) {
      const outcome = await runProgramFile(adapterFile, ['sandbox', ...more], { env });
      expect([outcome.code, outcome.errors.length], outcome.errors.join()).to.deep.equal([1, 1]);
      expect(outcome.errors[0]).to.include(words);
    }
  });
});
