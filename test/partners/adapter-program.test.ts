import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { version } from '../../src/runtime/config.ts';
import { useCleanup } from '../support/cleanup.ts';
import { demoKey } from '../support/documents.ts';
import { openSandbox } from '../support/exchanges.ts';
import { useGateway } from '../support/gateway.ts';
import { openRelay } from '../support/partners/local-server.ts';
import { clientsFolder, runProgramFile, startProgram } from '../support/partners/programs.ts';
import { freePort } from '../support/ports.ts';
import { sendRaw } from '../support/raw.ts';
import { until } from '../support/wait.ts';

/** Writes the lists as a spreadsheet saves them. Returns the options that name them. */
const writeLists = (folder: string): readonly string[] => {
  const [ids, labels] = [join(folder, 'ids.csv'), join(folder, 'labels.txt')];
  writeFileSync(ids, '\uFEFFvariant,current\r\n"661e ""x""","art_7rf1ly"\r\n');
  writeFileSync(labels, 'Korvane\n');
  return ['--ids', ids, '--labels', labels];
};

const adapterFile = join(clientsFolder, 'artist-gateway.mjs');

describe('artist-gateway.mjs', () => {
  const demo = useGateway(openSandbox);
  const cleanup = useCleanup(afterEach);

  const start = (
    parameters: readonly string[],
    place: { readonly cwd?: string; readonly env: Readonly<Record<string, string>> },
  ) =>
    cleanup.add(startProgram(adapterFile, parameters, place), async ({ signal, ended }) => {
      signal('SIGKILL');
      await ended;
    });
  const serve = async (url: string) => {
    const lists = writeLists(await cleanup.makeFolder('serve'));
    const env = { ARTIST_API_KEY: demoKey('qaCurrent'), ARTIST_API_URL: url };
    const serving = start(['serve', '--port', '0', ...lists], { env });
    await until('the first line', () => serving.text.stdout.includes('\n'));
    return serving;
  };
  const demoUrl = () => `http://127.0.0.1:${demo.port}`;

  it('contains its version and the licences of its packages in readable code', () => {
    const text = readFileSync(adapterFile, 'utf8');
    expect(text).to.match(
      new RegExp(`^#!.*\n// artist-gateway ${version.replaceAll('.', '\\.')}\\.`),
    );
    for (const name of ['koa', 'zod', 'lru-cache'])
      expect(text).to.match(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, 'm'));
    expect(text).to.include('createRemoteCatalogue');
  });

  it('serves with quoted identifiers, and ends with 0 after Ctrl-C', async () => {
    const serving = await serve(demoUrl());
    const [, port] = /^http:\/\/\S+:(\d+) serves the variant form/.exec(serving.text.stdout) ?? [];
    const { text } = await sendRaw(Number(port), {
      path: '/api/v1/artists?id=661e%20%22x%22',
    });
    expect(JSON.parse(text).count).to.equal(1);
    serving.signal('SIGINT');
    expect((await serving.ended).code).to.equal(0);
  });

  it('reports a newer version of the program at the service', async () => {
    const { url } = await openRelay(cleanup, demo.port, (_reply, request) =>
      request.url === '/docs/clients/artist-gateway.mjs'
        ? { rawHeaders: [], body: '#!/usr/bin/env node\n// artist-gateway 10.0.0. …' }
        : {},
    );
    const { text } = await serve(url);
    const notice = `This is version ${version}. Version 10.0.0 is at ${url}/docs/clients/`;
    await until('the notice', () => text.stderr.includes(notice));
  });

  it('rejects wrong options in one line', async () => {
    const folder = await cleanup.makeFolder('options');
    const serving = ['serve', ...writeLists(folder)];
    const key = { ARTIST_API_KEY: 'x' };
    for (const [env, options, words] of [
      [key, [...serving, '--port=65536'], '--port takes a number up to 65535.'],
      [
        ...[key, [...serving, `--port=${demo.port}`]],
        `Cannot serve at --host 127.0.0.1 --port ${demo.port}: `,
      ],
      [key, [...serving, '--without', 'foto'], 'There is no field foto: see serve --list-fields.'],
      [key, [...serving, '--ids', 'missing.csv'], 'missing.csv'],
      [
        { MONGODB_URL: 'mongodb://x/y' },
        ['sandbox'],
        'MONGODB_URL is set: the sandbox has no database.',
      ],
      [{}, ['sandbox', '--at', '2026-08-22'], '--at takes a time with its zone, like '],
    ] as [Record<string, string>, string[], string][]) {
      const outcome = await runProgramFile(adapterFile, options, { env });
      expect([outcome.code, outcome.errors.length], words).to.deep.equal([1, 1]);
      expect(outcome.errors[0]).to.include(words);
    }
  });

  it('sandbox serves two jobs, each at its port and time, and leaves no file', async () => {
    const cwd = await cleanup.makeFolder('sandbox');
    const env = { TMPDIR: cwd, LOG_LEVEL: 'info' };
    const open = async (at: string) => {
      const port = await freePort();
      const job = start(['sandbox', '--port', `${port}`, '--at', at], { cwd, env });
      const hasKeys = () => /A demo key for every other/.test(job.text.stdout + job.text.stderr);
      await until('the demo keys', hasKeys);
      return { port, ...job };
    };
    const jobs = await Promise.all(['2026-08-22T12:00Z', '2026-08-23T12:00:00+02:00'].map(open));
    const times = [];
    for (const { port } of jobs)
      times.push(JSON.parse((await sendRaw(port, { path: '/api/v1/health' })).text).generated_at);
    expect(times).to.deep.equal(['2026-08-22T12:00:00.000Z', '2026-08-23T10:00:00.000Z']);
    const port = jobs[0]?.port ?? 0;
    const names = ['curFull01', 'curRevoke', 'curSpikes', 'curBroken', 'curOutage', 'varOutage'];
    const statuses = [];
    for (const name of names) {
      const headers = { Authorization: `Bearer ${demoKey(name)}` };
      statuses.push((await sendRaw(port, { path: '/api/v1/artists', headers })).status);
    }
    expect(statuses).to.deep.equal([200, 401, 403, 500, 503, 500]);
    for (const path of ['/docs', '/openapi.json', '/docs/clients/artist_api.py'])
      expect((await sendRaw(port, { path })).status, path).to.equal(200);
    const own = await sendRaw(port, { path: '/docs/clients/artist-gateway.mjs' });
    expect(own.text.length).to.be.greaterThan(1_000_000);
    for (const { text, signal, ended } of jobs) {
      expect(text.stdout + text.stderr).to.not.include('"operations"');
      signal('SIGKILL');
      await ended;
    }
    expect(readdirSync(cwd)).to.deep.equal([]);
  });
});
