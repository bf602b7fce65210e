import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ApiError, Client, poll } from '../../partners/client/artist-api.ts';
import { addDays } from '../../src/domain/day.ts';
import { clientsFolder } from '../../src/runtime/config.ts';
import { buildArtist, buildKey, keySourceOf } from '../support/builders.ts';
import { catchError } from '../support/catch-error.ts';
import { killWithTests } from '../support/child-process.ts';
import { useCleanup } from '../support/cleanup.ts';
import { readExchange } from '../support/exchanges.ts';
import { today } from '../support/forms/numbered-artists.ts';
import { createTestGateway, fullKeys } from '../support/gateway.ts';
import { forward, openLocalServer } from '../support/partners/local-server.ts';
import {
  clientFile,
  clientKinds,
  runClient,
  runProgramFile,
} from '../support/partners/programs.ts';
import { interpreters } from '../support/partners/start-program.ts';
import { createTestSource } from '../support/source.ts';

/** The factor of every wait: 15 minutes become 90 ms, a minute becomes 6 ms. */
const factor = 0.0001;

const artists = Array.from({ length: 12 }, (_, index) =>
  buildArtist({
    id: `art_${index}`,
    documentId: `doc_${index}`,
    name: `Artist "${index}" é`,
    dateAdded: addDays(today, -index * 9),
  }),
);
const later = buildArtist({ id: 'art_late', documentId: 'doc_late', dateAdded: today });
/** More than a page of artists who are added on one day. */
const many = Array.from({ length: 150 }, (_, index) =>
  buildArtist({ id: `many_${index}`, documentId: `docm_${index}`, dateAdded: today }),
);

const key = buildKey({ form: 'current' });

/** A request for artists, and the status of its answer. */
interface SeenRequest {
  readonly path: string;
  readonly ifNoneMatch: string | undefined;
  readonly status: number;
}

/** The fields of a spike and of a signing that are printed. */
interface Line {
  readonly artist_id: string;
  readonly artist_name: string;
  readonly metric?: string;
  readonly percent_change?: number;
  readonly signing?: { readonly status?: string };
  readonly total_label_songs?: number;
}

type PageArtist = { id: string; name: unknown; metrics?: unknown };

/** A page as the service answers it. */
const pageText = (data: readonly PageArtist[], next: string | null = null): string =>
  JSON.stringify({
    data: data.map((artist) => ({ songs: [], ...artist })),
    meta: { next_cursor: next, generated_at: `${today}T00:00:00.000Z` },
  });

describe('the client that partners download', () => {
  const cleanup = useCleanup(afterEach);
  const folder = mkdtempSync(join(tmpdir(), 'client-'));
  after(() => rmSync(folder, { recursive: true }));
  const state = join(folder, 'state.json');
  beforeEach(() => rmSync(state, { force: true }));

  const open = async (
    answer: (request: IncomingMessage, response: ServerResponse) => void,
  ): Promise<string> => {
    const server = await openLocalServer((request, response) => {
      response.setHeader('X-Request-Id', 'r1');
      if (request.url?.startsWith('/api/v1/health') === true)
        response.end(`{"generated_at":"${today}T00:00:00.000Z"}`);
      else answer(request, response);
    });
    cleanup.add(server, async ({ close }) => close());
    return server.url;
  };
  const openPage = (data: readonly PageArtist[]): Promise<string> =>
    open((_request, response) => void response.end(pageText(data)));

  /** A gateway that counts two requests a minute, whose clock waits as long as it says. */
  const openGateway = async (perMinute = 2) => {
    const source = createTestSource({ artists });
    const keys = keySourceOf([key], { perMinute, perDay: 1000 });
    const gateway = await createTestGateway({ source, keys });
    cleanup.add(gateway, ({ close }) => close());
    const seen: SeenRequest[] = [];
    const events = new Map<number, () => void>();
    const relay = await openLocalServer(async (incoming, outgoing) => {
      const { url: path = '', headers } = incoming;
      const reply = await forward(gateway.port, incoming);
      gateway.clock.advance(Number(reply.headers['retry-after'] ?? 0) * 1000);
      if (!path.includes('health')) {
        seen.push({ path, ifNoneMatch: headers['if-none-match'], status: reply.status });
        events.get(seen.length)?.();
      }
      await Promise.all([gateway.gateway.keys.refresh(), gateway.gateway.catalogue.refresh()]);
      outgoing.writeHead(reply.status, [...reply.rawHeaders]).end(reply.body);
    });
    cleanup.add(relay, async ({ close }) => close());
    return { source, gateway, seen, events, url: relay.url };
  };

  /** Runs the client against an address, and expects that it ends well. */
  const run = async (kind: string, url: string, ...options: readonly string[]) => {
    const env = { ARTIST_API_KEY: key.text, ARTIST_API_URL: url };
    const outcome = await runClient(kind, [...options, '--wait-factor', `${factor}`], env);
    expect(outcome.code, outcome.why).to.equal(0);
    return outcome.lines.map((line) => line.split('\t')[0] ?? '');
  };

  for (const kind of clientKinds) {
    it(`pages through the shortlist with pages of the size that is asked for (${kind})`, async () => {
      const { url, seen } = await openGateway();
      expect(await run(kind, url, 'list', '--page-size', '5')).to.have.lengthOf(12);
      expect(seen.map(({ status }) => status)).to.deep.equal([200, 200, 429, 200]);
      for (const { path } of seen) expect(path).to.include('limit=5');
    });

    it(`waits with --wait for a quota however often the service refuses, and counts other failures (${kind})`, async () => {
      const statuses = [429, 429, 503, 429, 429, 429, 503, 429, 503, 503];
      let asked = 0;
      const url = await open((_request, response) => {
        const status = statuses[asked];
        asked += 1;
        if (status === undefined) response.end(pageText([{ id: 'a', name: 'A' }]));
        else response.writeHead(status, { 'Retry-After': '1' }).end('{}');
      });
      expect(await run(kind, url, 'list', '--wait')).to.deep.equal(['a']);
      expect(asked).to.equal(11);
      statuses.push(503);
      asked = 0;
      const options = ['list', '--wait', '--wait-factor', `${factor}`];
      const env = { ARTIST_API_KEY: 'k', ARTIST_API_URL: url };
      const { code, errors } = await runClient(kind, options, env);
      expect([code, asked]).to.deep.equal([1, 11]);
      expect(errors.at(-1)).to.match(/^503\b.*Z\. Run this again then\.$/);
    });

    it(`polls with If-None-Match, and prints who is added once (${kind})`, async () => {
      const { url, seen, source, events } = await openGateway();
      events.set(3, () => source.change({ artists: [later, ...artists] }));
      expect(await run(kind, url, 'poll', '--polls', '4')).to.deep.equal(['art_0', 'art_late']);
      expect(seen.map(({ status }) => status)).to.deep.equal([200, 304, 429, 200, 304]);
      const tagged = seen.map(({ ifNoneMatch }) => ifNoneMatch !== undefined);
      expect(tagged).to.deep.equal([false, true, true, true, true]);
      for (const { path } of seen) expect(path).to.include('added_since=2026-08-21');
    });

    it(`prints every artist of a day that has more than a page (${kind})`, async () => {
      const { url, seen, source, gateway } = await openGateway(99);
      source.change({ artists: [...many, ...artists] });
      await gateway.gateway.catalogue.refresh();
      const printed = await run(kind, url, 'poll', '--polls', '2', '--page-size', '60');
      expect(printed.toSorted()).to.deep.equal(
        [...many, artists[0]].map((one) => one?.id).toSorted(),
      );
      expect(seen).to.have.lengthOf(6);
    });

    it(`remembers over a restart who was printed, from the day before its last poll on (${kind})`, async () => {
      const { url, seen, source, gateway } = await openGateway(99);
      const poll = () => run(kind, url, 'poll', '--polls', '1', '--state', state);
      expect(await poll()).to.deep.equal(['art_0']);
      expect(await poll()).to.deep.equal([]);
      source.change({ artists: [later, ...artists] });
      gateway.clock.advance(5 * 86_400_000);
      await gateway.gateway.catalogue.refresh();
      expect(await poll()).to.deep.equal(['art_late']);
      expect(seen.at(-1)?.path).to.include('added_since=2026-08-21');
      expect(await poll()).to.deep.equal([]);
      expect(seen.at(-1)?.path).to.include('added_since=2026-08-26');
    });

    it(`leaves a state as it was when it is another file, or when a later page fails (${kind})`, async () => {
      const page = (request: IncomingMessage, response: ServerResponse) => {
        if (request.url?.includes('cursor=') === true) response.writeHead(404);
        response.end(pageText([{ id: 'a', name: 'A' }], 'more'));
      };
      const url = await open(page);
      const env = { ARTIST_API_KEY: 'k', ARTIST_API_URL: url };
      const written = '{"day":"2026-01-01","seen":["a"]}';
      const others = ['2026-02-30', '20260101', '0001-01-01'].map((day) =>
        written.replace('2026-01-01', day),
      );
      const seen = ['7', '[1]', 'null'].map((value) => written.replace('["a"]', value));
      for (const text of [written, '[]', 'not mine', '{"seen":[]}', ...others, ...seen]) {
        writeFileSync(state, text);
        const outcome = await runClient(kind, ['poll', '--polls', '1', '--state', state], env);
        expect([outcome.code, outcome.stdout], outcome.why).to.deep.equal([1, '']);
        const says = text === written ? /^404: / : /is not a file that poll has written\.$/;
        expect(outcome.errors, outcome.why).to.have.lengthOf(1);
        expect(outcome.errors[0], text.slice(0, 40)).to.match(says);
        expect(readFileSync(state, 'utf8')).to.equal(text);
      }
    });

    it(`keeps a state where a link leads, even to a missing file (${kind})`, async () => {
      const url = await openPage([{ id: 'a', name: 'A' }]);
      const cwd = mkdtempSync(join(folder, 'linked-'));
      mkdirSync(join(cwd, 'volume/states'), { recursive: true });
      symlinkSync('volume/states', join(cwd, 'states'));
      symlinkSync('states/../seen.json', join(cwd, 'link.json'));
      const env = { ARTIST_API_KEY: 'k', ARTIST_API_URL: url };
      const options = ['poll', '--polls', '1', '--state', 'link.json'];
      for (const stdout of ['a\tA\n', ''])
        expect(await runProgramFile(clientFile(kind), options, { env, cwd })).to.deep.equal({
          ...{ code: 0, stdout, errors: [] },
        });
      expect(lstatSync(join(cwd, 'link.json')).isSymbolicLink()).to.equal(true);
      expect(readdirSync(join(cwd, 'volume'))).to.have.members(['seen.json', 'states']);
    });

    it(`fails before it prints if a state cannot be written or another run uses it (${kind})`, async () => {
      const url = await openPage([{ id: 'a', name: 'A' }]);
      const cwd = mkdtempSync(join(folder, 'unwritten-'));
      mkdirSync(join(cwd, 'folder'));
      const used = `${process.pid}`;
      for (const [file, pid, says] of [
        [
          'folder',
          '',
          /^folder cannot be written: Is a directory|illegal operation on a directory/i,
        ],
        [
          'missing/state.json',
          '',
          /^missing\/state\.json cannot be written: No such file or directory\.$/,
        ],
        [
          'used.json',
          used,
          /^Process \d+ uses used\.json\. If that is no poll, remove \/.*used\.json\.lock\.$/,
        ],
        ['crashed.json', '999999999', undefined],
      ] as const) {
        if (pid) writeFileSync(join(cwd, `${file}.lock`), pid);
        const { code, errors, stdout } = await runProgramFile(
          clientFile(kind),
          ['poll', '--polls', '1', '--state', file],
          { env: { ARTIST_API_KEY: 'k', ARTIST_API_URL: url }, cwd },
        );
        expect([code, stdout], errors.join()).to.deep.equal(says ? [1, ''] : [0, 'a\tA\n']);
        if (says) expect(errors.join('\n')).to.match(says);
      }
      expect(readdirSync(cwd)).to.have.members([
        ...['folder', 'used.json', 'used.json.lock', 'crashed.json'],
      ]);
    });

    it(`polls on after a page of a proxy and an outage, and ends with 404 of the service (${kind})`, async () => {
      let asked = 0;
      const url = await open((_request, response) => {
        asked += 1;
        if (asked === 1) response.removeHeader('X-Request-Id');
        if (asked === 1) response.end('<title>Log in</title>');
        else if (asked < 7) response.writeHead(503, { 'Retry-After': '1' }).end('{}');
        else if (asked > 7) response.writeHead(404).end('{}');
        else response.end(pageText([{ id: 'a', name: 'A' }]));
      });
      const options = ['poll', '--wait-factor', `${factor}`];
      const { code, lines, errors, why } = await runClient(kind, options, {
        ARTIST_API_KEY: 'k',
        ARTIST_API_URL: url,
      });
      expect([code, lines], why).to.deep.equal([1, ['a\tA']]);
      expect(errors[0], why).to.match(/^200 from something before .*: next poll in 15 minutes$/);
      expect(errors.at(-2), why).to.match(/^503: .*: next poll in 15 minutes$/);
      expect(errors.at(-1), why).to.match(/^404: /);
    });

    it(`prints an artist whose place changes meanwhile once, and each in one line (${kind})`, async () => {
      const names = [
        'one\nart_x\tTwo',
        '\u001b[31mred\u0007',
        '月見坂\u2028x',
        '\u202egnp',
        '__proto__',
        '\ud800',
      ];
      const all = names.map((name, index) => ({ id: `art_${index}`, name }));
      const url = await open(({ url: path = '' }, response) => {
        const isNext = path.includes('cursor=');
        response.end(isNext ? pageText(all.slice(2)) : pageText(all.slice(0, 3), 'next'));
      });
      const env = { ARTIST_API_KEY: 'k', ARTIST_API_URL: url, PYTHONIOENCODING: 'cp1252' };
      const { code, stdout, why } = await runClient(kind, ['shortlist'], env);
      expect(code, why).to.equal(0);
      const printed = ['one art_x Two', '[31mred', '月見坂 x', 'gnp', '__proto__', '\ufffd'];
      const lines = printed.map((name, index) => `art_${index}\t${name}\n`);
      expect(stdout).to.equal(lines.join(''));
    });

    it(`fails where a page names itself as the next one (${kind})`, async () => {
      const url = await open((_request, response) =>
        response.end(pageText([{ id: 'a', name: 'A' }], 'same')),
      );
      const env = { ARTIST_API_KEY: 'k', ARTIST_API_URL: url };
      const { code, lines, errors, why } = await runClient(kind, ['list'], env);
      expect([code, lines], why).to.deep.equal([1, ['a\tA']]);
      expect(errors, why).to.deep.equal(['A page names itself as the next one.']);
    });

    it(`names its options and variables in --help, and refuses others (${kind})`, async () => {
      const pages = kind === 'py' ? [['poll', '--help'], ['--help']] : [['--help']];
      const texts = await Promise.all(pages.map((options) => runClient(kind, options, {})));
      const text = texts.map(({ stdout }) => stdout).join('');
      const names = [
        '--polls',
        '--state',
        'ARTIST_API_KEY',
        'shortlist',
        'HTTPS_PROXY',
        'From cron:',
      ];
      for (const name of [...names, 'entered late', 'artist', 'spikes', 'signings'])
        expect(text.replaceAll(/\s+/g, ' '), kind).to.include(name);
      const wrong = [
        '--timeout=-1',
        '--polls=0',
        '--polls=1.5',
        '--page-size=1e2',
        '--timeout=1e9',
      ];
      const refused = [
        ...[[], ['lists'], ['artist'], ['list', 'x']],
        ...wrong.map((option) => ['poll', '--polls=1', option]),
      ];
      const url = await openPage([{ id: 'a', name: 'A' }]);
      const env = { ARTIST_API_KEY: 'k', ARTIST_API_URL: url };
      for (const options of refused) {
        const { code, stdout, errors, why } = await runClient(kind, options, env);
        expect([code === 0, stdout], why).to.deep.equal([false, '']);
        expect(errors.join(), why).to.not.match(/Traceback|Error:.*\n/);
      }
    });

    for (const [signal, expected] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const)
      it(`ends with ${signal} without a word while it waits for a quota (${kind})`, async () => {
        const url = await open((_request, response) => {
          response.writeHead(429, { 'Retry-After': '60' }).end('{}');
        });
        const [program = '', ...before] = interpreters[kind] ?? [];
        const child = spawn(program, [...before, clientFile(kind), 'list'], {
          env: { PATH: process.env['PATH'], ARTIST_API_KEY: 'k', ARTIST_API_URL: url },
        });
        killWithTests(child);
        let errors = '';
        child.stderr.on('data', (chunk) => {
          errors += chunk;
          if (/: waiting 60 s\n/.test(errors)) child.kill(signal);
        });
        expect(await new Promise((resolve) => child.once('close', resolve))).to.equal(expected);
        expect(errors).to.match(/^[^\n]*: waiting 60 s\n$/);
      });

    /** Runs a file whose standard output is full, or closed by who reads it. */
    const endUnread = (
      file: string,
      options: readonly string[],
      url: string,
      stdout: 'full' | 'closed',
    ) =>
      new Promise<readonly [number | null, string]>((resolve) => {
        const [program = '', ...before] = interpreters[kind] ?? [];
        const child = spawn(program, [...before, file, ...options], {
          env: { PATH: process.env['PATH'], ARTIST_API_KEY: 'k', ARTIST_API_URL: url },
          stdio: ['ignore', stdout === 'full' ? openSync('/dev/full', 'w') : 'pipe', 'pipe'],
        });
        killWithTests(child);
        let errors = '';
        child.stderr?.on('data', (chunk) => {
          errors += chunk;
        });
        child.stdout?.destroy();
        child.once('close', (code) => resolve([code, errors]));
      });

    it(`ends poll if its lines cannot be written, says why unless the reader had enough, and writes no state (${kind})`, async () => {
      const data = Array.from({ length: 100 }, (_, index) => ({
        ...{ id: `a${index}`, name: 'x'.repeat(2000) },
      }));
      const url = await openPage(data);
      const options = ['poll', '--polls', '1', '--state', state];
      expect(await endUnread(clientFile(kind), options, url, 'closed')).to.deep.equal([141, '']);
      const [code, errors] = await endUnread(clientFile(kind), options, url, 'full');
      expect([code, errors]).to.deep.equal([1, 'Standard output: No space left on device\n']);
      expect(readFileSync(state, 'utf8')).to.equal('');
    });

    it(`tries once with a certificate that it does not trust, and names the setting (${kind})`, async () => {
      const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')];
      const subject = ['-subj', '/CN=localhost', '-days', '2', '-nodes', '-newkey', 'rsa:2048'];
      execFileSync('openssl', ['req', '-x509', ...subject, ...files], { stdio: 'ignore' });
      const [key, cert] = ['key.pem', 'cert.pem'].map((name) => readFileSync(join(folder, name)));
      const server = createServer({ key, cert }).listen(0, '127.0.0.1');
      cleanup.add(server, async (one) => void one.close());
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo; // a TCP address is never a string
      const env = { ARTIST_API_KEY: 'k', ARTIST_API_URL: `https://127.0.0.1:${port}` };
      const { code, errors } = await runClient(kind, ['list'], env);
      expect([code, errors.length]).to.deep.equal([1, 1]);
      const setting = kind === 'py' ? 'SSL_CERT_FILE' : 'NODE_EXTRA_CA_CERTS';
      expect(errors[0]).to.match(new RegExp(`^No answer from https:.*certificate.*${setting}`));
    });

    it(`prints an artist, spikes and signings (${kind})`, async () => {
      const gateway = await createTestGateway();
      cleanup.add(gateway, ({ close }) => close());
      const url = `http://127.0.0.1:${gateway.port}`;
      const env = { ARTIST_API_KEY: fullKeys.current.text, ARTIST_API_URL: url };
      const printed = async (...options: string[]) => (await runClient(kind, options, env)).lines;
      const [artist = ''] = await printed('artist', 'art_7rf1ly');
      expect(artist).to.match(/^\{"id":"art_7rf1ly",.*"history":\{/);
      for (const name of ['spikes', 'signings'] as const) {
        const { data } = readExchange('current', name).body as { data: readonly Line[] };
        const lines = data.map(({ artist_id, artist_name, ...item }) => {
          const rest = [item.signing?.status ?? '', item.total_label_songs];
          const more = name === 'spikes' ? [item.metric, item.percent_change] : rest;
          return [artist_id, artist_name, ...more].join('\t').trim();
        });
        expect(await printed(name)).to.deep.equal(lines);
      }
      const { code, errors } = await runClient(kind, ['artist', 'nobody'], env);
      expect([code, errors.length]).to.deep.equal([1, 1]);
      expect(errors[0]).to.match(/^404 not_found: /);
    });
  }

  describe('as a library in Python', () => {
    /** Runs a script beside the client, with this environment, and returns what it prints. */
    const python = async (script: string, env: Readonly<Record<string, string>> = {}) => {
      const file = join(folder, 'script.py');
      writeFileSync(file, script);
      const outcome = await runProgramFile(file, [], {
        env: { PYTHONPATH: clientsFolder, PYTHONWARNINGS: 'error', ARTIST_API_KEY: 'k', ...env },
      });
      expect([outcome.code, outcome.errors], outcome.errors.join('\n')).to.deep.equal([0, []]);
      return JSON.parse(outcome.stdout);
    };

    it('raises one class of error, which no `except Exception` misses, also in a thread', async () => {
      const url = await open((_request, response) => {
        const error = { code: 'not_found', message: 'No such artist.', request_id: 'r1' };
        response.writeHead(404).end(JSON.stringify({ error }));
      });
      const found = await python(
        `import json, pickle, threading
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
        told.append(str(error))
print(json.dumps(told))`,
        { ARTIST_API_URL: url },
      );
      const text = '404 not_found: No such artist. (request_id r1)';
      expect(found).to.deep.equal([
        ['ApiError', 404, 'not_found', 'r1', true, text],
        text,
        'url has a query or a fragment.',
        'key has a blank as its character 4: copy it again, without quotes and line ends.',
      ]);
    });

    it('reads in a notebook, whose output is no file, and in many threads with one client', async () => {
      const url = await openPage([{ id: 'a', name: 'A' }]);
      const found = await python(
        `import concurrent.futures, io, json, sys
output, sys.stdout, sys.stderr = sys.stdout, io.StringIO(), io.StringIO()
from artist_api import Client, poll
said = []
client = Client(notice=said.append)
poll(client, polls=1)
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    counts = list(pool.map(lambda _: len(list(client.artists())), range(40)))
printed, sys.stdout = sys.stdout.getvalue(), output
print(json.dumps([printed, counts, client.requests, said]))`,
        { ARTIST_API_URL: url },
      );
      expect(found).to.deep.equal(['a\tA\n', Array(40).fill(1), 42, []]);
    });

    it('goes through the proxy in HTTP_PROXY, with the key', async () => {
      const proxy = await open(({ url, headers }, response) => {
        response.end(pageText([{ id: 'a', name: `${url} ${headers.authorization}` }]));
      });
      const found = await python(
        `import json
from artist_api import Client
print(json.dumps([artist["name"] for artist in Client("http://service.invalid").artists()]))`,
        { HTTP_PROXY: proxy, http_proxy: proxy },
      );
      expect(found).to.deep.equal(['http://service.invalid/api/v1/artists?limit=100 Bearer k']);
    });

    it('says without its text that HTTP_PROXY is no address of a proxy', async () => {
      const proxy = 'http:/user:hush@proxy.test:3128';
      const [found] = await python(
        `import json
from artist_api import Client
try:
    Client("http://service.invalid").today()
except ValueError as error:
    print(json.dumps([str(error)]))`,
        { HTTP_PROXY: proxy, http_proxy: proxy },
      );
      expect(found).to.equal('HTTPS_PROXY or HTTP_PROXY is no address of a proxy.');
    });

    it('gives a handler each artist again until it took all, and writes a mounted state in place', async () => {
      const url = await openPage(['a', 'b'].map((id) => ({ id, name: id })));
      const found = await python(
        `import errno, json, os, pathlib
from artist_api import Client, poll
taken = []
def fail(artist):
    taken.append(artist["id"])
    if len(taken) == 2:
        raise RuntimeError("no database")
def refuse(*_):
    raise OSError(errno.EBUSY, "Device or resource busy")
os.replace = refuse
state = ${JSON.stringify(state)}
for turn in range(3):
    try:
        poll(Client(), state, 1, handler=fail)
    except RuntimeError:
        taken.append(pathlib.Path(state).read_text())
print(json.dumps([taken, json.loads(pathlib.Path(state).read_text())["seen"]]))`,
        { ARTIST_API_URL: url },
      );
      expect(found).to.deep.equal([
        ['a', 'b', '', 'a', 'b'],
        ['a', 'b'],
      ]);
    });
  });

  describe('as a library in TypeScript', () => {
    const packages = join(import.meta.dirname, '../../node_modules');
    const esbuild = join(packages, '.bin/esbuild');

    it('compiles with strict options, and types a history', () => {
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
        ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true },
        ...{ noUnusedLocals: true, exactOptionalPropertyTypes: true },
        ...{ target: 'ES2023', module: 'NodeNext', noPropertyAccessFromIndexSignature: true },
        ...{ types: ['node'], typeRoots: [join(packages, '@types')] },
      };
      writeFileSync(
        join(folder, 'tsconfig.json'),
        JSON.stringify({ compilerOptions, files: ['use.ts'] }),
      );
      const { stdout } = spawnSync(join(packages, '.bin/tsc'), { cwd: folder, encoding: 'utf8' });
      expect(stdout).to.equal('');
    });

    it('leaves the arguments to the application that it is bundled with', async () => {
      const cwd = mkdtempSync(join(folder, 'bundle-'));
      copyFileSync(clientFile('mjs'), join(cwd, 'artist-api.mjs'));
      const application = `import { Client } from './artist-api.mjs';
console.log(new Client({ key: 'k' }).url, process.argv.slice(2).join(' '));`;
      writeFileSync(join(cwd, 'application.mjs'), application);
      const options = ['--bundle', '--platform=node', '--format=esm', '--outfile=server.mjs'];
      execFileSync(esbuild, ['application.mjs', ...options], { cwd, stdio: 'ignore' });
      for (const given of [[], ['--port', '1']]) {
        const outcome = await runProgramFile(join(cwd, 'server.mjs'), given);
        const stdout = `http://127.0.0.1:3000 ${given.join(' ')}\n`;
        expect(outcome).to.deep.equal({ code: 0, stdout, errors: [] });
      }
    });

    it('is a program under any name, minified, from standard input and behind a link', async () => {
      const cwd = mkdtempSync(join(folder, 'renamed-'));
      const text = `#!/usr/bin/env node\n${readFileSync(clientFile('mjs'), 'utf8')}`;
      writeFileSync(join(cwd, 'shortlist.mjs'), text);
      symlinkSync('shortlist.mjs', join(cwd, 'link.mjs'));
      execFileSync(esbuild, ['--minify', 'shortlist.mjs', '--outfile=min.mjs'], {
        ...{ cwd, stdio: 'ignore' },
      });
      writeFileSync(join(cwd, 'input.sh'), 'node --input-type=module - --help < shortlist.mjs');
      for (const file of ['shortlist.mjs', 'link.mjs', 'min.mjs', 'input.sh']) {
        const { code, stdout } = await runProgramFile(join(cwd, file), ['--help'], { cwd });
        expect(code, file).to.equal(0);
        expect(stdout, file).to.match(/^artist-api\.mjs COMMAND /);
      }
    });

    it('rejects with one class of error, and never ends the process', async () => {
      const gateway = await createTestGateway();
      cleanup.add(gateway, ({ close }) => close());
      const url = `http://127.0.0.1:${gateway.port}`;
      const client = new Client({ url, key: fullKeys.current.text });
      const error = await catchError(() => client.artist('nobody/../x'));
      expect(error).to.be.instanceOf(ApiError);
      expect(error).to.include({ status: 404, code: 'not_found', fromService: true });
      expect((error as ApiError).message).to.match(/^404 not_found: .* \(request_id [\w-]+\)$/);
      expect(() => new Client({ url, key: '“k”' })).to.throw(TypeError, /^key has U\+201C/);
      expect(await catchError(() => client.get('artists'))).to.be.instanceOf(TypeError);
    });

    it('writes the state of poll after the loop took every artist', async () => {
      const url = await openPage(['a', 'b'].map((id) => ({ id, name: id })));
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

    it('says how Node takes the proxy in HTTPS_PROXY, where it took none', async () => {
      const env = {
        ARTIST_API_KEY: 'k',
        ARTIST_API_URL: 'http://service.invalid',
        HTTPS_PROXY: 'http://127.0.0.1:9',
      };
      const options = ['list', '--wait-factor', `${factor}`];
      const { code, errors } = await runClient('mjs', options, env);
      expect(code).to.equal(1);
      expect(errors.at(-1)).to.include('NODE_USE_ENV_PROXY=1');
    });
  });
});
