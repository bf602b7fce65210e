import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect } from 'chai';
import { addDays } from '../../src/domain/day.ts';
import { buildPoint, buildSeries } from '../../test/support/builders.ts';
import { useCleanup } from '../../test/support/cleanup.ts';
import { demoKey } from '../../test/support/documents.ts';
import { openSandbox } from '../../test/support/exchanges.ts';
import { numberedArtists, today } from '../../test/support/forms/numbered-artists.ts';
import type { TestGateway } from '../../test/support/gateway.ts';
import { forward, openLocalServer } from '../../test/support/partners/local-server.ts';
import { runProgramFile } from '../../test/support/partners/programs.ts';
import { createTestSource } from '../../test/support/source.ts';

const project = new URL('../../', import.meta.url);

/** 250 artists whose pages of 100 with history are some 160,000 characters long. */
const longSource = () => {
  const points = Array.from({ length: 34 }, (_, index) =>
    buildPoint(addDays(today, index - 33), index),
  );
  const series = numberedArtists.map(({ id }) =>
    buildSeries({ artistId: id, metric: 'monthly_listeners', points }),
  );
  return createTestSource({ artists: numberedArtists, series });
};

const read = (path: string): string => readFileSync(new URL(path, project), 'utf8');

/** The program as partners install it, in its own folder with the packages that it needs. */
const installProgram = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'assistant-'));
  const program = join(folder, 'assistant.mjs');
  copyFileSync(fileURLToPath(new URL('dist/site/docs/clients/assistant.mjs', project)), program);
  symlinkSync(
    fileURLToPath(new URL('partners/assistant/node_modules', project)),
    join(folder, 'node_modules'),
  );
  process.once('exit', () => rmSync(folder, { recursive: true }));
  return program;
};
const program = installProgram();
/** The folder of the program, in which Node finds its packages. */
const cwd = dirname(program);

type Arguments = Record<string, string | number | boolean | null>;

const forms = [
  { form: 'current', file: 'contracts/openapi.json', key: 'qaCurrent' },
  { form: 'variant', file: 'contracts/openapi.variant.json', key: 'qaVariant' },
] as const;

/** The calls of every tool, and the requests that they send, with each kind of parameter. */
const calls: Readonly<
  Record<string, readonly (readonly [tool: string, given: Arguments, path: string])[]>
> = {
  current: [
    ['getHealth', {}, '/health'],
    ['listArtists', { name: 'salt & choir', limit: 3 }, '/artists?name=salt+%26+choir&limit=3'],
    [
      'listArtists',
      { tier: 'watch', include: 'history', limit: 50 },
      '/artists?tier=watch&include=history&limit=50',
    ],
    ['getArtist', { id: 'art_7rf1ly' }, '/artists/art_7rf1ly'],
    ['listAddedArtists', { days: 30, limit: 2 }, '/added?days=30&limit=2'],
    ['listSpikes', { days: 7 }, '/spikes?days=7'],
    ['listSignings', {}, '/signings'],
    ['listUnsignedSpikes', { days: 7 }, '/spikes?days=7 /signings'],
  ],
  variant: [
    ['getHealth', {}, '/health'],
    [
      'listArtists',
      { signed: true, fields: 'basic', limit: 200 },
      '/artists?signed=true&fields=basic&limit=200',
    ],
    ['listArtists', { signed: false, new: 0, limit: 9 }, '/artists?new=0&signed=false&limit=9'],
    ['listSpikes', { days: 7 }, '/spikes?days=7'],
    ['listSignings', {}, '/signings'],
  ],
};

/** How each error is caused, by form. No tool causes the errors of other methods. */
const errors: Readonly<
  Record<
    string,
    readonly (readonly [key: string, calls: number, text: RegExp, given?: Arguments])[]
  >
> = {
  current: [
    [
      'curFull01',
      1,
      /^400 invalid_cursor: cursor must be the next_cursor of a response/,
      { cursor: 'x' },
    ],
    ['curRevoke', 1, /^401 unauthorized: /],
    ['curSpikes', 1, /^403 insufficient_scope: .*artists:read/],
    ['curFull01', 1, /^404 not_found: /, { id: 'nobody' }],
    ['curLast01', 2, /^429 rate_limited: .*\nRetry in \d+ seconds, not earlier\.(?:\n|$)/],
    ['curTight1', 7, /^429 quota_exceeded: .*\nRetry in \d{5} seconds, not earlier\.(?:\n|$)/],
    ['curOutage', 1, /^503 service_unavailable: .*\nRetry in \d+ seconds, not earlier\.(?:\n|$)/],
    ['curBroken', 1, /^500 server_error: /],
  ],
  variant: [
    ['varRevoke', 1, /^401 unauthorized: /],
    ['varFull01', 1, /^404 not_found: /, { id: 'nobody' }],
    ['varLast01', 2, /^429 rate_limited: .*\nRetry in \d+ seconds, not earlier\.(?:\n|$)/],
    ['varBroken', 1, /^500 server_error: /],
  ],
};

describe('an assistant that asks through partners/assistant', () => {
  const cleanup = useCleanup(afterEach);

  /** A gateway behind a relay that notes the paths it was asked for. */
  const openService = async (
    source?: ReturnType<typeof createTestSource>,
    isCut = (_?: string) => false,
  ) => {
    const gateway: TestGateway = await openSandbox(source && { source });
    cleanup.add(gateway, ({ close }) => close());
    const seen: string[] = [];
    const relay = await openLocalServer(cleanup, (incoming, outgoing) => {
      seen.push(incoming.url ?? '');
      forward(gateway.port, incoming).then(
        ({ status, rawHeaders, body }) => {
          outgoing.writeHead(status, [...rawHeaders]);
          if (isCut(incoming.url)) outgoing.write(body.subarray(0, 200), () => outgoing.destroy());
          else outgoing.end(body);
        },
        () => outgoing.destroy(),
      );
    });
    return { gateway, relay, url: relay.url, seen };
  };

  /** Starts the program with a key as an assistant does, in the protocol of 2025 or of 2026. */
  const connect = async (url: string, keyId: string, mode: 'legacy' | 'auto' = 'legacy') => {
    const key = demoKey(keyId);
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    const env = {
      PATH: process.env['PATH'] ?? '',
      ARTIST_API_URL: `${url}/`,
      ARTIST_API_KEY: ` ${key}\n`,
    };
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [program],
      env,
      stderr: 'pipe',
    });
    let written = '';
    transport.stderr?.on('data', (chunk) => {
      written += chunk;
    });
    await client.connect(transport);
    cleanup.add(client, (one) => one.close());
    return {
      client,
      /** The texts of an answer, and whether it is an error. No message has the key. */
      async call(name: string, given: Arguments = {}) {
        const { content, isError } = await client.callTool({ name, arguments: given });
        const texts = content.map((part) => (part.type === 'text' ? part.text : ''));
        expect([...texts, written].join()).to.not.include(key.slice(0, 20));
        expect(written).to.equal('');
        return { isError: isError === true, texts, text: texts.join('\n') };
      },
    };
  };

  for (const { form, file, key } of forms)
    for (const mode of ['legacy', 'auto'] as const)
      it(`has a tool for each route, with the response of the gateway (${form}, ${mode})`, async () => {
        const contract = JSON.parse(read(file));
        const { gateway, url, seen } = await openService();
        const { client, call } = await connect(url, key, mode);
        expect(client.getInstructions()).to.match(/^A read-only API for a curated shortlist/);
        const { tools } = await client.listTools();
        const routes = Object.values<{ get: Record<string, unknown> }>(contract.paths).map(
          ({ get }) => get,
        );
        if (form === 'current') expect(tools.pop()?.name).to.equal('listUnsignedSpikes');
        expect(
          tools.map(({ name, title, description }) => ({ name, title, description })),
        ).to.deep.equal(
          routes.map(({ operationId: name, summary: title, description }) => ({
            name,
            title,
            description: String(description).replace(/ Poll it: .*304 without a body\./, ''),
          })),
        );
        expect(JSON.stringify(tools)).to.not.match(/If-None-Match|ETag|Authorization|Accept-/);
        for (const [index, { inputSchema, annotations }] of tools.entries()) {
          const parameters = [routes[index]?.['parameters'] ?? []].flat();
          const sent = parameters.filter(
            (one): one is { name: string } => Object(one).in !== 'header',
          );
          const names = Object.keys(inputSchema.properties ?? {});
          expect(names).to.deep.equal([...sent.map(({ name }) => name), 'continue_at']);
          for (const one of sent)
            expect(JSON.stringify(inputSchema)).to.include(JSON.stringify(Object(one).description));
          expect(annotations?.readOnlyHint).to.equal(true);
        }
        expect(seen.splice(0).slice(-2)).to.deep.equal([
          '/api/v1/health',
          `/${file.slice('contracts/'.length)}`,
        ]);
        const text = demoKey(key);
        for (const [name, given, path] of calls[form] ?? []) {
          const { isError, texts } = await call(name, given);
          expect(isError, texts.join()).to.equal(false);
          const paths = path.split(' ').map((one) => `/api/v1${one}`);
          expect(seen.splice(0), name).to.deep.equal(paths);
          if (paths.length > 1) continue;
          const reply = await gateway.send(paths[0] ?? '', text);
          if (name !== 'getHealth')
            expect(JSON.parse(texts.join()).data).to.deep.equal(JSON.parse(reply.text).data);
          else expect(JSON.parse(texts.join()).status).to.equal('ok');
        }
      });

  for (const { form } of forms)
    for (const [keyId, times, expected, given = {}] of errors[form] ?? [])
      it(`gets the error message of the gateway with its request_id (${keyId}: ${expected.source.slice(1, 25)})`, async () => {
        const { gateway, url, seen } = await openService();
        const { call } = await connect(url, keyId);
        const name = form === 'current' && 'id' in given ? 'getArtist' : 'listArtists';
        for (let turn = 1; turn < times; turn++) {
          await call(name, given);
          if (times > 2) gateway.clock.advance(60_000); // a day's quota, not a minute's
          await gateway.gateway.keys.refresh();
        }
        const { isError, text } = await call(name, given);
        expect(text).to.match(expected);
        expect(text).to.match(/request_id:? [0-9a-f-]{36}\b/);
        expect(isError).to.equal(true);
        expect(seen, 'an error is not asked for twice').to.have.lengthOf(2 + times);
      });

  it('is told every error of the contracts in the tests above', () => {
    for (const { form, file } of forms) {
      const { schemas } = JSON.parse(read(file)).components;
      const { code = schemas['ErrorCode'] } =
        schemas[form === 'current' ? 'ErrorDetail' : 'ErrorCode'].properties ?? {};
      const caused = (errors[form] ?? []).map(([, , text]) => /[a-z_]{5,}/.exec(text.source)?.[0]);
      // Refused before it is sent; and with a quota a day, which keys of the variant form have not.
      const notCaused = form === 'current' ? ['invalid_parameter'] : ['quota_exceeded'];
      expect([...caused, 'method_not_allowed', ...notCaused]).to.have.members(code.enum);
    }
  });

  it('lists the spikes of artists without signings with two requests', async () => {
    const { gateway, url } = await openService();
    const { call } = await connect(url, 'qaCurrent');
    const text = demoKey('qaCurrent');
    const read = async (path: string): Promise<readonly { artist_id: string }[]> =>
      JSON.parse((await gateway.send(`/api/v1${path}`, text)).text).data;
    const signed = new Set((await read('/signings')).map(({ artist_id }) => artist_id));
    const spikes = await read('/spikes?days=7');
    const expected = spikes.filter(({ artist_id }) => !signed.has(artist_id));
    expect(expected.length).to.be.within(1, spikes.length - 1);
    const { texts } = await call('listUnsignedSpikes', { days: 7 });
    expect(JSON.parse(texts.join()).data).to.deep.equal(expected);
  });

  it('gets the way to the id if it takes a name for one', async () => {
    const { url } = await openService();
    const { call } = await connect(url, 'qaCurrent');
    const { isError, text } = await call('getArtist', { id: 'Salt & Choir' });
    expect(isError).to.equal(true);
    expect(text).to.match(/^404 .*\nIf this is a name, find its id with listArtists and "name"\./);
  });

  it('gets one sentence if the gateway is unreachable or a response was cut off', async () => {
    const { url, relay } = await openService(undefined, (path = '') =>
      path.startsWith('/api/v1/artists'),
    );
    const { call } = await connect(url, 'curFull01');
    const cut = await call('listArtists');
    expect(cut).to.deep.include({
      isError: true,
      text: `No response from ${url}: the response was cut off`,
    });
    await relay.close();
    const { isError, text } = await call('listSpikes');
    expect(text).to.match(/^No response from http:\S+: connect ECONNREFUSED \S+$/);
    expect(isError).to.equal(true);
  });

  it('is told which argument is wrong before a request is sent', async () => {
    const { url, seen } = await openService();
    const { call } = await connect(url, 'curFull01');
    const wrong: readonly (readonly [string, Arguments, string])[] = [
      ['listArtists', { limit: 101 }, 'limit'],
      ['listArtists', { teir: 'watch' }, 'teir'],
      ['listArtists', { added_since: '2026-02-30' }, 'added_since'],
      ['listArtists', { include: 'songs' }, 'include'],
      ['getArtist', {}, 'id'],
      ['getArtist', { id: '' }, 'id'],
      ['getArtist', { id: null }, 'id'],
      ['getArtist', { id: 1e21 }, 'id'],
      ['getArtist', { id: 2 ** 53 }, 'id'],
      ['listArtists', { limit: '1.5' }, 'limit'],
      ['listArtists', { limit: '-1' }, 'limit'],
      ['listArtists', { limit: 'many' }, 'limit'],
      ['listArtists', { continue_at: -1 }, 'continue_at'],
      ['listArtists', { name: true }, 'name'],
      ['listSpikes', { days: 0 }, 'days'],
    ];
    for (const [name, given, argument] of wrong) {
      const { isError, text } = await call(name, given);
      expect(text, JSON.stringify(given))
        .to.match(/^Input validation error: /)
        .and.to.include(argument);
      expect(isError).to.equal(true);
    }
    expect(seen).to.have.lengthOf(2);
    await call('getArtist', { id: 'a/b ?c' });
    expect(seen[2]).to.equal('/api/v1/artists/a%2Fb%20%3Fc');
  });

  const sentByAssistants: readonly (readonly [
    form: string,
    tool: string,
    Arguments,
    path: string,
  ])[] = [
    ['current', 'listArtists', { limit: '1' }, '/artists?limit=1'],
    ['current', 'listArtists', { limit: '007' }, '/artists?limit=7'],
    [
      'current',
      'listArtists',
      { toolCallId: 'c', sessionId: 's', action: 'x', chatInput: 'Who is new?', limit: 3 },
      '/artists?limit=3',
    ],
    [
      'current',
      'listArtists',
      { cursor: null, tier: '', name: '', limit: null },
      '/artists?limit=50',
    ],
    ['current', 'listArtists', { continue_at: 0, limit: 2 }, '/artists?limit=2'],
    ['current', 'listArtists', { continue_at: '0' }, '/artists?limit=50'],
    ['current', 'listArtists', { continue_at: null, name: 42 }, '/artists?name=42&limit=50'],
    ['current', 'listArtists', { name: 99.5 }, '/artists?name=99.5&limit=50'],
    ['current', 'listArtists', { id: 7 }, '/artists?id=7&limit=50'],
    ['current', 'getArtist', { id: 12345 }, '/artists/12345'],
    ['current', 'listSpikes', { days: '7' }, '/spikes?days=7'],
    [
      'variant',
      'listArtists',
      { signed: 'TRUE', new: '0' },
      '/artists?new=0&signed=true&limit=100',
    ],
    [
      'variant',
      'listArtists',
      { signed: 'false', fields: null },
      '/artists?signed=false&limit=100',
    ],
  ];

  it('converts digits and numbers to the type of a parameter, and ignores empty values', async () => {
    for (const { form, key } of forms) {
      const { url, seen } = await openService();
      const { call } = await connect(url, key);
      seen.splice(0);
      for (const [, name, given, path] of sentByAssistants.filter(([of]) => of === form)) {
        const { text } = await call(name, given);
        expect(seen.splice(0), `${JSON.stringify(given)} ${text}`).to.deep.equal([
          `/api/v1${path}`,
        ]);
      }
    }
  });

  it('keeps its connection while the service is down, and gets the tools after it', async () => {
    const gateway = await openSandbox();
    cleanup.add(gateway, ({ close }) => close());
    let state: 'refused' | 'portal' | 'login' | 'missing' | 'there' = 'refused';
    const relay = await openLocalServer(cleanup, (incoming, outgoing) => {
      if (state === 'refused') outgoing.destroy();
      else if (state === 'portal')
        outgoing.writeHead(302, { Location: 'https://login.test/' }).end();
      else if (state === 'login') outgoing.end('{"login":"required"}');
      else if (state === 'missing') outgoing.writeHead(404).end();
      else
        void forward(gateway.port, incoming).then(({ status, rawHeaders, body }) =>
          outgoing.writeHead(status, [...rawHeaders]).end(body),
        );
    });
    const { client, call } = await connect(relay.url, 'curFull01');
    const namesNow = async () => (await client.listTools()).tools.map(({ name }) => name);
    expect(await namesNow()).to.deep.equal(['connect']);
    expect((await client.listTools()).tools[0]?.description).to.include('the response was cut off');
    expect(await call('connect')).to.deep.include({ isError: true });
    state = 'portal';
    const portal = await call('connect');
    expect(portal.text).to.match(
      /^302 redirects to https:\/\/login\.test\/, which was not requested/,
    );
    state = 'login';
    const login = /^200 from something before the service .*login.*required/;
    expect((await call('connect')).text).to.match(login);
    const started = await connect(relay.url, 'curFull01');
    const [tool, ...others] = (await started.client.listTools()).tools;
    expect([tool?.name, others]).to.deep.equal(['connect', []]);
    expect(tool?.description).to.include('200 from something before the service');
    state = 'missing';
    const missing = await call('connect');
    expect([missing.isError, missing.text]).to.deep.equal([
      true,
      `${relay.url} has no contract: is ARTIST_API_URL the address of the service?`,
    ]);
    state = 'there';
    expect((await call('connect')).text).to.match(
      /^The service is there, with the tools getHealth, /,
    );
    expect(await namesNow()).to.deep.equal(
      calls['current']?.map(([name]) => name).filter((name, at, all) => all.indexOf(name) === at),
    );
    expect((await call('listArtists', { limit: 1 })).isError).to.equal(false);
  });

  for (const [before, after, given] of [
    [forms[0], forms[1], { name: 'x' }],
    [forms[1], forms[0], { tier: 'watch' }],
    [forms[1], forms[0], { signed: true }],
  ] as const)
    it(`must restart, without data, if its key moved to the ${after.form} form (${Object.keys(given)})`, async () => {
      const { gateway } = await openService();
      let moved: string | undefined;
      const relay = await openLocalServer(cleanup, (incoming, outgoing) => {
        if (moved !== undefined) incoming.headers.authorization = `Bearer ${moved}`;
        void forward(gateway.port, incoming).then(({ status, rawHeaders, body }) =>
          outgoing.writeHead(status, [...rawHeaders]).end(body),
        );
      });
      const { call } = await connect(relay.url, before.key);
      expect((await call('listArtists', given)).isError).to.equal(false);
      moved = demoKey(after.key);
      const told = `This key now has the ${after.form} form, and these tools have the ${before.form} form: restart the assistant.`;
      expect(await call('listArtists', given)).to.deep.include({ isError: true, texts: [told] });
      expect((await call('getHealth')).isError).to.equal(false);
      moved = demoKey('curOutage');
      expect((await call('listArtists', given)).text).to.match(/^503 service_unavailable: /);
      moved = 'x'.repeat(20_000); // bytes, more than the HTTP parser takes
      expect((await call('listArtists', given)).text).to.match(/^431 /);
      moved = undefined;
      expect((await call('listArtists', given)).isError).to.equal(false);
    });

  it('gets the end date of its form or key only with the first response', async () => {
    const sent = new Headers();
    const { gateway } = await openService();
    const relay = await openLocalServer(cleanup, (incoming, outgoing) => {
      void forward(gateway.port, incoming).then(({ status, rawHeaders, body }) => {
        if (incoming.url !== '/api/v1/health' && incoming.url?.startsWith('/api'))
          for (const [name, value] of sent) outgoing.setHeader(name, value);
        for (let at = 0; at < rawHeaders.length; at += 2)
          outgoing.setHeader(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
        outgoing.writeHead(status).end(body);
      });
    });
    for (const [name, value, expected] of [
      ['Sunset', 'Wed, 30 Jun 2100 00:00:00 GMT', /^Sunset: .* ends on 2100-06-30T00:00:00Z, in /],
      ['X-Key-Expires', 'Sat, 01 Jan 2000 00:00:00 GMT', /^X-Key-Expires: this key ended on 2000/],
    ] as const) {
      sent.set(name, value);
      const { call } = await connect(relay.url, 'qaCurrent');
      const { texts } = await call('listSpikes');
      expect(texts).to.have.lengthOf(2);
      expect(texts[1]).to.match(expected);
      expect((await call('listSpikes')).texts).to.have.lengthOf(1);
      sent.delete(name);
    }
  });

  it('gets a long response in parts that end between objects, for one request', async () => {
    const source = longSource();
    const { url, seen } = await openService(source);
    const { call } = await connect(url, 'curFull01');
    const parts: string[] = [];
    const asked: Arguments = { limit: 100, include: 'history' };
    let given = asked;
    for (let more = true; more; ) {
      const { texts } = await call('listArtists', given);
      const [part = '', note] = texts;
      expect(part.length).to.be.at.most(30_000);
      parts.push(part);
      const [, at] = /"continue_at": (\d+)\. It costs no request\.$/.exec(note ?? '') ?? [];
      more = at !== undefined;
      if (more) {
        expect(part).to.match(/\}$|\},$/);
        expect(part.length, 'a part is nearly full').to.be.at.least(29_000);
        expect(Number(at)).to.equal(parts.join('').length);
        given = { ...asked, continue_at: Number(at) };
        source.change({ artists: [] }); // what was read stays one answer
      }
    }
    const whole = JSON.parse(parts.join(''));
    expect(parts.length).to.be.at.least(2);
    expect(whole.data).to.have.lengthOf(100);
    expect(whole.meta.next_cursor).to.be.a('string');
    expect(seen).to.have.lengthOf(3);
    const { isError, texts } = await call('listArtists', { limit: 99, continue_at: 5 });
    expect([isError, seen.length]).to.deep.equal([true, 3]);
    expect(texts).to.deep.equal([
      'This part does not exist, or is no longer kept: call the tool without continue_at.',
    ]);
    const atItsEnd = await call('listArtists', { ...asked, continue_at: parts.join('').length });
    expect(atItsEnd.isError).to.equal(true);
    await call('listArtists', asked);
    expect(seen, 'without continue_at it asks anew').to.have.lengthOf(4);
  });

  it('is told with each part of an answer that histories lack points', async () => {
    const source = longSource();
    const { url } = await openService({
      ...source,
      read: async (...asked) => ({ ...(await source.read(...asked)), complete: false }),
    });
    const { call } = await connect(url, 'curFull01');
    const told = 'The service cannot read a part of the history: points are missing.';
    const list = { limit: 100, include: 'history' };
    const first = await call('listArtists', list);
    expect([first.texts.length, first.texts[2]]).to.deep.equal([3, told]);
    const rest = await call('listArtists', { ...list, continue_at: first.texts[0]?.length ?? 0 });
    expect(rest.texts.at(-1)).to.equal(told);
    const id = String(numberedArtists[0]?.id);
    expect((await call('getArtist', { id })).texts.slice(1)).to.deep.equal([told]);
    expect((await call('listArtists', { limit: 1 })).texts).to.have.lengthOf(1);
    expect((await call('getArtist', { id: 'nobody' })).texts).to.have.lengthOf(1);
  });

  it('gets parts of whole characters', async () => {
    for (const start of ['', 'x']) {
      const name = `${start}${'😀'.repeat(20_000)}`;
      const artists = numberedArtists.slice(0, 1).map((artist) => ({ ...artist, name }));
      const { url } = await openService(createTestSource({ artists }));
      const { call } = await connect(url, 'qaCurrent');
      expect((await call('listArtists')).texts[0]).to.match(/^\{.*😀$/u);
    }
  });

  it('keeps the last ten long answers, and no older one', async () => {
    const { url, seen } = await openService(longSource());
    const { call } = await connect(url, 'qaCurrent');
    for (let limit = 90; limit < 100; limit++)
      await call('listArtists', { limit, include: 'history' });
    // now the last one of the ten
    await call('listArtists', { limit: 90, include: 'history', continue_at: 1 });
    await call('listArtists', { limit: 100, include: 'history' });
    const rest = [91, 90, 100].map(
      async (limit) =>
        (await call('listArtists', { limit, include: 'history', continue_at: 30_000 })).isError,
    );
    expect(await Promise.all(rest)).to.deep.equal([true, false, false]);
    expect(seen).to.have.lengthOf(2 + 11);
  });

  it('sees the program end with one line on stderr when it cannot work', async () => {
    const { url } = await openService();
    const nothing = await openLocalServer(cleanup, (_, outgoing) => outgoing.writeHead(404).end());
    const key = demoKey('curFull01');
    const cases = [
      [{ ARTIST_API_KEY: '' }, /^ARTIST_API_KEY is not set\.$/],
      [{ ARTIST_API_KEY: `${key}\n${key}` }, /^ARTIST_API_KEY has U\+000A/],
      [
        { ARTIST_API_KEY: key, ARTIST_API_URL: nothing.url },
        /^http:\S+ has no contract: is ARTIST_API_URL the address/,
      ],
      [
        { ARTIST_API_KEY: key, ARTIST_API_URL: 'gateway.test' },
        /^ARTIST_API_URL does not begin with http/,
      ],
    ] as const;
    for (const [env, expected] of cases) {
      const {
        code,
        stdout,
        errors: lines,
      } = await runProgramFile(program, [], { cwd, env: { ARTIST_API_URL: url, ...env } });
      expect([code, stdout, lines.length], lines.join(' / ')).to.deep.equal([1, '', 1]);
      expect(lines[0]).to.match(expected).and.to.not.include(key.slice(0, 20));
    }
  });

  it('sees the program end with its stdin', async () => {
    const { url } = await openService();
    const env = { ARTIST_API_URL: url, ARTIST_API_KEY: demoKey('curFull01') };
    const { code, errors: lines } = await runProgramFile(program, [], { cwd, env }); // stdin is empty
    expect([code, lines]).to.deep.equal([0, []]);
  });

  it('has guides that install the pinned versions into its own folder', () => {
    const { dependencies } = JSON.parse(read('partners/assistant/package.json'));
    const install = Object.entries(dependencies).map(([name, version]) => `${name}@${version}`);
    for (const file of ['partners/assistant/assistant.ts', 'docs/site/tools.md'])
      expect(read(file)).to.include(`npm install --prefix . ${install.join(' ')}`);
  });

  it('is added to Claude Code and removed from it with `--scope user`', () => {
    const scopes = [...read('docs/site/tools.md').matchAll(/`claude mcp (\w+) (--scope \w+)?/g)];
    expect(scopes.map(([, command, scope]) => [command, scope])).to.deep.equal([
      ['add', '--scope user'],
      ['remove', '--scope user'],
    ]);
  });
});
