/**
 * A client of the current form: `shortlist` pages through all artists, `poll` prints newly added ones.
 *
 *   ARTIST_API_URL=https://… ARTIST_API_KEY=aik_… node client.ts shortlist
 *   ARTIST_API_URL=https://… ARTIST_API_KEY=aik_… node client.ts poll
 *
 * Needs Node 22.18 or later, which runs TypeScript directly. Prints one artist per line: identifier and name.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

interface Page {
  readonly data: readonly { readonly id: string; readonly name: string }[];
  readonly meta: { readonly next_cursor: string | null };
}

const usage = `client.ts shortlist | poll [options]

  --base-url URL      address of the service, else the variable ARTIST_API_URL (http://127.0.0.1:3000)
  --page-size N       artists per page (100)
  --polls N           stop after N polls
  --wait-factor N     multiplies every wait: 0.01 to try the client out
  --help

The key is read from the variable ARTIST_API_KEY.`;

const fail = (message: string): never => {
  console.error(message);
  process.exit(1);
};

const readArguments = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        'base-url': { type: 'string', default: process.env['ARTIST_API_URL'] ?? 'http://127.0.0.1:3000' },
        'page-size': { type: 'string', default: '100' },
        polls: { type: 'string', default: 'Infinity' },
        'wait-factor': { type: 'string', default: '1' },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : error} See --help.`);
  }
};

const { positionals, values } = readArguments();
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const url = values['base-url'].replace(/\/+$/, '');
const key = process.env['ARTIST_API_KEY'] || fail('ARTIST_API_KEY is not set: it holds your key.');

/** Sends one request. Ends with one line when there is no server, or when the key answers in the other form. */
const send = async (path: string, headers: Record<string, string> = {}): Promise<Response> => {
  const authorization = { Authorization: `Bearer ${key}` };
  const response = await fetch(url + path, { headers: { ...headers, ...authorization } }).catch((error: unknown) =>
    fail(`No answer from ${url}: ${error instanceof Error ? (error.cause ?? error) : error}`),
  );
  const form = response.headers.get('X-Envelope-Served');
  if (response.status !== 401 && form !== null && form !== 'current')
    fail(`This key answers in the ${form} form: use examples/${form}.`);
  return response;
};

const wait = (seconds: number): Promise<void> => sleep(seconds * 1000 * Number(values['wait-factor']));

// region ask
/** Sends a request; after 429 or 503 waits for `Retry-After` and sends it again. */
const ask = async (path: string, headers: Record<string, string> = {}): Promise<Response> => {
  for (;;) {
    const response = await send(path, headers);
    if (response.ok || response.status === 304) return response;
    const body = await response.text();
    if (response.status !== 429 && response.status !== 503) return fail(`${response.status} ${body}`);
    const seconds = Number(response.headers.get('Retry-After') ?? 60);
    console.error(`${response.status}: waiting ${seconds} s`);
    await wait(seconds);
  }
};
// endregion

// The cast relies on the contract; a client generated from it would have the type.
const pageOf = async (response: Response): Promise<Page> => (await response.json()) as Page;

// region shortlist
const readShortlist = async (): Promise<void> => {
  let cursor: string | null = '';
  while (cursor !== null) {
    const next: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const { data, meta }: Page = await pageOf(await ask(`/api/v1/artists?limit=${values['page-size']}${next}`));
    for (const { id, name } of data) console.log(`${id}\t${name}`);
    cursor = meta.next_cursor;
  }
};
// endregion

// region poll
/** Polls every 15 minutes: 96 of the 1,000 requests a day. An unchanged answer is 304 without a body. */
const poll = async (): Promise<void> => {
  const seen = new Set<string>();
  let tag: string | null = null;
  for (let left = Number(values.polls); left > 0; left--) {
    const response: Response = await ask('/api/v1/added?days=1', tag === null ? {} : { 'If-None-Match': tag });
    tag = response.headers.get('ETag');
    const { data } = response.status === 304 ? { data: [] } : await pageOf(response);
    for (const { id, name } of data.filter((artist) => !seen.has(artist.id))) {
      seen.add(id);
      console.log(`${id}\t${name}`);
    }
    if (left > 1) await wait(15 * 60);
  }
};
// endregion

if (positionals[0] !== 'poll' && positionals[0] !== 'shortlist') fail('Give a command: shortlist or poll. See --help.');
await (positionals[0] === 'poll' ? poll() : readShortlist());
