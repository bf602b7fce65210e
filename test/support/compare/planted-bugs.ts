import { behaviourFaults } from './faults-behaviour.ts';
import { parameterFaults } from './faults-parameters.ts';
import { presenterFaults } from './faults-presenters.ts';
import { quotaFaults } from './faults-quotas.ts';
import type { Fault } from './faulty.ts';

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
    ['lists show what the key may not see', 'disclosure.artist(artist, viewer.scopes)', 'artist'],
    ['a detail shows what the key may not see', 'disclosure.artist(found, viewer.scopes)', 'found'],
    [
      '/added counts a day too many',
      'addedWithinDays: days }, limit',
      'addedWithinDays: days + 1 }, limit',
    ],
    ['the window of spikes is a day too long', 'listed, days, today', 'listed, days + 1, today'],
  ]),
  ...inFile('cursor.ts', [
    [
      'a cursor is accepted with another tier',
      'name, tier, addedSince, addedWithinDays, signed];',
      'name];',
    ],
    ['a cursor forgets the day', 'dateAdded: dateAdded ?? undefined', 'dateAdded: undefined'],
  ]),
  ...inFile('disclosure.ts', [
    [
      'the scope for editorial opens the notes',
      "!scopes.has('signing-notes:",
      "!scopes.has('editorial:",
    ],
    [
      'notes of the signings are open to all',
      "=== undefined || scopes.has('signing-notes:read')",
      '!== 0',
    ],
    [
      'what one key sees is kept for another',
      "scopes.has('signing-notes:read') ? 'notes' : ''",
      "''",
    ],
  ]),
  // The example catalogue has whole numbers only where growth is near the threshold;
  // `spikes.test.ts` tries any decimals.
  ...inFile('growth.ts', [
    ['growth just above the threshold is lost', 'thresholdPercent / 101', 'thresholdPercent / 99'],
    [
      'growth of exactly the threshold is lost',
      '* 100 < thresholdPercent',
      '* 100 <= thresholdPercent',
    ],
    [
      'growth is rounded before it is compared',
      'if (difference * 100 < thresholdPercent * previous)',
      'if (Math.round((difference * 10_000) / previous) / 100 < 19.99)',
    ],
    [
      'per cents are rounded half to even',
      'Math.floor((difference * 20_000 + previous) / (2 * previous))',
      '(((twice) => Math.floor(twice) - Number(Number.isInteger(twice) && twice % 2 === 1))((difference * 20_000 + previous) / (2 * previous)))',
    ],
    ['per cents are cut, not rounded', '20_000 + previous) / (2 * previous)', '10_000) / previous'],
  ]),
  ...inFile('label-detector.ts', [
    ['aliases are not looked for', 'of new Set(aliases))', 'of aliases.slice(1))'],
    ['case matters', "foldCase(plain.normalize('NFKC'))", "plain.normalize('NFKC')"],
    [
      'a label is found at the end of the P-line only',
      'words.entries()',
      '[...words.entries()].toReversed()',
    ],
  ]),
  ...inFile('loader.ts', [
    [
      'labels are left out',
      'createSnapshot(contents,',
      'createSnapshot({ ...contents, labels: [] },',
    ],
    [
      'the first artist is left out',
      'createSnapshot(contents,',
      'createSnapshot({ ...contents, artists: contents.artists.slice(1) },',
    ],
  ]),
  ...inFile('name-index.ts', [
    [
      'a final sigma is a letter of its own',
      'character.toLowerCase().toUpperCase()',
      'character.toLowerCase()',
    ],
    ['every text counts as ASCII', '/^[ -~]*$/', '/^/'],
    ['a search skips the neighbour of each name it finds', 'index += 1', 'index += 2'],
  ]),
  ...inFile('selection.ts', [
    [
      'a tier does not narrow an identifier',
      '(artist) => artist.tier === tier',
      '() => tier.length > 0',
    ],
    ['added_since leaves out its day', 'artist.dateAdded >= day', 'artist.dateAdded > day'],
    ['artists of tomorrow are listed', ' && dateAdded <= today', ''],
    [
      'who is not known to be unsigned is signed',
      "=== 'signed') === signed",
      "!== 'unsigned') === signed",
    ],
    [
      'a full last page has a next one',
      'artists, more: false',
      'artists, more: artists.length === limit',
    ],
    [
      'a page begins with the last artist of the one before',
      'After(snapshot, after)',
      'After(snapshot, after) - 1',
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
    ['signings are in the order of the shortlist', 'found, compareSignings)', 'found, () => 0)'],
  ]),
  ...inFile('snapshot.ts', [
    ['the first day of a window is left out', 'artist.dateAdded < day', 'artist.dateAdded <= day'],
    ['a page repeats the artist of its cursor', 'position) > 0', 'position) >= 0'],
    [
      'of two artists added on one day the greater id comes first',
      'compareArtists(left.artist, right.artist)',
      '(left.artist.dateAdded === right.artist.dateAdded && left.artist.dateAdded !== undefined ? compareArtists(right.artist, left.artist) : compareArtists(left.artist, right.artist))',
    ],
    ['the tracked labels are not all shown', 'labels.map((', 'labels.slice(1).map(('],
  ]),
  ...inFile('movements.ts', [
    ['stale points are trusted', ' && !point.stale', ''],
    ['terminal points are trusted', ' && !point.terminal', ''],
    ['the latest point may be three days old', 'const slackDays = 2', 'const slackDays = 3'],
    ['the earlier point may be a day too late', 'addDays(to, -days))', 'addDays(to, 1 - days))'],
    ['a value at the floor is under it', 'previous < floor', 'previous <= floor'],
    [
      'a point of tomorrow hides those of today',
      'oldestLatest, today)',
      "oldestLatest, '9999-12-31')",
    ],
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
