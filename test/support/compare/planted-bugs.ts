import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmbeddedCatalogue } from '../../../adapters/stores/embedded/catalogue.ts';
import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import type { QuotaStatus, QuotaStore } from '../../../src/ports.ts';
import { fixedClock } from '../../../src/runtime/clock.ts';
import { fixtureFolder } from '../../../src/runtime/config.ts';
import { root } from '../architecture.ts';
import { createMemoryLog } from '../log.ts';
import { spikes } from './open-target.ts';

/**
 * A bug in `src/catalogue`, which both forms share: no difference between the forms shows it. `from`
 * occurs once in the file.
 */
type SourceBug = readonly [file: string, shownBy: string, from: string, to: string];

const bySign = (member: string): string => `(left.${member} < right.${member} ? -1 : 1)`;
const byGrowth = 'right.percentChange - left.percentChange || right.delta - left.delta';

export const sourceBugs: readonly SourceBug[] = [
  ['catalogue.ts', 'artists-page-by-page', 'selected.at(-1)', 'selected.at(0)'],
  [
    'catalogue.ts',
    'artist-in-detail-with-the-least-scopes',
    'disclosure.artist(found, viewer.scopes)',
    'found',
  ],
  [
    'catalogue.ts',
    'signings-without-notes',
    'disclosure.signing(signing, viewer.scopes)',
    'signing',
  ],
  [
    'cursor.ts',
    'cursor-of-other-filters',
    'name, tier, addedSince, addedWithinDays, signed];',
    'name];',
  ],
  [
    'redaction.ts',
    'artists-with-editorial-only',
    "!scopes.has('signing-notes:",
    "!scopes.has('editorial:",
  ],
  ['redaction.ts', 'artists-with-the-least-scopes', "&& !scopes.has('editorial:read')", '&& false'],
  ['growth.ts', 'boundary-growth-equal', '* 100 < thresholdPercent', '* 100 <= thresholdPercent'],
  ['growth.ts', 'boundary-half', '20_000 + previous)', '20_000 + previous - 1)'],
  ['label-detector.ts', 'signings', 'of new Set(aliases))', 'of aliases.slice(1))'],
  [
    'loader.ts',
    'signings',
    'createSnapshot(contents,',
    'createSnapshot({ ...contents, labels: [] },',
  ],
  [
    'name-index.ts',
    'artists-by-name-in-small-letters',
    'character.toLowerCase().toUpperCase()',
    'character.toLowerCase()',
  ],
  ['selection.ts', 'added-today', ' && dateAdded <= today', ''],
  [
    'selection.ts',
    'boundary-page-at-the-end',
    'artists, more: false',
    'artists, more: artists.length === limit',
  ],
  [
    'selection.ts',
    'artists-page-by-page',
    ': indexAfter(snapshot, after)',
    ': indexAfter(snapshot, after) + 1',
  ],
  ['signings.ts', 'signings', "signing.status === 'signed'", 'signing.status !== undefined'],
  ['signings.ts', 'signings', 'artist.songs.flatMap', 'artist.songs.slice(0, 1).flatMap'],
  [
    'signings.ts',
    'signings',
    'found, compareSignings)',
    `found, (left, right) => ${bySign('artistName')})`,
  ],
  ['snapshot.ts', 'artists-page-by-page', 'position) > 0', 'position) >= 0'],
  [
    'snapshot.ts',
    'artists',
    'compareArtists(left.artist, right.artist)',
    'compareArtists({ ...left.artist, id: right.artist.id }, { ...right.artist, id: left.artist.id })',
  ],
  ['movements.ts', 'boundary-latest-not-trusted', ' && !point.stale', ''],
  ['movements.ts', 'boundary-latest-three-days-old', 'slackDays = 2', 'slackDays = 3'],
  [
    'movements.ts',
    'boundary-previous-a-day-too-late',
    'addDays(to, -days))',
    'addDays(to, 1 - days))',
  ],
  ['movements.ts', 'boundary-floor-equal', 'previous < floor', 'previous <= floor'],
  ['spikes.ts', 'boundary-tie', 'found, compareSpikes)', 'found, () => 0)'],
  [
    'spikes.ts',
    'boundary-tie',
    'found, compareSpikes)',
    `found, (left, right) => ${byGrowth} || ${bySign('metric')})`,
  ],
];

/** Copies `src/catalogue` with the bug to a folder; everything else is imported from its place. */
const copyWith = ([file, , from, to]: SourceBug): string => {
  const source = join(root, 'src/catalogue');
  const folder = mkdtempSync(join(tmpdir(), 'planted-'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  for (const name of readdirSync(source)) {
    const text = readFileSync(join(source, name), 'utf8');
    if (name === file && text.split(from).length !== 2)
      throw new Error(`${file} does not have once: ${from}`);
    const planted = name === file ? text.replace(from, () => to) : text;
    writeFileSync(join(folder, name), planted.replaceAll("from '../", `from '${root}/src/`));
  }
  return folder;
};

/** The example catalogue, loaded by sources with the bug. */
export const loadPlanted = async (bug: SourceBug, now: number): Promise<Catalogue> => {
  const folder = copyWith(bug);
  try {
    const { createCatalogueLoader }: typeof import('../../../src/catalogue/loader.ts') =
      await import(join(folder, 'loader.ts'));
    const { createDisclosure }: typeof import('../../../src/catalogue/redaction.ts') = await import(
      join(folder, 'redaction.ts')
    );
    const { createSpikeFinder }: typeof import('../../../src/catalogue/spikes.ts') = await import(
      join(folder, 'spikes.ts')
    );
    const { recentPointsOf }: typeof import('../../../src/catalogue/movements.ts') = await import(
      join(folder, 'movements.ts')
    );
    const clock = fixedClock(now);
    const source = createEmbeddedCatalogue({ folder: fixtureFolder, clock, rebaseToToday: false });
    const contents = await source.load();
    const artists = contents.artists.map(async (listed) => {
      const { series } = await source.read(listed.artist);
      const own = series.filter(({ songId }) => songId === undefined);
      return { ...listed, recent: own.map((one) => recentPointsOf(one)) };
    });
    const planted = { ...contents, artists: await Promise.all(artists) };
    const parts = {
      histories: source,
      disclosure: createDisclosure(),
      spikes: createSpikeFinder(spikes),
    };
    const loader = createCatalogueLoader({ load: async () => planted }, parts, createMemoryLog());
    return await loader.load(undefined);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** A store with changed statuses; `index` is the index of the allowance. */
const reporting =
  (change: (status: QuotaStatus, window: string, index: number) => QuotaStatus) =>
  (store: QuotaStore): QuotaStore => ({
    ...store,
    consume: async (allowances, deadline) =>
      (await store.consume(allowances, deadline)).map((status, index) =>
        change(status, allowances[index]?.window ?? '', index),
      ),
  });

const later = (status: QuotaStatus, ms: number): QuotaStatus => ({
  ...status,
  endsAt: status.endsAt + ms,
  msLeft: status.msLeft + ms,
});

/** Quotas that are counted or reported wrongly, each with the row that reports it. */
export const quotaBugs: readonly (readonly [
  name: string,
  shownBy: string,
  row: string,
  change: (store: QuotaStore) => QuotaStore,
])[] = [
  [
    'the UTC day ends at 01:00',
    'quota-by-default',
    'header.X-RateLimit-Day-Reset',
    reporting((status, window) => (window === 'day' ? later(status, 3_600_000) : status)),
  ],
  [
    'windows begin with the first request',
    'quota-by-default',
    'header.X-RateLimit-Reset',
    reporting((status) => later(status, 7_000)),
  ],
  [
    'the time left is not the time to the end',
    'quota-by-default',
    'header.RateLimit',
    reporting((status) => ({ ...status, msLeft: status.msLeft - 10_000 })),
  ],
  [
    'the remaining count is one behind, except at 0',
    'quota-by-default',
    'header.X-RateLimit-Remaining',
    reporting((status) => ({ ...status, used: status.used - Number(status.granted) })),
  ],
  [
    'the seconds of Retry-After are rounded down',
    'quota-window-spent',
    'header.Retry-After',
    reporting((status) => ({ ...status, msLeft: Math.floor(status.msLeft / 1000) * 1000 })),
  ],
  [
    'the second window never refuses',
    'quota-day-spent',
    'problem.day-spent',
    (store) => ({
      ...store,
      consume: async ([first, ...others], deadline) => [
        ...(first === undefined ? [] : await store.consume([first], deadline)),
        ...(await Promise.all(others.map((one) => store.read(one, deadline)))),
      ],
    }),
  ],
  [
    'one request too many is granted',
    'quota-window-spent',
    'problem.window-spent',
    (store) => ({
      ...store,
      consume: (allowances, deadline) => {
        const more = allowances.map((one) => ({ ...one, limit: one.limit + 1 }));
        return store.consume(more, deadline);
      },
    }),
  ],
];
