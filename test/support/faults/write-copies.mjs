import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseArtist } from '../../../dist/adapters/stores/documents/catalogue-documents.js';
import { catalogueCodec } from '../../../dist/adapters/stores/state/catalogue-rows.js';
import { keepCopy } from '../../../dist/adapters/stores/state/kept-source.js';

// Writes copy after copy into a folder until it is killed, through the gateway's own writer, and prints the number of each one
// that is on the disk, and half a number more for its stamp. It begins with the copy that it finds. Every artist has the number,
// so that a mixture would show.

const [folder = '', document = '', count = '300'] = process.argv.slice(2);
const { model } = parseArtist(JSON.parse(document));
const points = Array.from({ length: 30 }, (_, index) => ({ date: `2026-08-${index + 1}`, value: index }));
const collection = { models: [], unreadable: [], faults: [], lastGood: new Map() };

const stateOf = (number) => ({
  artists: new Map(
    Array.from({ length: Number(count) }, (_, index) => {
      const artist = { ...model, id: `art_${index}`, metrics: { social_score: number } };
      const recent = [{ artistId: artist.id, songId: undefined, metric: 'social_score', points }];
      return [
        artist.id,
        { key: artist.id, revision: number, listed: { artist, recent }, faults: [], keepsRecent: false },
      ];
    }),
  ),
  labels: collection,
  faults: [],
  confirmations: new Map(),
});

let state;
let contents;
let now = Number.MAX_SAFE_INTEGER; // later than any copy
const source = { load: async () => contents, state: () => state, resume() {} };
const codec = { ...catalogueCodec, contentsOf: async ({ artists }) => ({ number: artists.get('art_0').revision }) };
const silent = () => {};
const kept = keepCopy(async () => source, codec, {
  folder,
  source: 'test',
  program: 'test',
  clock: { now: () => now, elapsed: () => performance.now() },
  log: { info: silent, warn: silent, error: silent },
  intervalMs: 0,
});

const write = async (answeredAt) => {
  now = answeredAt;
  await kept.load();
  while (kept.copy.age() !== 0) await nextTurn();
  process.stdout.write(`${answeredAt}\n`);
};

const recalled = await kept.recall();
for (let number = (recalled?.contents.number ?? 0) + 1; ; number += 1) {
  state = stateOf(number);
  contents = { number };
  await write(number); // a copy
  await write(number + 0.5); // a stamp
}
