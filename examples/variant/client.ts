/**
 * A client of the variant form: `shortlist` reads all artists, `poll` tells who is added.
 *
 *   ARTIST_API_URL=https://… ARTIST_API_KEY=aik_… node client.ts shortlist
 *   ARTIST_API_URL=https://… ARTIST_API_KEY=aik_… node client.ts poll
 *
 * Runs in Node 22.18 or later as it is. Prints one artist a line, identifier and name.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

interface Answer {
  readonly count: number;
  readonly data: readonly { readonly id: string; readonly name: string }[];
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    polls: { type: 'string', default: 'Infinity' },
    'wait-factor': { type: 'string', default: '1' }, // shortens every wait, for trying things out
  },
});

const url = process.env['ARTIST_API_URL'] ?? 'http://127.0.0.1:3000';
const key = process.env['ARTIST_API_KEY'];
if (key === undefined) throw new Error('ARTIST_API_KEY is not set.');

const wait = (seconds: number): Promise<void> => sleep(seconds * 1000 * Number(values['wait-factor']));

/** Asks, and asks the same again for as long as the service says that waiting helps: 429, or a 500 of a moment. */
const ask = async (path: string): Promise<Answer> => {
  for (;;) {
    const response = await fetch(url + path, { headers: { Authorization: `Bearer ${key}` } });
    // The contract says what a 200 holds; a client that was generated from it would know by itself.
    if (response.ok) return (await response.json()) as Answer;
    const body = await response.text();
    const seconds = response.headers.get('Retry-After');
    if (seconds === null) throw new Error(`${response.status} ${body}`);
    console.error(`${response.status}: waiting ${seconds} s`);
    await wait(Number(seconds));
  }
};

/** This form has no pages: a list as long as its limit may have been cut. */
const most = 200;

const readShortlist = async (): Promise<void> => {
  const { count, data } = await ask(`/api/v1/artists?fields=basic&limit=${most}`);
  for (const { id, name } of data) console.log(`${id}\t${name}`);
  if (count === most) console.error('There may be more artists: ask by tier, or for a key of the current form.');
};

/** Every 15 minutes: 4 of an hour's 100 requests. */
const poll = async (): Promise<void> => {
  const seen = new Set<string>();
  for (let left = Number(values.polls); left > 0; left--) {
    const { data } = await ask(`/api/v1/artists?new=1&fields=basic&limit=${most}`);
    for (const { id, name } of data.filter((artist) => !seen.has(artist.id))) {
      seen.add(id);
      console.log(`${id}\t${name}`);
    }
    if (left > 1) await wait(15 * 60);
  }
};

await (positionals[0] === 'poll' ? poll() : readShortlist());
