import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseArtist } from '../../../dist/adapters/stores/documents/catalogue-documents.js';
import { catalogueRows } from '../../../dist/adapters/stores/state/copy-rows.js';
import { keepCopy } from '../../../dist/adapters/stores/state/kept-source.js';

// Writes copy after copy into a folder until it is killed, through the gateway's own writer, and prints the even number of each one
// that is on the disk, and one more when that is written into it as an instant. It begins with the copy that it finds. Every artist
// has the number, so that a mixture would show.

const [folder = '', document = '', count = '300'] = process.argv.slice(2);
const { model } = parseArtist(JSON.parse(document));
const days = Array.from({ length: 30 }, (_, index) => `2026-08-${index + 1}`);

const contentsOf = (number) => ({
  artists: Array.from({ length: Number(count) }, (_, index) => ({
    artist: { ...model, id: `art_${index}`, metrics: { social_score: number } },
    recent: [{ metric: 'social_score', days, values: days.map(() => number) }],
  })),
  labels: [],
  faults: [],
});

let contents;
let now = Number.MAX_SAFE_INTEGER; // later than any copy
const silent = () => {};
const kept = keepCopy(async () => ({ load: async () => contents }), catalogueRows, {
  folder,
  unit: 'catalogue',
  source: 'test',
  clock: { now: () => now, elapsed: () => performance.now() },
  log: { info: silent, warn: silent, error: silent },
});

const write = async (answeredAt) => {
  now = answeredAt;
  await kept.load();
  while (kept.copy.age() !== 0) await nextTurn();
  process.stdout.write(`${answeredAt}\n`);
};

const recalled = await kept.recall();
for (
  let number = (recalled?.contents.artists[0].artist.metrics.social_score ?? 0) + 2;
  ;
  number += 2
) {
  contents = contentsOf(number);
  await write(number); // a copy
  await write(number + 1); // the same contents, later
}
