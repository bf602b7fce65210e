import { behaviourFaults } from './faults-behaviour.ts';
import { parameterFaults } from './faults-parameters.ts';
import { quotaFaults } from './faults-quotas.ts';
import {
  around,
  backwards,
  currentArtists,
  type Fault,
  presenterFaultsOf,
  show,
  variantArtists,
  variantSignings,
  variantSpikes,
} from './faulty.ts';

type Song = Readonly<Record<string, unknown>>;

/** Faults in how the forms present answers that no single member shows. */
const presenterFaults = presenterFaultsOf({
  'previous and current are swapped': [
    'spike.previous',
    variantSpikes({
      show: (wire) => ({ ...wire, previous: wire.current, current: wire.previous }),
    }),
  ],
  'ugc_tiktok and ugc_instagram are swapped': [
    'artist.songs[].metrics.ugc_tiktok',
    variantArtists(
      show('songs[]', (song: Song) => ({
        ...song,
        ugc_tiktok: song['ugc_instagram'],
        ugc_instagram: song['ugc_tiktok'],
      })),
    ),
  ],
  'the first song is left out': [
    'artist.songs[].id',
    variantArtists(show('songs', (songs: readonly Song[]) => songs.slice(1))),
  ],
  'label_songs are in reverse order': [
    'signing.label_songs[].song_name',
    variantSignings(show('label_songs', backwards)),
  ],
  'an internal member is shown': [
    'none',
    currentArtists({ show: (wire, { updatedAt }) => ({ ...wire, updated_at: updatedAt }) }),
  ],
  'the request id is another one than the header says': [
    'header.X-Request-Id',
    currentArtists(around('meta.request_id', () => '00000000-0000-4000-8000-000000000000')),
  ],
});

const inFile = (
  file: string,
  bugs: readonly (readonly [name: string, from: string, to: string])[],
): Fault[] =>
  bugs.map(([name, from, to]) => ({ group: 'catalogue', name, source: { file, from, to } }));

/**
 * Bugs that both forms share, so that no difference between the forms shows them. `questions.ts` has
 * no code.
 */
const catalogueBugs: readonly Fault[] = [
  ...inFile('catalogue.ts', [
    [
      'a cursor begins the next page after the first artist of this one',
      'selected.at(-1)',
      'selected.at(0)',
    ],
    ['a detail shows what the key may not see', 'disclosure.artist(found, viewer.scopes)', 'found'],
  ]),
  ...inFile('cursor.ts', [
    [
      'a cursor is accepted with another tier',
      'name, tier, addedSince, addedWithinDays, signed];',
      'name];',
    ],
  ]),
  ...inFile('redaction.ts', [
    [
      'the scope for editorial opens the notes',
      "!scopes.has('signing-notes:",
      "!scopes.has('editorial:",
    ],
  ]),
  ...inFile('growth.ts', [
    [
      'growth of exactly the threshold is lost',
      '* 100 < thresholdPercent',
      '* 100 <= thresholdPercent',
    ],
    [
      'per cents are rounded half to even',
      'Math.floor((difference * 20_000 + previous) / (2 * previous))',
      '(((twice) => Math.floor(twice) - Number(Number.isInteger(twice) && twice % 2 === 1))((difference * 20_000 + previous) / (2 * previous)))',
    ],
  ]),
  ...inFile('label-detector.ts', [
    ['aliases are not looked for', 'of new Set(aliases))', 'of aliases.slice(1))'],
  ]),
  ...inFile('loader.ts', [
    [
      'labels are left out',
      'createSnapshot(contents,',
      'createSnapshot({ ...contents, labels: [] },',
    ],
  ]),
  ...inFile('name-index.ts', [
    [
      'a final sigma is a letter of its own',
      'character.toLowerCase().toUpperCase()',
      'character.toLowerCase()',
    ],
  ]),
  ...inFile('selection.ts', [
    ['artists of tomorrow are listed', ' && dateAdded <= today', ''],
    [
      'a full last page has a next one',
      'artists, more: false',
      'artists, more: artists.length === limit',
    ],
    [
      'an artist is lost between two pages',
      ': indexAfter(snapshot, after)',
      ': indexAfter(snapshot, after) + 1',
    ],
  ]),
  ...inFile('signings.ts', [
    [
      'a reviewed artist is signed',
      "artist.signing.status === 'signed'",
      'artist.signing.status !== undefined',
    ],
    [
      'only the first song is looked at',
      'artist.songs.flatMap',
      'artist.songs.slice(0, 1).flatMap',
    ],
  ]),
  ...inFile('snapshot.ts', [
    ['a page repeats the artist of its cursor', 'position) > 0', 'position) >= 0'],
    [
      'of two artists added on one day the greater id comes first',
      'compareArtists(left.artist, right.artist)',
      '(left.artist.dateAdded === right.artist.dateAdded && left.artist.dateAdded !== undefined ? compareArtists(right.artist, left.artist) : compareArtists(left.artist, right.artist))',
    ],
  ]),
  ...inFile('movements.ts', [
    ['stale points are trusted', ' && !point.stale', ''],
    ['the latest point may be three days old', 'const slackDays = 2', 'const slackDays = 3'],
    ['the earlier point may be a day too late', 'addDays(to, -days))', 'addDays(to, 1 - days))'],
    ['a value at the floor is under it', 'previous < floor', 'previous <= floor'],
  ]),
  ...inFile('spikes.ts', [
    ['spikes are in the order of the shortlist', 'found, compareSpikes)', 'found, () => 0)'],
  ]),
];

/** Every bug that is planted to see whether the comparison finds it. */
export const plantedBugs: readonly Fault[] = [
  ...presenterFaults,
  ...parameterFaults,
  ...behaviourFaults,
  ...quotaFaults,
  ...catalogueBugs,
];
