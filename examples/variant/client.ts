/**
 * A client of the variant form: `shortlist` reads all artists, `poll` prints newly added ones.
 *
 *   ARTIST_API_URL=https://… ARTIST_API_KEY=aik_… node client.ts shortlist
 *   ARTIST_API_URL=https://… ARTIST_API_KEY=aik_… node client.ts poll
 *
 * Needs Node 22.18 or later, which runs TypeScript directly. Prints one artist per line: identifier and name.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

interface Answer {
  readonly count: number;
  readonly data: readonly { readonly id: string; readonly name: string }[];
}

const usage = `client.ts shortlist | poll [options]

  --base-url URL      address of the service, else the variable ARTIST_API_URL (http://127.0.0.1:3000)
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
  if (response.status !== 401 && form !== null && form !== 'variant')
    fail(`This key answers in the ${form} form: use examples/${form}.`);
  return response;
};

const wait = (seconds: number): Promise<void> => sleep(seconds * 1000 * Number(values['wait-factor']));

// region ask
/** Sends a request; after 429, or 500 with `Retry-After`, waits and sends it again. */
const ask = async (path: string): Promise<Answer> => {
  for (;;) {
    const response = await send(path);
    // The cast relies on the contract; a client generated from it would have the type.
    if (response.ok) return (await response.json()) as Answer;
    const body = await response.text();
    const seconds = response.headers.get('Retry-After');
    if (seconds === null) return fail(`${response.status} ${body}`);
    console.error(`${response.status}: waiting ${seconds} s`);
    await wait(Number(seconds));
  }
};
// endregion

// region shortlist
/** This form has no pages: a list as long as its limit may be truncated. */
const maxArtists = 200;

const readShortlist = async (): Promise<void> => {
  const { count, data } = await ask(`/api/v1/artists?fields=basic&limit=${maxArtists}`);
  for (const { id, name } of data) console.log(`${id}\t${name}`);
  if (count === maxArtists) console.error('There may be more artists: ask by tier, or for a key of the current form.');
};
// endregion

// region poll
/** Polls every 15 minutes: 4 of the 100 requests an hour. */
const poll = async (): Promise<void> => {
  const seen = new Set<string>();
  for (let left = Number(values.polls); left > 0; left--) {
    const { data } = await ask(`/api/v1/artists?new=1&fields=basic&limit=${maxArtists}`);
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
