import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import type { ComparedForm } from '../../tools/crosswalk/forms.ts';
import { type LocalServer, openLocalServer } from '../support/examples/local-server.ts';
import { allClients, runClient, shareOf } from '../support/examples/programs.ts';
import { readExchange } from '../support/exchanges.ts';

/** What may happen to an answer. `Retry-After` is 7 where it is sent. */
const faults = {
  'a reset': (response) => void response.socket?.resetAndDestroy(),
  'a closed connection': (response) => void response.socket?.destroy(),
  'an answer that is cut': (response, answer) => {
    response.writeHead(200, { 'Content-Length': Buffer.byteLength(answer) });
    response.write(answer.slice(0, 200), () => response.socket?.destroy());
  },
  'an answer in chunks that is cut': (response, answer) => {
    response.writeHead(200);
    response.write(answer.slice(0, 200), () => response.socket?.destroy());
  },
  'an answer that does not come': () => {},
  'an answer that does not end': (response, answer) =>
    void response.writeHead(200).write(answer.slice(0, 200)),
  'a page of HTML': (response) =>
    void response.writeHead(200).end('<!doctype html><title>Log in</title>'),
  '429': (response) =>
    void response.writeHead(429, { 'Retry-After': '7' }).end('{"error":"later"}'),
  '503': (response) =>
    void response.writeHead(503, { 'Retry-After': '7' }).end('{"error":"later"}'),
  '500 without Retry-After': (response) => void response.writeHead(500).end('{"error":"broken"}'),
  '502 of a proxy': (response) =>
    void response.writeHead(502).end('<html>\n<h1>Bad gateway</h1>\n</html>'),
} satisfies Record<string, (response: ServerResponse, answer: string) => void>;

interface FaultyServer extends LocalServer {
  /** When each request arrived, by `performance.now()`. */
  readonly arrivals: readonly number[];
}

/** Opens a server that lets a fault happen to its first answers, and then gives this answer. */
const openFaultyServer = async (
  fault: keyof typeof faults,
  times: number,
  answer: string,
): Promise<FaultyServer> => {
  const arrivals: number[] = [];
  const server = await openLocalServer((_request, response) => {
    arrivals.push(performance.now());
    if (arrivals.length <= times) faults[fault](response, answer);
    else response.end(answer);
  });
  return { ...server, arrivals };
};

/** The factor of every wait: a second becomes 10 ms. */
const factor = 0.01;

/**
 * The answer to the first request of `shortlist`. The clients ask again and again for what has
 * failed, and end after it.
 */
const answers: Readonly<Record<ComparedForm, string>> = {
  current: JSON.stringify(readExchange('current', 'artists').body),
  variant: JSON.stringify(readExchange('variant', 'artists').body),
};

const names = Object.keys(faults) as (keyof typeof faults)[]; // the keys of a literal

const waitingLine = /^(429|50\d|No answer from http:\/\/127.*): waiting (\d+(?:\.\d)?) s$/;

/**
 * Asserts that each wait is that of `Retry-After`, or doubles and is random within its half; and
 * that it was waited for.
 */
const expectWaits = (
  waits: readonly number[],
  { arrivals }: FaultyServer,
  hasRetryAfter: boolean,
  why: string,
): void => {
  for (const [index, seconds] of waits.entries()) {
    const longest = 2 ** (index + 1);
    if (hasRetryAfter) expect(seconds, why).to.equal(7);
    else expect(seconds, why).to.be.within(longest / 2, longest);
    const [at = 0, next = 0] = arrivals.slice(index);
    expect(next - at, why).to.be.at.least(seconds * 1000 * factor);
  }
};

const { data: artists } = readExchange('current', 'artists').body as {
  readonly data: readonly unknown[];
}; // by its contract

describe('example clients, when something goes wrong', () => {
  /** The fourth waits without `Retry-After`. */
  const lastWaits = new Set<number>();

  for (const [turn, fault] of names.entries()) {
    const hasRetryAfter = fault === '429' || fault === '503';

    it(`wait and ask again after ${fault}, four times`, async () => {
      await Promise.all(
        shareOf(allClients, turn).map(async ([form, kind]) => {
          const server = await openFaultyServer(fault, 4, answers[form]);
          const options = [
            '--wait-factor',
            String(factor),
            '--timeout',
            '1',
            '--base-url',
            server.url,
          ];
          const { code, lines, errors, why } = await runClient(form, kind, [
            'shortlist',
            ...options,
          ]);
          server.close();
          expect(code, why).to.equal(0);
          expect(lines, why).to.have.lengthOf(artists.length);
          expect(server.arrivals, why).to.have.lengthOf(5);
          for (const line of errors) expect(line, why).to.match(waitingLine);
          expect(errors, why).to.have.lengthOf(4);
          const waits = errors.map((line) => Number(waitingLine.exec(line)?.[2]));
          expectWaits(waits, server, hasRetryAfter, why);
          if (!hasRetryAfter) lastWaits.add(waits[3] ?? 0);
        }),
      );
    });
  }

  it('give up after five attempts, with one line and exit code 1', async () => {
    await Promise.all(
      allClients.map(async ([form, kind]) => {
        const server = await openFaultyServer('429', 9, '');
        const options = ['--wait-factor', String(factor), '--base-url', server.url];
        const { code, stdout, errors, why } = await runClient(form, kind, [
          'shortlist',
          ...options,
        ]);
        server.close();
        expect([code, stdout, errors.length, server.arrivals.length], why).to.deep.equal([
          1,
          '',
          5,
          5,
        ]);
        expect(errors.at(-1), why).to.match(/^Gave up after 5 attempts\. 429/);
      }),
    );
  });

  const dayLeft = 71_215; // seconds
  const spent =
    /^The quota of 1000 requests (a day|an hour) is spent until (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ): (.+)$/;

  it('end before a wait of more than five minutes and say which quota is spent until when; with --wait they wait', async () => {
    await Promise.all(
      allClients.map(async ([form, kind]) => {
        const headers = {
          'Retry-After': dayLeft,
          'X-RateLimit-Limit': 1000,
          'X-RateLimit-Day-Limit': 1000,
        };
        let asked = 0;
        const server = await openLocalServer((_request, response) => {
          asked += 1;
          if (asked === 2) response.end(answers[form]);
          else response.writeHead(429, headers).end('{}');
        });
        const options = ['shortlist', '--wait-factor', '0.00001', '--base-url', server.url];
        const { code, errors, why } = await runClient(form, kind, options);
        expect([code, errors.length, asked], why).to.deep.equal([1, 1, 1]);
        const [, window, until = '', advice] = spent.exec(errors[0] ?? '') ?? [];
        expect([window, advice], errors[0]).to.deep.equal([
          form === 'current' ? 'a day' : 'an hour',
          'run this again then, or with --wait.',
        ]);
        expect(Date.parse(until) - Date.now(), why).to.be.within(
          (dayLeft - 60) * 1000,
          dayLeft * 1000,
        );
        asked = 0;
        const waited = await runClient(form, kind, [...options, '--wait']);
        server.close();
        expect(waited.code, waited.why).to.equal(0);
        expect(spent.exec(waited.errors[0] ?? '')?.[3], why).to.equal(`waiting ${dayLeft} s`);
      }),
    );
  });

  it('print names in UTF-8 whatever the encoding of the console', async () => {
    const [artist] = artists;
    const name = '月見坂 Ångström \u{1f389}';
    const body = { current: { data: [{ ...Object(artist), name }], meta: { next_cursor: null } } };
    const server = await openLocalServer(
      (_request, response) => void response.end(JSON.stringify(body.current)),
    );
    const env = { ARTIST_API_KEY: 'aik_x', ARTIST_API_URL: server.url, PYTHONIOENCODING: 'cp1252' };
    const { code, stdout, why } = await runClient('current', 'py', ['shortlist'], env);
    server.close();
    expect(code, why).to.equal(0);
    expect(stdout).to.include(`\t${name}\n`);
  });

  it('wait random times, so that clients do not come back together', () => {
    expect(lastWaits.size).to.be.at.least(2);
  });
});
