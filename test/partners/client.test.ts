import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import type { z } from 'zod';
import type * as wire from '../../adapters/forms/current/wire.ts';
import {
  ApiError,
  type Artist,
  Client,
  type ListMeta,
  poll,
  type Signing,
  type Song,
  type Spike,
} from '../../partners/client/artist-api.ts';
import { buildArtist, buildKey, keySourceOf } from '../support/builders.ts';
import { catchError } from '../support/catch-error.ts';
import { useCleanup } from '../support/cleanup.ts';
import { readExchange } from '../support/exchanges.ts';
import { createCertificate } from '../support/faults/nginx.ts';
import { today } from '../support/forms/numbered-artists.ts';
import { createTestGateway, fullKeys } from '../support/gateway.ts';
import { openLocalServer, openRelay } from '../support/partners/local-server.ts';
import {
  clientFile,
  clientKinds,
  clientsFolder,
  runClient,
  runProgramFile,
  startProgram,
} from '../support/partners/programs.ts';
import { createTestSource } from '../support/source.ts';

/** Of every wait: 15 minutes become 90 ms. */
const factor = ['--wait-factor', '0.0001'];

const artistsOfToday = (...ids: readonly string[]) =>
  ids.map((id) => buildArtist({ id, dateAdded: today }));
const key = buildKey({ form: 'current' });

/** As it is sent: unknown fields are absent. */
type Sent<Value> = Value extends readonly (infer Item)[]
  ? readonly Sent<Item>[]
  : Value extends object
    ? { [name in keyof Value]: Sent<Exclude<Value[name], undefined>> }
    : Value;

/** Fields of the contract or of the client only, and whether values differ. */
type Wrong<Schema extends z.ZodType, Own, Wire = z.infer<Schema>> =
  | Exclude<keyof Wire, keyof Own>
  | Exclude<keyof Own, keyof Wire>
  | (Sent<Wire> extends Own ? never : 'values');
type Named<Names extends string> = [Names] extends [never] ? 'none' : `wrong: ${Names}`;

/** A page of the service. */
const pageText = (
  data: readonly { readonly id: string; readonly name: unknown }[],
  next: string | null = null,
): string =>
  JSON.stringify({
    data: data.map((artist) => ({ songs: [], ...artist })),
    meta: { next_cursor: next, generated_at: `${today}T00:00:00.000Z` },
  });
const onePage = pageText([{ id: 'a', name: 'A' }]);
const twoArtists = pageText(['a', 'b'].map((id) => ({ id, name: id })));

describe('the client that partners download', () => {
  const cleanup = useCleanup(afterEach);
  let folder = '';
  let state = '';
  beforeEach(async () => {
    folder = await cleanup.makeFolder('client');
    state = join(folder, 'state.json');
  });

  /** A service that returns a text, or what a function returns. */
  const open = async (
    answer: string | ((request: IncomingMessage, response: ServerResponse) => void),
  ) => {
    const { url } = await openLocalServer(cleanup, (request, response) => {
      response.setHeader('X-Request-Id', 'r1');
      if (request.url?.startsWith('/api/v1/health') === true)
        response.end(`{"generated_at":"${today}T00:00:00.000Z"}`);
      else if (typeof answer === 'string') response.end(answer);
      else answer(request, response);
    });
    return { ARTIST_API_KEY: 'k', ARTIST_API_URL: url };
  };

  /** A gateway whose clock advances by each `Retry-After`, and `art_late` after 3 requests. */
  const openGateway = async (ids: readonly string[], perMinute = 99) => {
    const source = createTestSource({ artists: artistsOfToday(...ids) });
    const keys = keySourceOf([key], { perMinute, perDay: 1000 });
    const { gateway, clock, port, close } = await createTestGateway({ source, keys });
    cleanup.add(gateway, close);
    const seen: { path: string; hasTag: boolean; status: number }[] = [];
    const { url } = await openRelay(cleanup, port, async (reply, { url: path = '', headers }) => {
      clock.advance(Number(reply.headers['retry-after'] ?? 0) * 1000);
      const hasTag = headers['if-none-match'] !== undefined;
      if (!path.includes('health')) seen.push({ path, status: reply.status, hasTag });
      if (seen.length === 3) source.change({ artists: artistsOfToday('art_late', ...ids) });
      await Promise.all([gateway.keys.refresh(), gateway.catalogue.refresh()]);
      return {};
    });
    return { clock, seen, env: { ARTIST_API_KEY: key.text, ARTIST_API_URL: url } };
  };

  for (const kind of clientKinds) {
    type Service = Awaited<ReturnType<typeof open>>;
    const run = (env: Service, ...options: readonly string[]) =>
      runClient(kind, [...options, ...factor], env, folder);
    /** The first fields of what it prints. */
    const idsOf = async (env: Service, ...options: readonly string[]) => {
      const { code, lines, why } = await run(env, ...options);
      expect(code, why).to.equal(0);
      return lines.map((line) => line.split('\t')[0] ?? '');
    };

    it(`waits for quotas without a limit with --wait, and counts other failures (${kind})`, async () => {
      const statuses = [429, 429, 503, 429, 429, 429, 503, 429, 503, 503];
      let asked = 0;
      const service = await open((_request, response) => {
        const status = statuses[asked++];
        if (status === undefined) response.end(onePage);
        else response.writeHead(status, { 'Retry-After': '1' }).end('{}');
      });
      expect(await idsOf(service, 'list', '--wait')).to.deep.equal(['a']);
      expect(asked).to.equal(11);
      statuses.push(503);
      asked = 0;
      const { code, errors } = await run(service, 'list', '--wait');
      expect([code, asked]).to.deep.equal([1, 11]);
      expect(errors.at(-1)).to.match(/^503\b.*Z\. Run this again then\.$/);
    });

    it(`polls with If-None-Match, and prints each added artist once (${kind})`, async () => {
      const { env, seen } = await openGateway(['art_0'], 2);
      expect(await idsOf(env, 'poll', '--polls', '4')).to.deep.equal(['art_0', 'art_late']);
      expect(seen.map(({ status }) => status)).to.deep.equal([200, 304, 429, 200, 304]);
      expect(seen.map(({ hasTag }) => hasTag)).to.deep.equal([false, true, true, true, true]);
      for (const { path } of seen) expect(path).to.include('added_since=2026-08-21');
    });

    it(`prints pages of the requested size, each artist once after a restart (${kind})`, async () => {
      const ids = Array.from({ length: 15 }, (_, index) => `many_${index}`);
      const { env, seen, clock } = await openGateway(ids);
      const options = ['poll', '--polls', '1', '--page-size', '6', '--state', 'state.json'];
      expect(await idsOf(env, ...options)).to.have.members(ids);
      expect(seen).to.have.lengthOf(3);
      clock.advance(5 * 86_400_000);
      expect(await idsOf(env, ...options)).to.deep.equal(['art_late']);
      expect(seen.at(-1)?.path).to.include('added_since=2026-08-21');
      expect(await idsOf(env, ...options)).to.deep.equal([]);
      expect(seen.at(-1)?.path).to.include('added_since=2026-08-26');
    });

    it(`keeps a state that is another file, or if a later page fails (${kind})`, async () => {
      const service = await open((request, response) => {
        if (request.url?.includes('cursor=') === true) response.writeHead(404);
        response.end(pageText([{ id: 'a', name: 'A' }], 'more'));
      });
      const written = '{"day":"2026-01-01","seen":["a"]}';
      const days = ['2026-02-30', '20260101', '0001-01-01'];
      const wrong = [
        ...days.map((day) => written.replace('2026-01-01', day)),
        ...['7', '[1]'].map((value) => written.replace('["a"]', value)),
      ];
      for (const text of [written, '[]', 'not mine', '{"seen":[]}', ...wrong]) {
        writeFileSync(state, text);
        const outcome = await run(service, 'poll', '--polls', '1', '--state', state);
        expect([outcome.code, outcome.stdout, outcome.errors.length], outcome.why).to.deep.equal([
          ...[1, '', 1],
        ]);
        const reason = text === written ? /^404: / : /is not a file that poll has written\.$/;
        expect(outcome.errors[0], text).to.match(reason);
        expect(readFileSync(state, 'utf8')).to.equal(text);
      }
    });

    it(`fails before it prints if a state is unwritable or in use (${kind})`, async () => {
      const service = await open(onePage);
      mkdirSync(join(folder, 'volume/states'), { recursive: true });
      symlinkSync('volume/states', join(folder, 'states'));
      symlinkSync('states/../seen.json', join(folder, 'link.json'));
      for (const [file, pid, reason] of [
        ['states', '', /^states cannot be written: (?:Is a|Illegal operation on a) directory/],
        ['missing/state.json', '', /^missing\/\S+ cannot be written: No such file or directory\.$/],
        ['used.json', `${process.pid}`, /^Process \d+ uses used\.json\. .*remove \/.*\.lock\.$/],
        ['crashed.json', '999999999', undefined],
        ['link.json', '', undefined],
      ] as const) {
        if (pid) writeFileSync(join(folder, `${file}.lock`), pid);
        const outcome = await run(service, 'poll', '--polls', '1', '--state', file);
        const { code, errors, stdout, why } = outcome;
        expect([code, stdout], why).to.deep.equal(reason ? [1, ''] : [0, 'a\tA\n']);
        if (reason) expect(errors.join('\n')).to.match(reason);
      }
      const left = ['used.json', 'used.json.lock', 'crashed.json', 'link.json', 'states', 'volume'];
      expect(readdirSync(folder)).to.have.members(left);
      expect(lstatSync(join(folder, 'link.json')).isSymbolicLink()).to.equal(true);
      expect(readdirSync(join(folder, 'volume'))).to.have.members(['seen.json', 'states']);
    });

    it(`polls on after HTML and an outage, and ends with a 404 (${kind})`, async () => {
      let asked = 0;
      const service = await open((_request, response) => {
        asked += 1;
        if (asked === 1) response.removeHeader('X-Request-Id');
        if (asked === 1) response.end('<title>Log in</title>');
        else if (asked < 7) response.writeHead(503, { 'Retry-After': '1' }).end('{}');
        else if (asked > 7) response.writeHead(404).end('{}');
        else response.end(onePage);
      });
      const { code, lines, errors, why } = await run(service, 'poll');
      expect([code, lines], why).to.deep.equal([1, ['a\tA']]);
      expect(errors[0], why).to.match(/^200 from something before .*: next poll in 15 minutes$/);
      expect(errors.at(-2), why).to.match(/^503: .*: next poll in 15 minutes$/);
      expect(errors.at(-1), why).to.match(/^404: /);
    });

    it(`prints repeated artists once, each in a line, until a page repeats (${kind})`, async () => {
      const names = ['one\nart_x\tTwo', '\u001b[31mred\u0007', '月見坂\u2028x', '\u202egnp'];
      const all = [...names, '__proto__', '\ud800'].map((name, index) => ({
        id: `${index}`,
        name,
      }));
      const service = await open(({ url = '' }, response) => {
        if (url.includes('third')) response.end(pageText([], 'third'));
        else if (url.includes('second')) response.end(pageText(all.slice(2), 'third'));
        else response.end(pageText(all.slice(0, 3), 'second'));
      });
      const env = { ...service, PYTHONIOENCODING: 'cp1252' };
      const { code, lines, errors, why } = await runClient(kind, ['list'], env);
      expect([code, ...errors], why).to.deep.equal([1, 'A page names itself as the next page.']);
      const printed = ['one art_x Two', '[31mred', '月見坂 x', 'gnp', '__proto__', '\ufffd'];
      expect(lines).to.deep.equal(printed.map((name, index) => `${index}\t${name}`));
    });

    it(`names its options and variables in --help, and rejects others (${kind})`, async () => {
      const pages = kind === 'py' ? [['poll', '--help'], ['--help']] : [['--help']];
      const texts = await Promise.all(pages.map((options) => runClient(kind, options, {})));
      const text = texts
        .map(({ stdout }) => stdout)
        .join('')
        .replaceAll(/\s+/g, ' ');
      for (const name of ['--polls', '--state', 'ARTIST_API_KEY', 'HTTPS_PROXY'])
        expect(text).to.include(name);
      for (const name of ['From cron:', 'entered late', 'list', 'artist', 'spikes', 'signings'])
        expect(text).to.include(name);
      const service = await open(onePage);
      const numbers = ['timeout=-1', 'polls=0', 'polls=1.5', 'page-size=1e2', 'timeout=1e9'];
      for (const options of [
        ...[[], ['lists'], ['artist'], ['list', 'x']],
        ...numbers.map((option) => ['poll', '--polls=1', `--${option}`]),
      ]) {
        const { code, stdout, errors, why } = await run(service, ...options);
        expect([code === 0, stdout], why).to.deep.equal([false, '']);
        expect(errors.join(), why).to.not.match(/Traceback|Error:.*\n/);
      }
    });

    for (const [signal, expected] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const)
      it(`ends with ${expected} and no further line after ${signal} (${kind})`, async () => {
        const env = await open((_request, response) => {
          response.writeHead(429, { 'Retry-After': '60' }).end('{}');
        });
        const options = { env, signal, until: ': waiting 60 s\n' };
        const { code, errors } = await runProgramFile(clientFile(kind), ['list'], options);
        expect([code, errors.length]).to.deep.equal([expected, 1]);
      });

    it(`writes no state if standard output is closed (141) or full (1) (${kind})`, async () => {
      const data = Array.from({ length: 100 }, (_, index) => ({
        ...{ id: `a${index}`, name: 'x'.repeat(2000) },
      }));
      const env = await open(pageText(data));
      const options = ['poll', '--polls', '1', '--state', state];
      const start = (stdout: 'pipe' | number) =>
        startProgram(clientFile(kind), options, { env, stdout });
      const closed = start('pipe');
      closed.child.stdout?.destroy();
      expect(await closed.ended).to.deep.equal({ code: 141, stdout: '', errors: [] });
      const { code, errors } = await start(openSync('/dev/full', 'w')).ended;
      expect([code, ...errors]).to.deep.equal([1, 'Standard output: No space left on device']);
      expect(readFileSync(state, 'utf8')).to.equal('');
    });

    it(`tries an untrusted certificate once, and names the setting (${kind})`, async () => {
      const [key, cert] = createCertificate(folder).map((file) => readFileSync(file));
      const server = createServer({ key, cert }).listen(0, '127.0.0.1');
      cleanup.add(server, async (one) => void one.close());
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo; // a TCP address is never a string
      const env = { ARTIST_API_KEY: 'k', ARTIST_API_URL: `https://127.0.0.1:${port}` };
      const { code, errors } = await run(env, 'list');
      expect([code, errors.length]).to.deep.equal([1, 1]);
      const setting = kind === 'py' ? 'SSL_CERT_FILE' : 'NODE_EXTRA_CA_CERTS';
      expect(errors[0]).to.match(new RegExp(`^No response from https:.*certificate.*${setting}`));
    });

    it(`prints an artist, spikes and signings (${kind})`, async () => {
      const gateway = await createTestGateway();
      cleanup.add(gateway, ({ close }) => close());
      const ARTIST_API_URL = `http://127.0.0.1:${gateway.port}`;
      const env = { ARTIST_API_KEY: fullKeys.current.text, ARTIST_API_URL };
      const printed = async (...options: string[]) => (await run(env, ...options)).lines;
      const [artist = ''] = await printed('artist', 'art_7rf1ly');
      expect(artist).to.match(/^\{"id":"art_7rf1ly",.*"history":\{/);
      for (const name of ['spikes', 'signings'] as const) {
        const { data } = Object(readExchange('current', name).body);
        // biome-ignore lint/suspicious/noExplicitAny: an item of the contract
        const lines = data.map(({ artist_id, artist_name, ...item }: any) => {
          const more =
            name === 'spikes'
              ? [item.metric, item.percent_change]
              : [item.signing.status, item.total_label_songs];
          return [artist_id, artist_name, ...more].join('\t').trim();
        });
        expect(await printed(name)).to.deep.equal(lines);
      }
    });
  }

  describe('as a library in Python', () => {
    /** Runs a script next to the client, which returns the value of `told`. */
    const python = async (service: Readonly<Record<string, string>>, script: string) => {
      const file = join(folder, 'script.py');
      writeFileSync(file, `import json\n${script}\nprint(json.dumps(told))`);
      const { code, stdout, errors } = await runProgramFile(file, [], {
        env: { PYTHONPATH: clientsFolder, PYTHONWARNINGS: 'error', ...service },
      });
      expect([code, errors], errors.join('\n')).to.deep.equal([0, []]);
      return JSON.parse(stdout);
    };

    it('raises one class of error, even in a thread', async () => {
      const error = { code: 'not_found', message: 'No such artist.', request_id: 'r1' };
      const service = await open((_request, response) => {
        response.writeHead(404).end(JSON.stringify({ error }));
      });
      const found = await python(
        service,
        `import pickle, threading
from artist_api import ApiError, Client
told = []
def work():
    try:
        Client().artist("a/b")
    except Exception as error:
        told.append([type(error).__name__, error.status, error.code, error.request_id, error.from_service, str(error)])
        told.append(str(pickle.loads(pickle.dumps(error))))
thread = threading.Thread(target=work)
thread.start(); thread.join()
for given in (dict(url="http://h?x"), dict(url="http://h", key="one two")):
    try:
        Client(**given)
    except ValueError as error:
        told.append(str(error))`,
      );
      const text = '404 not_found: No such artist. (request_id r1)';
      expect(found).to.deep.equal([
        ['ApiError', 404, 'not_found', 'r1', true, text],
        text,
        'url has a query or a fragment.',
        'key has a space at character 4: copy it again without quotes and line ends.',
      ]);
    });

    it('reads in a notebook, and in many threads with one client', async () => {
      const found = await python(
        await open(onePage),
        `import concurrent.futures, io, sys
output, sys.stdout, sys.stderr = sys.stdout, io.StringIO(), io.StringIO()
from artist_api import Client, poll
said = []
client = Client(notice=said.append)
poll(client, polls=1)
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    counts = list(pool.map(lambda _: len(list(client.artists())), range(40)))
printed, sys.stdout = sys.stdout.getvalue(), output
told = [printed, counts, client.requests, said]`,
      );
      expect(found).to.deep.equal(['a\tA\n', Array(40).fill(1), 42, []]);
    });

    it('sends the key through HTTP_PROXY, and rejects an invalid one without printing it', async () => {
      const { ARTIST_API_URL: proxy } = await open(({ url, headers }, response) => {
        response.end(pageText([{ id: 'a', name: `${url} ${headers.authorization}` }]));
      });
      const script = `from artist_api import Client
try:
    told = [artist["name"] for artist in Client().artists()]
except ValueError as error:
    told = str(error)`;
      const through = (HTTP_PROXY: string) => {
        const proxies = { HTTP_PROXY, http_proxy: HTTP_PROXY };
        const ARTIST_API_URL = 'http://service.invalid';
        return python({ ARTIST_API_KEY: 'k', ARTIST_API_URL, ...proxies }, script);
      };
      expect(await through(proxy)).to.deep.equal([
        'http://service.invalid/api/v1/artists?limit=100 Bearer k',
      ]);
      expect(await through('http:/user:hush@proxy.test:3128')).to.equal(
        'HTTPS_PROXY or HTTP_PROXY is no address of a proxy.',
      );
    });

    it('repeats artists until a handler took all, and writes a mounted state in place', async () => {
      const found = await python(
        await open(twoArtists),
        `import errno, os, pathlib
from artist_api import Client, poll
taken = []
def fail(artist):
    taken.append(artist["id"])
    if len(taken) == 2:
        raise RuntimeError("no database")
def refuse(*_):
    raise OSError(errno.EBUSY, "Device or resource busy")
os.replace = refuse
state = pathlib.Path(${JSON.stringify(state)})
for turn in range(3):
    try:
        poll(Client(), str(state), 1, handler=fail)
    except RuntimeError:
        taken.append(state.read_text())
told = [taken, json.loads(state.read_text())["seen"]]`,
      );
      const seen = ['a', 'b'];
      expect(found).to.deep.equal([[...seen, '', ...seen], seen]);
    });
  });

  describe('as a library in TypeScript', () => {
    const packages = join(import.meta.dirname, '../../node_modules');

    it('has the fields of the contract (the compiler names the others)', () => {
      const wrong: Named<
        | Wrong<typeof wire.artistWire, Artist>
        | Wrong<typeof wire.songWire, Song>
        | Wrong<typeof wire.spikeWire, Spike>
        | Wrong<typeof wire.signingWire, Signing>
        | Wrong<typeof wire.listMetaWire, ListMeta>
      > = 'none';
      expect(wrong).to.equal('none');
    });

    it('compiles with strict options, and types a history', function () {
      if (process.env['EXAMPLE_RUNS'] !== 'all') this.skip();
      const program = `import { type Artist, Client } from './artist-api.ts';
const client = new Client();
export const last: number | undefined = (await client.artist('a')).history['x']?.at(-1)?.value;
for await (const one of client.artists({ include: 'history' })) one.history['x'];
for await (const one of client.artists())
  // @ts-expect-error: without include there may be no history
  one.history['x'];
export const { body } = await client.get<{ data: Artist[] }>('/api/v1/added', { days: 7 });
// @ts-expect-error: no such filter
client.artists({ teir: 'watch' });`;
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      copyFileSync(clientFile('ts'), join(folder, 'artist-api.ts'));
      writeFileSync(join(folder, 'use.ts'), program);
      const compilerOptions = {
        ...{ allowImportingTsExtensions: true, noPropertyAccessFromIndexSignature: true },
        ...{ types: ['node'], typeRoots: [join(packages, '@types')] },
      };
      const config = { extends: join(packages, '../tsconfig.json'), compilerOptions };
      const text = JSON.stringify({ ...config, include: [], files: ['use.ts'] });
      writeFileSync(join(folder, 'tsconfig.json'), text);
      const { stdout } = spawnSync(join(packages, '.bin/tsc'), { cwd: folder, encoding: 'utf8' });
      expect(stdout).to.equal('');
    });

    it('runs under any name, minified, from standard input, bundled and through a link', async () => {
      const cwd = folder;
      const esbuild = (...options: readonly string[]) =>
        execFileSync(join(packages, '.bin/esbuild'), options, { cwd, stdio: 'ignore' });
      const text = `#!/usr/bin/env node\n${readFileSync(clientFile('mjs'), 'utf8')}`;
      writeFileSync(join(cwd, 'shortlist.mjs'), text);
      symlinkSync('shortlist.mjs', join(cwd, 'link.mjs'));
      esbuild('--minify', 'shortlist.mjs', '--outfile=min.mjs');
      writeFileSync(join(cwd, 'input.sh'), 'node --input-type=module - --help < shortlist.mjs');
      const application = `import { Client } from './shortlist.mjs';
console.log(new Client({ key: 'k' }).url, process.argv.slice(2).join(' '));`;
      writeFileSync(join(cwd, 'application.mjs'), application);
      const bundle = ['--bundle', '--platform=node', '--format=esm', '--outfile=server.mjs'];
      esbuild('application.mjs', ...bundle);
      for (const file of ['shortlist.mjs', 'link.mjs', 'min.mjs', 'input.sh', 'server.mjs']) {
        const { code, stdout } = await runProgramFile(join(cwd, file), ['--help'], { cwd });
        expect(code, file).to.equal(0);
        const own = file === 'server.mjs' ? /^http:\/\/127\.0\.0\.1:3000 --help\n$/ : /^artist-api/;
        expect(stdout, file).to.match(own);
      }
    });

    it('rejects with one class of error', async () => {
      const error = { code: 'not_found', message: 'No such artist.' };
      const { ARTIST_API_URL: url } = await open((_request, response) => {
        response.writeHead(404).end(JSON.stringify({ error }));
      });
      const client = new Client({ url, key: 'k' });
      const thrown = await catchError(() => client.artist('nobody/../x'));
      expect(thrown).to.be.instanceOf(ApiError);
      expect(thrown).to.include({ status: 404, code: 'not_found', fromService: true });
      expect(String(thrown)).to.match(/404 not_found: No such artist\. \(request_id r1\)$/);
      expect(() => new Client({ url, key: '“k”' })).to.throw(TypeError, /^key has U\+201C/);
      expect(await catchError(() => client.get('artists'))).to.be.instanceOf(TypeError);
    });

    it('writes the state of poll after the loop took every artist', async () => {
      const { ARTIST_API_URL: url } = await open(twoArtists);
      const client = new Client({ url, key: 'k' });
      const taken: string[] = [];
      for await (const { id } of poll(client, { state, polls: 1 })) {
        taken.push(id);
        if (id === 'b') break;
      }
      expect(readFileSync(state, 'utf8')).to.equal('');
      for await (const { id } of poll(client, { state, polls: 1 })) taken.push(id);
      expect(taken).to.deep.equal(['a', 'b', 'a', 'b']);
      expect(JSON.parse(readFileSync(state, 'utf8')).seen).to.deep.equal(['a', 'b']);
      expect(existsSync(`${state}.lock`)).to.equal(false);
    });

    it('names NODE_USE_ENV_PROXY if Node ignored HTTPS_PROXY', async () => {
      const { code, errors } = await runClient('mjs', ['list', ...factor], {
        ...{ ARTIST_API_KEY: 'k', ARTIST_API_URL: 'http://service.invalid' },
        HTTPS_PROXY: 'http://127.0.0.1:9',
      });
      expect(code).to.equal(1);
      expect(errors.at(-1)).to.include('NODE_USE_ENV_PROXY=1');
    });
  });
});
