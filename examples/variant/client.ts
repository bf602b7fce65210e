/**
 * A client of the variant form: `shortlist` reads all artists, `poll` prints newly added ones.
 *
 *   ARTIST_API_KEY=aik_… node client.ts shortlist
 *   ARTIST_API_KEY=aik_… node client.ts poll
 *
 * Needs no packages, and Node 22.18 or later, which runs TypeScript directly (client.mjs: Node
 * 20.19). Prints one artist per line: identifier and name. See --help.
 * SPDX-License-Identifier: MIT. Copyright (c) 2026 The artist-gateway authors
 */

import { realpathSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

// region start

import { setTimeout as sleep } from 'node:timers/promises';

const settings = {
  url: process.env['ARTIST_API_URL'] ?? 'http://127.0.0.1:3000',
  key: process.env['ARTIST_API_KEY']?.trim() ?? '',
  attempts: 5,
  timeout: 30, // seconds
  waitFactor: 1, // multiplies every wait: 0.01 to try the client out
  longestWait: 300, // seconds; --wait waits longer
};

const wait = (seconds: number): Promise<void> => sleep(seconds * 1000 * settings.waitFactor);

/** Ends the program with one line. */
const end = (reason: string): never => {
  console.error(reason.replaceAll(/\s+/g, ' ').slice(0, 300));
  process.exit(1);
};
// endregion

// region ask: ask('/api/v1/artists?limit=2').then((answer) => console.log(JSON.stringify(answer)));
interface Answer {
  readonly count: number;
  readonly data: readonly { readonly id: string; readonly name: string }[];
}

/** Sends one request. Rejects where no whole answer came. */
const send = async (path: string) => {
  const headers = { Authorization: `Bearer ${settings.key}` };
  const response = await fetch(settings.url + path, {
    headers,
    signal: AbortSignal.timeout(settings.timeout * 1000),
  });
  const text = await response.text();
  const answer: Answer | undefined = response.status === 200 ? JSON.parse(text) : undefined;
  return { status: response.status, headers: response.headers, text, answer };
};

/**
 * Sends a request up to 5 times: after 429, 5xx or half an answer waits for `Retry-After`, else
 * longer each time.
 */
const ask = async (path: string) => {
  for (let attempt = 1; ; attempt++) {
    const reply = await send(path).catch((failure: Error) => failure);
    let seconds = Math.round(2 ** attempt * (5 + 5 * Math.random())) / 10;
    let reason = `No answer from ${settings.url}`;
    if (reply instanceof Error) reason += `: ${reply.cause instanceof Error ? reply.cause : reply}`;
    else {
      const { status, headers, text, answer } = reply;
      if (status !== 401 && (headers.get('X-Envelope-Served') ?? 'variant') !== 'variant')
        end(`This key answers in the current form: use ${settings.url}/docs/clients/current.ts.`);
      if (answer !== undefined) return answer;
      if (status !== 429 && status < 500) end(`${status} ${text}`);
      reason = `${status} ${text}`;
      if (/^\d+$/.test(headers.get('Retry-After') ?? ''))
        seconds = Number(headers.get('Retry-After'));
      if (status === 429 && seconds > 300) {
        const until = new Date(Date.now() + seconds * 1000).toISOString().replace(/\.\d+/, '');
        reason = `The quota of ${headers.get('X-RateLimit-Limit')} requests an hour is spent until ${until}`;
        if (seconds > settings.longestWait) end(`${reason}: run this again then, or with --wait.`);
      }
    }
    if (attempt === settings.attempts) return end(`Gave up after ${attempt} attempts. ${reason}`);
    console.error(`${/^\d{3}/.exec(reason) ?? reason}: waiting ${seconds} s`);
    await wait(seconds);
  }
};
// endregion

// region shortlist: shortlist();
/** This form has no pages: a list as long as its limit may be truncated. */
const shortlist = async (limit = 200): Promise<void> => {
  const { count, data } = await ask(`/api/v1/artists?fields=basic&limit=${limit}`);
  for (const { id, name } of data) console.log(`${id}\t${name}`);
  if (count === limit)
    console.error('There may be more artists: ask by tier, or for a key of the current form.');
};
// endregion

// region poll: poll();
/** Polls every 15 minutes: 4 of the 100 requests an hour. */
const poll = async (polls = Number.POSITIVE_INFINITY): Promise<void> => {
  const seen = new Set<string>();
  for (let left = polls; left > 0; left--) {
    const { data } = await ask('/api/v1/artists?new=1&fields=basic&limit=200');
    for (const { id, name } of data.filter((artist) => !seen.has(artist.id))) {
      seen.add(id);
      console.log(`${id}\t${name}`);
    }
    if (left > 1) await wait(15 * 60);
  }
};
// endregion

const usage = `client.ts shortlist | poll [options]

  --base-url URL      address of the service, else the variable ARTIST_API_URL (${settings.url})
  --polls N           stop after N polls
  --timeout N         seconds to wait for an answer (30)
  --wait              wait for a quota however long it takes, not for at most 5 minutes
  --wait-factor N     multiplies every wait: 0.01 to try the client out
  --help

The key is read from the variable ARTIST_API_KEY.`;

const readArguments = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        'base-url': { type: 'string', default: settings.url },
        polls: { type: 'string', default: 'Infinity' },
        timeout: { type: 'string', default: '30' },
        wait: { type: 'boolean' },
        'wait-factor': { type: 'string', default: '1' },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    return end(`${error instanceof Error ? error.message : error} See --help.`);
  }
};

const main = async (): Promise<void> => {
  const { positionals, values } = readArguments();
  if (values.help) {
    console.log(usage);
    return;
  }
  settings.url = values['base-url'].replace(/\/+$/, '');
  settings.timeout = Number(values.timeout);
  settings.waitFactor = Number(values['wait-factor']);
  if (values.wait) settings.longestWait = Number.POSITIVE_INFINITY;
  if (settings.key === '') end('ARTIST_API_KEY is not set: it holds your key.');
  const [command] = positionals;
  if (command !== 'poll' && command !== 'shortlist')
    end('Give a command: shortlist or poll. See --help.');
  await (command === 'poll' ? poll(Number(values.polls)) : shortlist());
};

// `import { ask } from './client.ts'` uses it as a library
export { ask, poll, settings, shortlist };

const [, program] = process.argv;
if (program !== undefined && import.meta.url === pathToFileURL(realpathSync(program)).href)
  void main();
