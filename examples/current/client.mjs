/**
 * A client of the current form: `shortlist` pages through all artists, `poll` prints newly added
 * ones.
 *
 *   ARTIST_API_KEY=aik_… node client.mjs shortlist
 *   ARTIST_API_KEY=aik_… node client.mjs poll
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

const wait = (seconds) => sleep(seconds * 1000 * settings.waitFactor);

/** Ends the program with one line. */
const end = (reason) => {
  console.error(reason.replaceAll(/\s+/g, ' ').slice(0, 300));
  process.exit(1);
};

/** Sends one request. Rejects where no whole answer came. */
const send = async (path, tag) => {
  const headers = { Authorization: `Bearer ${settings.key}`, ...(tag && { 'If-None-Match': tag }) };
  const response = await fetch(settings.url + path, {
    headers,
    signal: AbortSignal.timeout(settings.timeout * 1000),
  });
  const text = await response.text();
  const answer = response.status === 200 ? JSON.parse(text) : undefined;
  return { status: response.status, headers: response.headers, text, answer };
};

let isWarned = false;

/** Tells once that the key ends within 30 days. */
const warnOfExpiry = (expires) => {
  if (isWarned || expires === null || Date.parse(expires) - Date.now() > 30 * 86_400_000) return;
  isWarned = true;
  console.error(`This key expires on ${expires}: ask for a new one.`);
};

/**
 * Sends a request up to 5 times: after 429, 5xx or half an answer waits for `Retry-After`, else
 * longer each time. Resolves with the answer and its ETag. There is no answer if nothing has
 * changed since this tag (304).
 */
const ask = async (path, tag = null) => {
  for (let attempt = 1; ; attempt++) {
    const reply = await send(path, tag).catch((failure) => failure);
    let seconds = Math.round(2 ** attempt * (5 + 5 * Math.random())) / 10;
    let reason = `No answer from ${settings.url}`;
    if (reply instanceof Error) reason += `: ${reply.cause instanceof Error ? reply.cause : reply}`;
    else {
      const { status, headers, text, answer } = reply;
      if (status !== 401 && (headers.get('X-Envelope-Served') ?? 'current') !== 'current')
        end(`This key answers in the variant form: use ${settings.url}/docs/clients/variant.mjs.`);
      warnOfExpiry(headers.get('X-Key-Expires'));
      if (status === 304 || answer !== undefined) return { page: answer, tag: headers.get('ETag') };
      if (status !== 429 && status < 500) end(`${status} ${text}`);
      reason = `${status} ${text}`;
      if (/^\d+$/.test(headers.get('Retry-After') ?? ''))
        seconds = Number(headers.get('Retry-After'));
      if (status === 429 && seconds > 300) {
        const until = new Date(Date.now() + seconds * 1000).toISOString().replace(/\.\d+/, '');
        reason = `The quota of ${headers.get('X-RateLimit-Day-Limit')} requests a day is spent until ${until}`;
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
const shortlist = async (pageSize = '100') => {
  let cursor = '';
  while (typeof cursor === 'string') {
    const next = cursor === '' ? '' : `&cursor=${cursor}`;
    const { page } = await ask(`/api/v1/artists?limit=${pageSize}${next}`);
    for (const { id, name } of page?.data ?? []) console.log(`${id}\t${name}`);
    cursor = page?.meta.next_cursor;
  }
};
// endregion

// region poll: poll();
/**
 * Polls every 15 minutes: 96 of the 1,000 requests a day. An unchanged answer is 304 without a
 * body.
 */
const poll = async (polls = Number.POSITIVE_INFINITY) => {
  const seen = new Set();
  let last = null;
  for (let left = polls; left > 0; left--) {
    const { page, tag } = await ask('/api/v1/added?days=1', last);
    last = tag;
    for (const { id, name } of page?.data.filter((artist) => !seen.has(artist.id)) ?? []) {
      seen.add(id);
      console.log(`${id}\t${name}`);
    }
    if (left > 1) await wait(15 * 60);
  }
};
// endregion

const usage = `client.mjs shortlist | poll [options]

  --base-url URL      address of the service, else the variable ARTIST_API_URL (${settings.url})
  --page-size N       artists per page (100)
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
        'page-size': { type: 'string', default: '100' },
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

const main = async () => {
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
  await (command === 'poll' ? poll(Number(values.polls)) : shortlist(values['page-size']));
};

// `import { ask } from './client.mjs'` uses it as a library
export { ask, poll, settings, shortlist };

const [, program] = process.argv;
if (program !== undefined && import.meta.url === pathToFileURL(realpathSync(program)).href)
  void main();
