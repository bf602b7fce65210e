import { execFileSync, spawn } from 'node:child_process';
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
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import { ApiError, type Artist, Client } from '../../partners/client/artist-api.ts';
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
      expect(await run(kind, url, 'shortlist', '--page-size', '5')).to.have.lengthOf(12);
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
      expect(await run(kind, url, 'shortlist', '--wait')).to.deep.equal(['a']);
      expect(asked).to.equal(11);
      statuses.push(503);
      asked = 0;
      const options = ['shortlist', '--wait', '--wait-factor', `${factor}`];
      const env = { ARTIST_API_KEY: 'k', ARTIST_API_URL: url };
      const { code, errors } = await runClient(kind, options, env);
      expect([code, asked]).to.deep.equal([1, 11]);
      expect(errors.at(-1)).to.match(/^503\b.*Z\. Run this again then\.$/);
    });

    it(`waits longer each time with --wait where a refusal does not say how long (${kind})`, async () => {
      let asked = 0;
      const url = await open((_request, response) => {
        asked += 1;
        if (asked > 6) response.end(pageText([]));
        else response.writeHead(429).end('{}');
      });
      const options = ['shortlist', '--wait', '--wait-factor', `${factor}`];
      const env = { ARTIST_API_KEY: 'k', ARTIST_API_URL: url };
      const { code, errors } = await runClient(kind, options, env);
      expect(code).to.equal(0);
      const waits = errors.map((line) => Number(/: waiting ([\d.]+) s$/.exec(line)?.[1]));
      expect(waits).to.have.length(6);
      for (const [turn, seconds] of waits.entries()) {
        const longest = Math.min(2 * 2 ** turn, 16);
        expect(seconds, `${turn}`).to.be.within(longest / 2, longest);
      }
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
      const days = [
        '2026-01-32',
        '2026-02-30',
        '20260101',
        '2026-W01-1',
        '0001-01-01',
        '0000-01-02',
      ];
      for (const text of [
        written,
        '[]',
        '['.repeat(100_000),
        'not mine',
        '{"seen":[]}',
        ...days.map((day) => written.replace('2026-01-01', day)),
        ...['7', '{"a":1}', '"a"', '[1]', 'null'].map((seen) => written.replace('["a"]', seen)),
      ]) {
        writeFileSync(state, text);
        const outcome = await runClient(kind, ['poll', '--polls', '1', '--state', state], env);
        expect([outcome.code, outcome.stdout], outcome.why).to.deep.equal([1, '']);
        const says = text === written ? /^404: / : /is not a file that poll has written\.$/;
        expect(outcome.errors, outcome.why).to.have.lengthOf(1);
        expect(outcome.errors[0], text.slice(0, 40)).to.match(says);
        expect(readFileSync(state, 'utf8')).to.equal(text);
      }
    });

    it(`keeps a state where a link leads, also to a file that is still missing (${kind})`, async () => {
      const { url } = await openGateway(99);
      const cwd = mkdtempSync(join(folder, 'linked-'));
      mkdirSync(join(cwd, 'volume/states'), { recursive: true });
      symlinkSync('volume/states', join(cwd, 'states'));
      symlinkSync('../state.json', join(cwd, 'volume/states/up.json'));
      symlinkSync('states/up.json', join(cwd, 'state.json'));
      symlinkSync('states/../behind.json', join(cwd, 'link.json'));
      symlinkSync('loop.json', join(cwd, 'loop.json'));
      const poll = (file = 'state.json') =>
        runProgramFile(clientFile(kind), ['poll', '--polls', '1', '--state', file], {
          env: { ARTIST_API_KEY: key.text, ARTIST_API_URL: url },
          cwd,
        });
      expect((await poll()).stdout).to.match(/^art_0\t/);
      expect(await poll()).to.deep.equal({ code: 0, stdout: '', errors: [] });
      expect(readFileSync(join(cwd, 'volume/state.json'), 'utf8')).to.include('art_0');
      expect(lstatSync(join(cwd, 'state.json')).isSymbolicLink()).to.equal(true);
      expect(await poll('loop.json')).to.include({ code: 1, stdout: '' });
      expect(lstatSync(join(cwd, 'loop.json')).isSymbolicLink()).to.equal(true);
      expect(readdirSync(join(cwd, 'volume'))).to.have.members(['state.json', 'states']);
      for (const [file, name] of [
        ['states/../seen.json', 'seen.json'],
        ['link.json', 'behind.json'],
      ] as const) {
        expect((await poll(file)).stdout, file).to.match(/^art_0\t/);
        expect(await poll(file), file).to.deep.equal({ code: 0, stdout: '', errors: [] });
        expect(readFileSync(join(cwd, 'volume', name), 'utf8')).to.include('art_0');
      }
    });

    it(`fails before it prints where a state cannot be written, and leaves no part of it (${kind})`, async () => {
      const url = await openPage([{ id: 'a', name: 'A' }]);
      const cwd = mkdtempSync(join(folder, 'unwritten-'));
      for (const file of ['', '.', 'missing/state.json']) {
        const { code, errors, stdout } = await runProgramFile(
          clientFile(kind),
          ['poll', '--polls', '1', '--state', file],
          { env: { ARTIST_API_KEY: 'k', ARTIST_API_URL: url }, cwd },
        );
        expect([code, stdout, errors]).to.deep.equal([
          1,
          '',
          [`${file} cannot be written.`.trim()],
        ]);
        expect(readdirSync(cwd)).to.deep.equal([]);
      }
    });

    it(`asks again in 15 minutes where a poll fails that may pass, and says so (${kind})`, async () => {
      let asked = 0;
      const url = await open((_request, response) => {
        asked += 1;
        if (asked > 1 && asked < 7) response.writeHead(503, { 'Retry-After': '1' }).end('{}');
        else response.end(pageText([{ id: `a${asked}`, name: 'A' }]));
      });
      const options = ['poll', '--polls', '3', '--wait-factor', `${factor}`];
      const { code, lines, errors, why } = await runClient(kind, options, {
        ARTIST_API_KEY: 'k',
        ARTIST_API_URL: url,
      });
      expect([code, lines], why).to.deep.equal([0, ['a1\tA', 'a7\tA']]);
      expect(errors.at(-1), why).to.match(/^503: .*: asking again in 15 minutes$/);
      expect(errors).to.have.lengthOf(5);
    });

    it(`takes any number of seconds as --timeout (${kind})`, async () => {
      const url = await openPage([{ id: 'a', name: 'A' }]);
      for (const timeout of ['2.01', '3000000', '999999999']) {
        const { lines, why } = await runClient(kind, ['shortlist', '--timeout', timeout], {
          ARTIST_API_KEY: 'k',
          ARTIST_API_URL: url,
        });
        expect(lines, why).to.deep.equal(['a\tA']);
      }
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
      for (const [command, ...printed] of [['shortlist', 'a\tA'], ['poll']]) {
        const { code, lines, errors, why } = await runClient(kind, [command ?? ''], {
          ARTIST_API_KEY: 'k',
          ARTIST_API_URL: url,
        });
        expect([code, lines], why).to.deep.equal([1, printed]);
        expect(errors, why).to.deep.equal(['A page names itself as the next one.']);
      }
    });

    it(`names its options and variables in --help, and refuses others (${kind})`, async () => {
      const pages = kind === 'py' ? [['poll', '--help'], ['--help']] : [['--help']];
      const texts = await Promise.all(pages.map((options) => runClient(kind, options, {})));
      const text = texts.map(({ stdout }) => stdout).join('');
      const names = ['--base-url', '--polls', '--state', '--timeout', '--wait ', '--wait-factor'];
      const others = ['ARTIST_API_URL', 'ARTIST_API_KEY', 'shortlist', 'HTTPS_PROXY', 'From cron:'];
      for (const name of [...names, ...others])
        expect(text.replaceAll(/\s+/g, ' '), kind).to.include(name);
      const wrong = ['--timeout=-1', '--polls=0', '--page-size=0', '--wait-factor=-1', '--polls=x'];
      wrong.push('--polls=1.5', '--polls=0x1', '--page-size=1e2', '--timeout=0x1');
      wrong.push('--timeout=Infinity', '--timeout=1e9');
      const refused = [[], ['list'], ...wrong.map((option) => ['poll', '--polls=1', option])];
      const url = await openPage([{ id: 'a', name: 'A' }]);
      const env = { ARTIST_API_KEY: 'k', ARTIST_API_URL: url };
      for (const options of refused) {
        const { code, stdout, errors, why } = await runClient(kind, options, env);
        expect([code === 0, stdout], why).to.deep.equal([false, '']);
        expect(errors.join(), why).to.not.match(/Traceback|Error:.*\n/);
      }
    });

    /** Starts it against a service that never answers, or asks to wait for a minute. */
    for (const phase of ['waits for an answer', 'waits for the quota'])
      it(`ends with Ctrl-C without a word of its own while it ${phase} (${kind})`, async () => {
        let interrupt = (): unknown => undefined;
        const url = await open((_request, response) => {
          if (phase.endsWith('quota')) response.writeHead(429, { 'Retry-After': '60' }).end('{}');
          setTimeout(() => interrupt(), 150);
        });
        const [program = '', ...before] = interpreters[kind] ?? [];
        const child = spawn(program, [...before, clientFile(kind), 'shortlist'], {
          env: { PATH: process.env['PATH'], ARTIST_API_KEY: 'k', ARTIST_API_URL: url },
        });
        killWithTests(child);
        let errors = '';
        child.stderr.on('data', (chunk) => {
          errors += chunk;
        });
        interrupt = () => child.kill('SIGINT');
        const ended = await new Promise((resolve) => {
          child.once('close', (code, signal) => resolve(code ?? signal));
        });
        expect(ended).to.equal(kind === 'py' ? 130 : 'SIGINT');
        expect(errors).to.not.match(/Traceback|KeyboardInterrupt|at /);
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

    for (const options of [['shortlist'], ['poll', '--polls', '1', '--state', state]])
      it(`ends ${options[0]} where nobody takes what it prints, says why unless the reader had enough, and writes no state (${kind})`, async () => {
        const url = await openPage(
          Array.from({ length: 100 }, (_, index) => ({ id: `a${index}`, name: 'x'.repeat(2000) })),
        );
        expect(await endUnread(clientFile(kind), options, url, 'closed')).to.deep.equal([141, '']);
        const [code, errors] = await endUnread(clientFile(kind), options, url, 'full');
        expect(code).to.equal(1);
        expect(errors).to.equal('Standard output: No space left on device\n');
        expect(existsSync(state)).to.equal(false);
      });

    it(`names the state where there is no space left for it, and leaves no part of it (${kind})`, async () => {
      const url = await openPage([{ id: 'a', name: 'A' }]);
      const cwd = mkdtempSync(join(folder, 'full-'));
      const script = join(cwd, 'full.sh');
      const command = [...(interpreters[kind] ?? []), clientFile(kind)].join(' ');
      // What is written beside the state first is a link to a device that is full.
      const link = 'ln -s /dev/full "state.json.$$"';
      writeFileSync(script, `${link} && exec ${command} poll --polls 1 --state state.json`);
      const env = { ARTIST_API_KEY: 'k', ARTIST_API_URL: url };
      const { code, stdout, errors } = await runProgramFile(script, [], { env, cwd });
      const expected = 'state.json cannot be written: No space left on device.';
      expect([code, stdout, errors]).to.deep.equal([1, 'a\tA\n', [expected]]);
      expect(readdirSync(cwd)).to.deep.equal(['full.sh']);
    });

    it(`fails as a library where nobody takes what poll prints, and writes no state (${kind})`, async () => {
      const url = await openPage([{ id: 'a', name: 'A' }]);
      const text =
        kind === 'py'
          ? `from artist_api import Client, poll\npoll(Client(), state=${JSON.stringify(state)}, polls=1)`
          : `import { Client, poll } from './artist-api.mjs';\nawait poll(new Client(), { state: ${JSON.stringify(state)}, polls: 1 });`;
      const script = join(folder, `tab.${kind}`);
      copyFileSync(clientFile(kind), join(folder, basename(clientFile(kind))));
      writeFileSync(script, text);
      for (const stdout of ['full', 'closed'] as const) {
        const [code, errors] = await endUnread(script, [], url, stdout);
        expect(code, errors).to.not.equal(0);
        expect(errors).to.match(/ENOSPC|EPIPE|No space left|Broken pipe/);
        expect(existsSync(state)).to.equal(false);
      }
    });
  }

  /** A service that notes what it is asked for. */
  const openNoting = async () => {
    const asked: (string | undefined)[] = [];
    const url = await open((request, response) => {
      asked.push(request.url);
      response.end(pageText([]));
    });
    return { asked, url };
  };
  const joined = ['/api/v1/artists?tier=watch&limit=50', '/api/v1/artists?tier=watch'];

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

    it('has a method for every question of the contract', async () => {
      const gateway = await createTestGateway();
      cleanup.add(gateway, ({ close }) => close());
      const env = {
        ARTIST_API_KEY: fullKeys.current.text,
        ARTIST_API_URL: `http://127.0.0.1:${gateway.port}`,
      };
      const found = await python(
        `import json
from artist_api import Client
client = Client()
artist = client.artist("art_7rf1ly")
print(json.dumps([
    len(list(client.artists(5))), len(list(client.artists(tier="breaking", include="history"))),
    len(list(client.added_since("2026-08-01"))), sorted(artist["history"])[0], sorted(client.spikes(7)),
    len(client.signings()) > 0, client.get("/api/v1/added", {"days": 30}).body["meta"]["count"],
    client.quota.day.limit, client.requests, str(client.today()),
]))`,
        env,
      );
      const { data } = readExchange('current', 'artists').body as { data: readonly Artist[] }; // by its contract
      const breaking = data.filter(({ tier }) => tier === 'breaking').length;
      expect(found.slice(0, 2)).to.deep.equal([data.length, breaking]);
      expect(found.slice(4, 6)).to.deep.equal([['engine', 'items', 'window'], true]);
      expect(found.slice(-3)).to.deep.equal([1000000, 9, '2026-08-22']);
    });

    it('adds parameters of `get` to a path that has a query', async () => {
      const { asked, url } = await openNoting();
      await python(
        `from artist_api import Client
client = Client()
client.get("/api/v1/artists?tier=watch", {"limit": 50})
client.get("/api/v1/artists?tier=watch", {"limit": None})
print(0)`,
        { ARTIST_API_URL: url },
      );
      expect(asked).to.deep.equal(joined);
    });

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
        'key has a blank (U+0020) as its character 4, which it cannot contain.',
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

    it('prints names of any script into an output of another encoding, and writes the state', async () => {
      const url = await openPage([{ id: 'a', name: '月見坂 é' }]);
      const found = await python(
        `import io, json, sys
from artist_api import Client, poll
output, sys.stdout = sys.stdout, io.TextIOWrapper(io.BytesIO(), "cp1252")
poll(Client(), state=${JSON.stringify(state)}, polls=1)
printed, sys.stdout = sys.stdout.buffer.getvalue().decode("cp1252"), output
print(json.dumps(printed))`,
        { ARTIST_API_URL: url },
      );
      expect(found).to.equal('a\t\\u6708\\u898b\\u5742 é\n');
      expect(JSON.parse(readFileSync(state, 'utf8')).seen).to.deep.equal(['a']);
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

    it('refuses a timeout that is none', async () => {
      const found = await python(
        `import json
from artist_api import Client
refused = []
for timeout in (0, -1, float("nan")):
    try:
        Client("http://service.invalid", timeout=timeout)
    except ValueError as error:
        refused.append(str(error))
print(json.dumps(refused))`,
      );
      expect(found).to.deep.equal(
        ['0', '-1', 'nan'].map((text) => `timeout is ${text}, which is not above 0`),
      );
    });

    for (const proxy of ['http:/user:hush@proxy.test:3128', 'http://hush..test:3128'])
      it(`says without its text that ${proxy} is no address of a proxy`, async () => {
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

    it('refuses to print where there is no standard output', async () => {
      const url = await openPage([{ id: 'a', name: 'A' }]);
      const file = join(folder, 'closed.sh');
      writeFileSync(file, `exec python3 -B ${clientFile('py')} shortlist >&-`);
      const env = { ARTIST_API_KEY: 'k', ARTIST_API_URL: url };
      const { code, errors } = await runProgramFile(file, [], { env });
      expect([code, errors]).to.deep.equal([1, ['standard output is closed']]);
    });

    it('writes no notice into standard output where there is no standard error', async () => {
      let asked = 0;
      const url = await open((_request, response) => {
        asked += 1;
        if (asked === 1) response.writeHead(429, { 'Retry-After': '1' }).end('{}');
        else response.end(pageText([{ id: 'a', name: 'A' }]));
      });
      const found = await python(
        `import json, sys
from artist_api import Client
sys.stderr = None # as Python starts with 2>&-
print(json.dumps([artist["id"] for artist in Client(sleep=lambda seconds: None).artists()]))`,
        { ARTIST_API_URL: url },
      );
      expect([found, asked]).to.deep.equal([['a'], 2]);
    });
  });

  describe('as a library in TypeScript', () => {
    it('compiles under `strict` alone and with stricter options, and types a history', () => {
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
      const typeRoots = [join(import.meta.dirname, '../../node_modules/@types')];
      const stricter = { noUnusedLocals: true, exactOptionalPropertyTypes: true };
      const libraries = new Map<string, ts.SourceFile | undefined>(); // parsed once
      for (const more of [{}, { ...stricter, noPropertyAccessFromIndexSignature: true }]) {
        const options: ts.CompilerOptions = {
          ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true },
          ...{ target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.NodeNext },
          ...{ types: ['node'], typeRoots, ...more },
        };
        const host = ts.createCompilerHost(options);
        const read = host.getSourceFile.bind(host);
        host.getSourceFile = (file, ...how) => {
          if (!file.endsWith('.d.ts')) return read(file, ...how);
          if (!libraries.has(file)) libraries.set(file, read(file, ...how));
          return libraries.get(file);
        };
        const compiled = ts.createProgram([join(folder, 'use.ts')], options, host);
        const mistakes = ts.getPreEmitDiagnostics(compiled);
        const texts = mistakes.map(({ messageText }) =>
          ts.flattenDiagnosticMessageText(messageText, ' '),
        );
        expect(texts).to.deep.equal([]);
      }
    });

    it('leaves the arguments to the application that it is bundled with', async () => {
      const cwd = mkdtempSync(join(folder, 'bundle-'));
      copyFileSync(clientFile('mjs'), join(cwd, 'artist-api.mjs'));
      const application = `import { Client } from './artist-api.mjs';
console.log(new Client({ key: 'k' }).url, process.argv.slice(2).join(' '));`;
      writeFileSync(join(cwd, 'application.mjs'), application);
      const esbuild = join(import.meta.dirname, '../../node_modules/.bin/esbuild');
      const options = ['--bundle', '--platform=node', '--format=esm', '--outfile=server.mjs'];
      execFileSync(esbuild, ['application.mjs', ...options], { cwd, stdio: 'ignore' });
      for (const given of [[], ['--port', '1']]) {
        const outcome = await runProgramFile(join(cwd, 'server.mjs'), given);
        const stdout = `http://127.0.0.1:3000 ${given.join(' ')}\n`;
        expect(outcome).to.deep.equal({ code: 0, stdout, errors: [] });
      }
    });

    it('is a program under any name, also behind `#!` and a link in a folder of PATH', async () => {
      const cwd = mkdtempSync(join(folder, 'renamed-'));
      const text = `#!/usr/bin/env node\n${readFileSync(clientFile('mjs'), 'utf8')}`;
      writeFileSync(join(cwd, 'shortlist.mjs'), text);
      symlinkSync('shortlist.mjs', join(cwd, 'link.mjs'));
      for (const file of ['shortlist.mjs', 'link.mjs']) {
        const { code, stdout } = await runProgramFile(join(cwd, file), ['--help'], { cwd });
        expect(code, file).to.equal(0);
        expect(stdout, file).to.match(/^artist-api\.mjs COMMAND /);
      }
    });

    it('has a typed method for every question of the contract', async () => {
      const gateway = await createTestGateway();
      cleanup.add(gateway, ({ close }) => close());
      const client = new Client({
        url: `http://127.0.0.1:${gateway.port}/`,
        key: fullKeys.current.text,
      });
      const artist = await client.artist('art_7rf1ly');
      expect(artist.history['monthly_listeners']?.at(-1)?.value).to.be.a('number');
      const breaking: string[] = [];
      for await (const { name, history } of client.artists({
        tier: 'breaking',
        include: 'history',
      }))
        if (Object.keys(history).length > 0) breaking.push(name);
      expect(breaking).to.not.have.lengthOf(0);
      const added: Artist[] = [];
      for await (const one of client.addedSince('2026-08-01')) added.push(one);
      expect(added.every(({ date_added = '' }) => date_added >= '2026-08-01')).to.equal(true);
      const { items, window, engine } = await client.spikes(7);
      expect([items.length > 0, window.days, typeof engine.name]).to.deep.equal([
        true,
        7,
        'string',
      ]);
      expect((await client.signings())[0]?.basis).to.be.an('array');
      const { body, headers } = await client.get<{ meta: { count: number } }>('/api/v1/added', {
        days: 30,
      });
      expect([typeof body.meta.count, headers.get('X-Envelope-Served')]).to.deep.equal([
        'number',
        'current',
      ]);
      expect([client.quota.day?.limit, await client.today()]).to.deep.equal([1_000_000, today]);
    });

    it('adds parameters of `get` to a path that has a query', async () => {
      const { asked, url } = await openNoting();
      const client = new Client({ url, key: 'k' });
      await client.get('/api/v1/artists?tier=watch', { limit: 50 });
      await client.get('/api/v1/artists?tier=watch', { limit: undefined });
      expect(asked).to.deep.equal(joined);
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
      expect(() => new Client({ url, key: '“k”' })).to.throw(
        TypeError,
        /^key has a typographic quote/,
      );
      expect(await catchError(() => client.get('artists'))).to.be.instanceOf(TypeError);
    });

    it('gives each line about waiting to `notice`, and waits with `sleep`', async () => {
      let asked = 0;
      const url = await open((_request, response) => {
        asked += 1;
        if (asked === 1) response.writeHead(429, { 'Retry-After': '240' }).end('{}');
        else response.end(pageText([{ id: 'a', name: 'A' }]));
      });
      const [notices, waits]: [string[], number[]] = [[], []];
      const client = new Client({
        url,
        key: 'k',
        notice: (text) => notices.push(text),
        sleep: async (seconds) => waits.push(seconds),
      });
      expect((await client.artists().next()).value?.name).to.equal('A');
      expect([waits, notices.length]).to.deep.equal([[240], 1]);
    });

    it('takes any number of seconds as `timeout`', async () => {
      const url = await openPage([{ id: 'a', name: 'A' }]);
      for (const timeout of [2.01, 3_000_000, Number.POSITIVE_INFINITY]) {
        const client = new Client({ url, key: 'k', timeout });
        expect((await client.artists().next()).value?.name).to.equal('A');
      }
    });

    it('refuses a `timeout` that is none', () => {
      for (const timeout of [0, -1, Number.NaN])
        expect(() => new Client({ url: 'http://service.invalid', key: 'k', timeout })).to.throw(
          RangeError,
          `timeout is ${timeout}, which is not above 0`,
        );
    });

    it('waits in parts where a timer of Node cannot be as long', async () => {
      let asked = 0;
      const url = await open((_request, response) => {
        asked += 1;
        if (asked === 1) response.writeHead(429, { 'Retry-After': '2147490' }).end('{}');
        else response.end(pageText([{ id: 'a', name: 'A' }]));
      });
      const waits: number[] = [];
      const client = new Client({
        ...{ url, key: 'k', wait: true, notice: () => undefined },
        sleep: async (seconds) => waits.push(seconds),
      });
      expect((await client.artists().next()).value?.name).to.equal('A');
      expect(waits).to.deep.equal([2_147_483, 7]);
    });

    it('says how Node takes the proxy in HTTPS_PROXY, where it took none', async () => {
      const env = {
        ARTIST_API_KEY: 'k',
        ARTIST_API_URL: 'http://service.invalid',
        HTTPS_PROXY: 'http://127.0.0.1:9',
      };
      const options = ['shortlist', '--wait-factor', `${factor}`];
      const { code, errors } = await runClient('mjs', options, env);
      expect(code).to.equal(1);
      expect(errors.at(-1)).to.include('NODE_USE_ENV_PROXY=1');
    });
  });
});
