import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { z } from 'zod';
import { variantForm } from '../../adapters/forms/variant/form.ts';
import { createEmbeddedCatalogue } from '../../adapters/stores/embedded/catalogue.ts';
import { notDerived } from '../../partners/moving/moving.ts';
import type { ProblemKind } from '../../src/domain/problem.ts';
import { casesFolder, clientsFolder, fixtureFolder } from '../../src/runtime/config.ts';
import { readCases } from '../../tools/compare/cases/cases.ts';
import { mapping } from '../../tools/migration/mapping/mapping.ts';
import type { ErrorEntry } from '../../tools/migration/mapping/rows.ts';
import { operationsOf } from '../../tools/reference/read-contract.ts';
import { buildArtist, buildKey, keySourceOf } from '../support/builders.ts';
import { useCleanup, useStarted } from '../support/cleanup.ts';
import { createManualClock } from '../support/clock.ts';
import { contractOf, isJson } from '../support/contract.ts';
import { demoKeyText, openSandbox, readExchange } from '../support/exchanges.ts';
import { createChangingShortlist } from '../support/forms/changing-shortlist.ts';
import { deadQuotas } from '../support/forms/dead-stores.ts';
import { keys } from '../support/forms/form-keys.ts';
import { numberedArtists, openNumberedGateway } from '../support/forms/numbered-artists.ts';
import { variantQuestions } from '../support/forms/random-questions.ts';
import { askVariant, naming, openRun, questionKeySource } from '../support/forms/random-run.ts';
import { createTestGateway, type TestGateway, useGateway } from '../support/gateway.ts';
import { forward, openLocalServer } from '../support/partners/local-server.ts';
import {
  type Mover,
  type MovingFrom,
  movers,
  startServing,
  withoutMessage,
} from '../support/partners/moving.ts';
import { runProgramFile } from '../support/partners/programs.ts';
import { type RawReply, sendRaw } from '../support/raw.ts';
import { createTestSource } from '../support/source.ts';
import { createDocumentFolder } from '../support/stores/document-folder.ts';
import { until } from '../support/wait.ts';

const questions = Number(process.env['RANDOM_QUESTIONS'] ?? 400);
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);

/**
 * The variant form's errors for problems that it does not have: a spent quota, and faults of the
 * program that asks.
 */
const instead: Readonly<Partial<Record<ProblemKind, ErrorEntry>>> = {
  'invalid-parameter': { status: 500, code: 'server_error' },
  'invalid-cursor': { status: 500, code: 'server_error' },
  'day-spent': { status: 429, code: 'rate_limited' },
};

/** The example of a parameter in the contract of the variant form. */
const exampleOf = (path: string, name: string): unknown =>
  operationsOf(contractOf(variantForm))
    .find((operation) => operation.path === `/api/v1${path}`)
    ?.parameters.find((parameter) => parameter.name === name)?.example;

const artists = z
  .array(z.object({ _id: z.string(), id: z.string() }))
  .parse(JSON.parse(readFileSync(join(fixtureFolder, 'artists.json'), 'utf8')));
const signings = z.object({ _meta: z.object({ labels_tracked: z.array(z.string()) }) });

/** What no answer of the current form has, of the example catalogue. */
const fixtureGiven = {
  documentIds: Object.fromEntries(artists.map(({ id, _id }) => [id, _id])),
  labelsTracked: signings.parse(readExchange('variant', 'signings').body)._meta.labels_tracked,
};

/** A quota that is spent. */
const quotaHeaders = {
  'X-RateLimit-Limit': '1',
  'X-RateLimit-Remaining': '0',
  'X-RateLimit-Reset': '1',
};

const hostOf = ({ port }: TestGateway): string => `127.0.0.1:${port}`;

/** The members that differ between two answers, with `[]` for every place in a list. */
const differing = (one: unknown, other: unknown, path = ''): readonly string[] => {
  if (Array.isArray(one) && Array.isArray(other))
    return one.flatMap((item, index) => differing(item, other[index], `${path}[]`));
  if (!isJson(one) || !isJson(other)) return one === other ? [] : [path];
  const names = Object.keys({ ...one, ...other });
  return names.flatMap((name) =>
    differing(one[name], other[name], path === '' ? name : `${path}.${name}`),
  );
};

/**
 * Asks both forms every question while the shortlist changes; returns the form and status of every
 * answer.
 */
const compareRandomly = async (mover: Mover): Promise<ReadonlySet<string>> => {
  const clock = createManualClock();
  const folder = await createDocumentFolder();
  const source = createEmbeddedCatalogue({ folder: folder.path, clock, rebaseToToday: false });
  const changes = createChangingShortlist('2026-08-22', seed, Math.ceil(questions / 10));
  await folder.write({ ...changes.now() });
  const run = openRun(await createTestGateway({ source, clock, keys: questionKeySource }));
  for (const [index, question] of fc
    .sample(variantQuestions, { seed, numRuns: questions })
    .entries()) {
    const shortlist = index % 10 === 0 ? changes.change() : changes.now();
    if (index % 10 === 0) {
      await folder.write({ ...shortlist });
      await run.gateway.gateway.catalogue.refresh();
    }
    await naming(
      `question ${index} of FUZZ_SEED=${seed}`,
      question,
      askVariant(run, mover, question, shortlist),
    );
  }
  await run.gateway.close();
  await folder.close();
  return run.outcomes;
};

for (const [kind, open] of Object.entries(movers)) {
  describe(`moving.${kind} serve`, () => {
    const demo = useGateway(openSandbox);
    const numbered = useGateway(openNumberedGateway);
    const mover = useStarted(open, ({ close }) => close());
    const cleanup = useCleanup(afterEach);

    /** The gateway of the example catalogue. */
    const ofDemo = async (): Promise<MovingFrom> => ({
      host: hostOf(demo),
      key: await demoKeyText('qaCurrent'),
      ...fixtureGiven,
      partner: 'Quality Assurance (variant, no tight quota)',
    });

    /**
     * Expects the answer that the variant form gives to the same request over the example
     * catalogue; returns its text.
     */
    const expectSame = async (target: string, why = target): Promise<string> => {
      const expected = await demo.send(target, await demoKeyText('qaVariant'));
      const answer = await mover.ask(await ofDemo(), target);
      expect(withoutMessage(answer), why).to.deep.equal(withoutMessage(expected));
      return expected.text;
    };

    it(`equals the variant form to the byte for random questions while the shortlist changes (FUZZ_SEED=${seed})`, async function () {
      this.timeout(120_000 + questions * 50);
      expect([...(await compareRandomly(mover))]).to.include.members([
        'variant 200',
        'variant 404',
      ]);
    });

    for (const target of [
      ...[
        '',
        '?limit=1',
        '?limit=99',
        '?limit=100',
        '?limit=101',
        '?limit=199',
        '?limit=200',
        '?limit=201',
      ],
      ...[
        '?new=0',
        '?new=1&limit=2',
        '?new=89&limit=200',
        '?new=150&limit=200',
        '?new=150&tier=breaking',
      ],
      ...[
        '?signed=true&limit=5',
        '?signed=true&limit=200',
        '?signed=FALSE&limit=120',
        '?tier=watch&limit=200',
      ],
      '?signed=either',
    ]) {
      it(`joins pages of 250 artists for /artists${target}`, async () => {
        const path = `/api/v1/artists${target}`;
        const { text, headers } = await numbered.send(path, keys.variant.full.text);
        const documentIds = Object.fromEntries(
          numberedArtists.map(({ id, documentId }) => [id, documentId]),
        );
        const { partner } = keys.variant.full.record;
        const from = {
          host: hostOf(numbered),
          key: keys.current.full.text,
          documentIds,
          labelsTracked: [],
          partner,
        };
        const adjusted = headers['x-params-adjusted'] ?? '';
        expect(await mover.ask(from, path)).to.deep.equal({ status: 200, text, adjusted });
      });
    }

    it('names an artist once whose day is corrected between two pages, all by the day of the first', async () => {
      const { text } = await demo.send('/api/v1/artists?limit=1', await demoKeyText('qaCurrent'));
      const { data, meta } = JSON.parse(text);
      const page = (ids: readonly number[], at: string, next_cursor: string | null): string =>
        JSON.stringify({
          data: ids.map((id) => ({ ...data[0], id: `art_${id}`, date_added: '2026-08-20' })),
          meta: { ...meta, count: ids.length, generated_at: at, next_cursor },
        });
      const numbers = Array.from({ length: 100 }, (_, index) => index);
      const [first, second] = ['2026-08-22T23:59:59.900Z', '2026-08-23T00:00:01.000Z'];
      const server = await openLocalServer(({ url = '' }, response) => {
        response.writeHead(200, { ...quotaHeaders, 'X-Request-Id': 'r-1' });
        if (url.includes('health')) response.end(`{"generated_at":"${first}"}`);
        else if (url.includes('cursor=')) response.end(page([99, 100, 101], second, null));
        else response.end(page(numbers, first, 'next'));
      });
      cleanup.add(server, async ({ close }) => close());
      const from = { ...(await ofDemo()), host: server.host };
      const answer = await mover.ask(from, '/api/v1/artists?new=2&limit=200');
      const body = JSON.parse(answer.text);
      expect(body.data.map((one: { id: string }) => one.id)).to.deep.equal(
        [...numbers, 100, 101].map((id) => `art_${id}`),
      );
      expect(body._meta.timestamp).to.equal(first);
    });

    it('has every path of the mapping', async () => {
      for (const { current, variant } of mapping.paths) {
        await expectSame(`/api/v1${variant ?? current?.replace('{id}', 'art_7rf1ly')}`);
      }
    });

    it('has every parameter of the variant form in the mapping', async () => {
      for (const { variant } of mapping.parameters) {
        if (variant === undefined) continue;
        const { path, name } = variant;
        const query = `${name}=${encodeURIComponent(String(exampleOf(path, name)))}`;
        const without = await expectSame(`/api/v1${path}`);
        const text = await expectSame(
          `/api/v1${path}?${query}`,
          `tools/migration/mapping/request-rows.ts: ${path} ${name}`,
        );
        expect(JSON.parse(text).data, `${query} makes no difference`).to.not.deep.equal(
          JSON.parse(without).data,
        );
      }
    });

    it('has every behaviour of the mapping', async () => {
      const cases = new Map((await readCases(casesFolder)).map((one) => [one.name, one]));
      for (const { about, cases: names } of mapping.behaviours) {
        const targets = names
          .map((name) => cases.get(name)?.variant.ask ?? '')
          .filter((ask) => !ask.includes('{'));
        for (const target of targets) await expectSame(`/api/v1${target}`, `${about}: ${target}`);
      }
    });

    it('differs only where the list of what is not derived says so, when all that is given differs', async () => {
      const targets = ['artists', 'spikes', 'signings'].map((path) => `/api/v1/${path}`);
      const given = { ...(await ofDemo()), labelsTracked: ['a label'], partner: 'a partner' };
      const others = {
        ...given,
        documentIds: {},
        labelsTracked: ['another label'],
        partner: 'another partner',
      };
      const askAll = async (from: MovingFrom): Promise<readonly unknown[]> => {
        const answers: unknown[] = [];
        for (const target of targets)
          answers.push(JSON.parse((await mover.ask(from, target)).text));
        return answers;
      };
      const former = await askAll(given);
      demo.clock.advance(1000);
      const found = new Set([
        'message',
        ...differing(former, await askAll(others)).map((path) => path.slice('[].'.length)),
      ]);
      expect([...found]).to.have.members([...notDerived]);
    });

    it('has every problem of the mapping', async () => {
      let problem: (typeof mapping.problems)[number]['current'];
      const { host, close } = await openLocalServer((_request, response) =>
        response
          .writeHead(problem?.status ?? 0, {
            'Content-Type': 'application/json',
            'Retry-After': '1',
            ...quotaHeaders,
          })
          .end(
            JSON.stringify({ error: { code: problem?.code, message: 'Why.', request_id: 'x' } }),
          ),
      );
      for (const row of mapping.problems) {
        problem = row.current;
        if (problem === undefined) continue;
        const asked = { ...fixtureGiven, host, key: 'x', partner: 'x' };
        const { status, text } = await mover.ask(asked, '/api/v1/artists?id=x');
        const expected = row.variant ?? instead[row.problem];
        const error = { error: expected?.code, message: 'Why.' };
        expect([status, JSON.parse(text)], row.problem).to.deep.equal([expected?.status, error]);
      }
      close();
    });

    describe('as a program', () => {
      const start = async (from: Partial<MovingFrom>, ...more: readonly string[]) => {
        const serving = await startServing(kind, { ...(await ofDemo()), ...from }, ...more);
        return cleanup.add(serving, () => serving.end());
      };
      const openTight = async (perMinute: number, perDay: number) => {
        const key = buildKey({ scopes: variantForm.requiredScopes });
        const gateway = await createTestGateway({
          keys: keySourceOf([key], { perMinute, perDay }),
        });
        cleanup.add(gateway, () => gateway.close());
        return { gateway, from: { host: hostOf(gateway), key: key.text } };
      };
      const quotaOf = ({ headers }: RawReply) =>
        ['limit', 'remaining'].map((name) => Number(headers[`x-ratelimit-${name}`]));

      const oddRequests = [
        ...['HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'TRACE'].flatMap(
          (method) => ['/api/v1/artists?limit=1', '/api/v1/added'].map((path) => [method, path]),
        ),
        ...['http://gateway.test', 'HTTP://127.0.0.1:1', 'https://gateway.test:3000'].flatMap(
          (address) =>
            ['/api/v1/signings', '/api/v1/spikes?days=7'].map((path) => ['GET', address + path]),
        ),
        ...['//api/v1/signings', '/api/v1//signings', '/api/v1/signings/', '/API/v1/signings'],
        ...[
          '/api/v1/added',
          '/api/v1/artists/art_7rf1ly',
          '/api/v1/artists/',
          '/nowhere?x=/api/v1',
        ],
        ...['/api/v1/artists?id=nobody', '/api/v1/artists?id=art_7rf1ly', '/api/v1/artists?id='],
      ].map((one) => (typeof one === 'string' ? ['GET', one] : one));

      it('answers other methods, whole addresses, paths with `//` and unknown ones as the variant form, messages too', async () => {
        const serving = await start({});
        for (const [method, target = ''] of oddRequests) {
          const expected = await demo.send(target, await demoKeyText('qaVariant'), { method });
          const answer = await serving.send(target, { method });
          const facts = ({ status, text, headers }: RawReply) => [status, text, headers.allow];
          expect(facts(answer), `${method} ${target}`).to.deep.equal(facts(expected));
        }
      });

      it('answers 400 to a target with a byte that no URI has, and does not record it', async () => {
        const folder = mkdtempSync(join(tmpdir(), 'moving-'));
        const record = join(folder, 'calls.txt');
        const serving = await start({}, '--record', record);
        for (const id of ['caf\u00e9', 'a\u0001b', 'a\u007fb']) {
          const program = connect({ port: serving.port, host: '127.0.0.1' });
          program.write(`GET /api/v1/artists?id=${id} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
          let answer = '';
          for await (const chunk of program) answer += chunk;
          expect(answer, id).to.match(/^HTTP\/1\.1 400 /);
        }
        expect(readFileSync(record, 'utf8')).to.equal('');
        rmSync(folder, { recursive: true });
      });

      describe('with a page in a browser of its machine', () => {
        const openCounted = async () => {
          const asked: string[] = [];
          const relay = await openLocalServer((incoming, outgoing) => {
            asked.push(incoming.url ?? '');
            void forward(demo.port, incoming).then(({ status, rawHeaders, body }) =>
              outgoing.writeHead(status, [...rawHeaders]).end(body),
            );
          });
          cleanup.add(relay, async ({ close }) => close());
          return { asked, serving: await start({ host: relay.host }) };
        };
        const hosts = ['127.0.0.1:8081', 'localhost', 'LOCALHOST:1', '[::1]:8081', '127.0.0.1'];
        const pages: readonly Record<string, string | readonly string[]>[] = [
          ...['evil.test', 'evil.test:8081', '127.0.0.1.evil.test', 'localhost.evil.test'],
          ...['evil.localhost', '127.0.0.2', '[::2]', '0.0.0.0', '192.168.0.1:8081', 'x@localhost'],
        ].map((host) => ({ Host: host }));

        it('answers what names its machine in `Host`, and asks nothing for any other name', async () => {
          const { asked, serving } = await openCounted();
          for (const host of hosts) {
            const { status } = await serving.send('/api/v1/spikes', { headers: { Host: host } });
            expect([status, asked.splice(0).length], host).to.deep.equal([200, 1]);
          }
          for (const headers of pages) {
            const { status, text } = await sendRaw(serving.port, {
              path: '/api/v1/artists',
              headers,
            });
            expect([status, JSON.parse(text).error]).to.deep.equal([404, 'not_found']);
          }
          expect(asked).to.deep.equal([]);
        });

        it('refuses a request without `Host` with 404 in the variant form', async () => {
          const { asked, serving } = await openCounted();
          const program = connect({ port: serving.port, host: '127.0.0.1', allowHalfOpen: true });
          program.end('GET /api/v1/spikes HTTP/1.1\r\n\r\n');
          let answer = '';
          for await (const chunk of program) answer += chunk;
          expect(answer).to.match(/^HTTP\/1\.1 404 .*\r\n\r\n\{"error":"not_found",/s);
          expect(asked).to.deep.equal([]);
        });

        it('asks nothing for a request that says it comes from a page', async () => {
          const { asked, serving } = await openCounted();
          for (const headers of [
            ...['null', 'http://127.0.0.1:8081', 'https://evil.test'].map((Origin) => ({ Origin })),
            ...['cross-site', 'same-site', 'same-origin', ''].map((site) => ({
              'Sec-Fetch-Site': site,
            })),
            { 'Sec-Fetch-Site': ['none', 'cross-site'] },
          ]) {
            const { status } = await sendRaw(serving.port, { path: '/api/v1/spikes', headers });
            expect(status, JSON.stringify(headers)).to.equal(404);
          }
          expect(asked).to.deep.equal([]);
          const typed = { headers: { 'Sec-Fetch-Site': 'none' } }; // in the line for addresses
          expect((await serving.send('/api/v1/spikes', typed)).status).to.equal(200);
        });

        it('answers at the name of `--host`', async () => {
          const serving = await start({}, '--host', '0.0.0.0');
          for (const [host, status] of [
            ['0.0.0.0:8081', 200],
            ['localhost', 200],
            ['127.0.0.3', 404],
          ] as const)
            expect(
              (await sendRaw(serving.port, { path: '/api/v1/spikes', headers: { Host: host } }))
                .status,
              host,
            ).to.equal(status);
        });
      });

      it('asks nothing more for programs that have gone, and waits at least a second whatever `Retry-After` says', async () => {
        const later = new Date(Date.now() + 2_000).toUTCString();
        const past = new Date(0).toUTCString();
        // For 1 day, 2 days and so on, so that all wait at once.
        const retryAfters = ['0', '-5', 'soon', '', later, past, undefined];
        const asked: number[] = [];
        const service = await openLocalServer(({ url = '' }, response) => {
          const days = Number(/\?days=(\d+)$/.exec(url)?.[1]);
          asked.push(days);
          const retryAfter = retryAfters[days - 1];
          response
            .writeHead(429, {
              'Content-Type': 'application/json',
              'X-Request-Id': 'x',
              ...(retryAfter !== undefined && { 'Retry-After': retryAfter }),
            })
            .end('{"error":{"code":"rate_limited","message":"Why.","request_id":"x"}}');
        });
        cleanup.add(service, async ({ close }) => close());
        const serving = await start({ host: service.host }, '--wait');
        const outcomes = retryAfters.map(async (retryAfter, index) => {
          const days = index + 1;
          const asks = () => asked.filter((one) => one === days).length;
          const programs = Array.from({ length: 5 }, () => connect(serving.port, '127.0.0.1'));
          for (const program of programs)
            program.write(`GET /api/v1/spikes?days=${days} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
          await until('a request for each', () => asks() >= 5);
          await sleep(500);
          for (const program of programs) program.destroy();
          const withinHalfASecond = asks();
          await sleep(1_200);
          return { retryAfter, withinHalfASecond, afterTheyHaveGone: asks() };
        });
        const once = { withinHalfASecond: 5, afterTheyHaveGone: 5 };
        expect(await Promise.all(outcomes)).to.deep.equal(
          retryAfters.map((retryAfter) => ({ retryAfter, ...once })),
        );
        expect(asked).to.have.lengthOf(5 * retryAfters.length);
      });

      it('answers a program that closes its side once it has asked, unless it would have to wait', async () => {
        let status = 200;
        const service = await openLocalServer((_request, response) => {
          response
            .writeHead(status, { 'X-Request-Id': 'x', 'Retry-After': '60' })
            .end('{"status":"ok","error":{"code":"rate_limited","message":"Why."}}');
        });
        cleanup.add(service, async ({ close }) => close());
        const ask = async (port: number) => {
          const program = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
          program.end('GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n');
          let answer = '';
          for await (const chunk of program) answer += chunk;
          return answer.split('\r\n')[0];
        };
        const [serving, waiting] = [
          await start({ host: service.host }),
          await start({ host: service.host }, '--wait'),
        ];
        expect(await ask(serving.port)).to.equal('HTTP/1.1 200 OK');
        expect(await ask(waiting.port)).to.equal('HTTP/1.1 200 OK');
        status = 429;
        expect(await ask(serving.port)).to.equal('HTTP/1.1 429 Too Many Requests');
        expect(await ask(waiting.port)).to.equal('');
      });

      it('sends health with `Cache-Control: no-store`, and other answers with `private, no-cache`', async () => {
        const serving = await start({});
        const caching = async (path: string) => (await serving.send(path)).headers['cache-control'];
        expect(await caching('/api/v1/health')).to.equal('no-store');
        expect(await caching('/api/v1/spikes')).to.equal('private, no-cache');
      });

      it('answers the id of one artist that is the other id of another one as the variant form', async () => {
        const pairs = [
          ['x', 'y'],
          ['y', 'z'],
          ['=1+1', "'quoted"],
          ['-a\u200db', '+,"'],
          ['only', 'only'],
        ] as const;
        const artists = pairs.map(([id, documentId]) => buildArtist({ id, documentId, name: id }));
        const gateway = await createTestGateway({ source: createTestSource({ artists }) });
        cleanup.add(gateway, ({ close }) => close());
        const documentIds = Object.fromEntries(pairs);
        const { partner } = keys.variant.full.record;
        const from = { host: hostOf(gateway), key: keys.current.full.text, documentIds, partner };
        const serving = await start(from);
        for (const id of [...new Set(pairs.flat()), 'nobody']) {
          const target = `/api/v1/artists?id=${encodeURIComponent(id)}`;
          const expected = await gateway.send(target, keys.variant.full.text);
          const { status, text } = await serving.send(target);
          expect([status, text], id).to.deep.equal([expected.status, expected.text]);
        }
      });

      it('says once which artist `ids.csv` lacks, and serves it with its id of the current form', async () => {
        const ids = ['listed', 'added-1', 'added-2'];
        const artists = ids.map((id) => buildArtist({ id, documentId: `doc-${id}`, name: id }));
        const gateway = await createTestGateway({ source: createTestSource({ artists }) });
        cleanup.add(gateway, ({ close }) => close());
        const documentIds = { listed: 'doc-listed' };
        const serving = await start({
          host: hostOf(gateway),
          key: keys.current.full.text,
          documentIds,
        });
        const idsOf = async (query: string): Promise<readonly string[]> =>
          JSON.parse((await serving.send(`/api/v1/artists?${query}`)).text).data.map(
            ({ id }: { readonly id: string }) => id,
          );
        expect(await idsOf('id=doc-listed')).to.deep.equal(['doc-listed']);
        expect(serving.errors()).to.equal('');
        for (const query of ['id=added-2', 'limit=3', 'limit=3'])
          expect(await idsOf(query), query)
            .to.include('added-2')
            .and.not.include('listed');
        await serving.end();
        expect(serving.errors()).to.equal(
          'ids.csv lacks added-2, which is served with its id of the current form: ask for a new list.\n',
        );
      });

      it('passes on 429 with `Retry-After`, and tells of the quota with fewer requests left', async () => {
        const { gateway, from } = await openTight(2, 3);
        const serving = await start(from);
        const ask = () => serving.send('/api/v1/spikes');
        expect([quotaOf(await ask()), quotaOf(await ask())]).to.deep.equal([
          [2, 1],
          [2, 0],
        ]);
        const minute = await ask();
        expect([
          minute.status,
          quotaOf(minute),
          Number(minute.headers['retry-after']),
        ]).to.deep.equal([429, [2, 0], 60]);
        gateway.clock.advance(60_000);
        expect(quotaOf(await ask())).to.deep.equal([3, 0]);
        const day = await ask();
        const left = 43_200 - 60; // from noon
        expect([day.status, quotaOf(day), Number(day.headers['retry-after'])]).to.deep.equal([
          429,
          [3, 0],
          left,
        ]);
      });

      it('waits with `--wait` as long as `Retry-After` says, then asks again', async () => {
        const { gateway, from } = await openTight(1, 9);
        gateway.clock.advance(59_000); // a second before the minute ends
        const serving = await start(from, '--wait');
        await serving.send('/api/v1/spikes');
        setTimeout(() => gateway.clock.advance(1_000), 300);
        expect((await serving.send('/api/v1/spikes')).status).to.equal(200);
        expect(serving.errors()).to.match(
          /^429 rate_limited: the quota of 1 requests a minute is spent until \S+: waiting 1 s\n$/,
        );
      });

      it('answers 500 while the gateway is away or cannot be read, and says why on stderr', async () => {
        let text = '<html>';
        const proxy = await openLocalServer((_request, response) => response.end(text));
        const serving = await start({ host: proxy.host });
        const ask = async (target: string) => {
          const reply = await serving.send(target);
          return [reply.status, JSON.parse(reply.text).error];
        };
        expect(await ask('/api/v1/artists?new=1')).to.deep.equal([500, 'server_error']);
        text = '{}';
        expect(await ask('/api/v1/spikes')).to.deep.equal([500, 'server_error']);
        proxy.close();
        expect(await ask('/api/v1/signings')).to.deep.equal([500, 'server_error']);
        await until('a line for each', () => serving.errors().split('\n').length === 4);
      });

      it('passes on the `Retry-After` of an outage', async () => {
        const gateway = await createTestGateway({ quotas: deadQuotas });
        cleanup.add(gateway, () => gateway.close());
        const serving = await start({ host: hostOf(gateway), key: keys.current.full.text });
        const { status, headers } = await serving.send('/api/v1/artists');
        expect([status, Number(headers['retry-after']) > 0]).to.deep.equal([500, true]);
      });

      it('says what its key lacks where that is of the variant form alone, but takes one that may try the current form', async () => {
        const [pinned, revoked, trying] = [
          buildKey({ id: 'pinned', form: 'variant' }),
          buildKey({ id: 'revoked', form: 'variant', revokedAt: 0 }),
          buildKey({ id: 'trying', form: 'variant', allowEnvelopeOverride: true }),
        ];
        const gateway = await createTestGateway({ keys: keySourceOf([pinned, revoked, trying]) });
        cleanup.add(gateway, () => gateway.close());
        const host = hostOf(gateway);
        expect(
          (await (await start({ host, key: trying.text })).send('/api/v1/artists')).status,
        ).to.equal(200);
        for (const [{ text }, told] of [
          [
            pinned,
            /^ARTIST_API_KEY may not choose its form: .* or take a key of the current form\.$/m,
          ],
          [revoked, /^401 unauthorized: \S/m],
        ] as const) {
          const refused = await start({ host, key: text });
          expect((await refused.send('/api/v1/artists')).status).to.equal(500);
          await until(`${told}`, () => told.test(refused.errors()));
        }
        const unknown = await (await start({ host, key: 'unknown' })).send('/api/v1/artists');
        expect([unknown.status, unknown.headers['www-authenticate']]).to.deep.equal([
          401,
          'Bearer',
        ]);
      });

      it('ends with Ctrl-C without a word', async () => {
        const serving = await start({});
        expect([await serving.end('SIGINT'), serving.errors()]).to.deep.equal([0, '']);
      });
    });

    it('ends with the name of the file where identifiers or labels are not UTF-8', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'moving-'));
      const write = (name: string, text: string, encoding: BufferEncoding): string => {
        writeFileSync(join(folder, name), text, encoding);
        return join(folder, name);
      };
      const [ids, labels] = ['variant,current\nd\xe9,art_1\n', 'D\xe9j\xe0 Records\n'];
      const files = [
        [write('latin.csv', ids, 'latin1'), write('labels.txt', labels, 'utf8')],
        [write('ids.csv', ids, 'utf8'), write('latin.txt', labels, 'latin1')],
      ] as const;
      for (const [index, [ids, labels]] of files.entries()) {
        const given = ['check', join(folder, 'none.txt'), '--ids', ids, '--labels', labels];
        const program = join(clientsFolder, `moving.${kind}`);
        const outcome = await runProgramFile(program, given, { env: { ARTIST_API_KEY: 'x' } });
        const told = `${[ids, labels][index]} must be UTF-8: save it in that encoding.`;
        expect([outcome.code, ...outcome.errors]).to.deep.equal([1, told]);
      }
      rmSync(folder, { recursive: true });
    });

    it('names option and value where it cannot serve at an address', async () => {
      const port = demo.port;
      const folder = mkdtempSync(join(tmpdir(), 'moving-'));
      const [ids, labels] = [join(folder, 'ids.csv'), join(folder, 'labels.txt')];
      writeFileSync(ids, 'variant,current\nd,a\n');
      writeFileSync(labels, '');
      for (const [options, words] of [
        [['--port=65536'], /--port:? takes a number up to 65535\.?$/],
        [['--port=-1'], /--port:? takes a number up to 65535\.?$/],
        [['--port=x'], /--port:? takes a number up to 65535\.?$/],
        [
          [`--port=${port}`],
          new RegExp(`^Cannot serve at --host 127.0.0.1 --port ${port}: .*address .*in use`, 'i'),
        ],
        [
          ['--host=nosuch.invalid'],
          /^Cannot serve at --host nosuch\.invalid --port 8081: .*(?:not known|ENOTFOUND|EAI_AGAIN|resolution)/,
        ],
        ...['a..b', 'a'.repeat(70)].map(
          (host) =>
            [
              [`--host=${host}`],
              new RegExp(`^Cannot serve at --host ${host} --port 8081: .`),
            ] as const,
        ),
      ] as const) {
        const given = ['serve', '--ids', ids, '--labels', labels, ...options];
        const program = join(clientsFolder, `moving.${kind}`);
        const { code, errors } = await runProgramFile(program, given, {
          env: { ARTIST_API_KEY: 'x' },
        });
        expect(code).to.be.oneOf([1, 2]);
        expect(errors.at(-1)).to.match(words);
        expect(errors.join('').length).to.be.below(1_000);
      }
      rmSync(folder, { recursive: true });
    });

    it('says in a line what it misses', async () => {
      const program = join(clientsFolder, `moving.${kind}`);
      const env = { ARTIST_API_KEY: 'x' };
      const files = [
        '--ids',
        join(fixtureFolder, 'artists.json'),
        '--labels',
        join(fixtureFolder, 'labels.json'),
      ];
      for (const [given, options, words] of [
        [['serve', ...files], {}, 'ARTIST_API_KEY'],
        [['serve', ...files], { env }, 'the columns current and variant'],
        [['serve', '--ids', 'nobody.csv', '--labels', 'x'], { env }, 'nobody.csv'],
        [['serve'], { env }, '--ids'],
      ] as const) {
        const { code, stdout, errors } = await runProgramFile(program, given, options);
        expect(
          [code === 0, stdout, errors.at(-1)?.includes(words)],
          errors.join(' / '),
        ).to.deep.equal([false, '', true]);
        expect(errors.join().includes('Traceback')).to.equal(false);
      }
    });
  });
}
