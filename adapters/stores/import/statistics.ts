import { formatInstant } from '../../../src/domain/instants.ts';
import type { Artist, Series } from '../../../src/domain/model.ts';
import { type Gap, gapsIn } from './gaps.ts';
import { createMissingMembers, type MissingMember } from './missing-members.ts';

interface Range {
  readonly oldest: string | undefined;
  readonly newest: string | undefined;
}

/** What a catalogue looks like as a whole. */
export interface Statistics {
  readonly artists: number;
  readonly songs: number;
  readonly series: number;
  readonly points: number;
  readonly labels: number;
  /** Documents that no gateway can use. */
  readonly unusable: number;
  /** Artists that an import which was cut short has yet to touch. */
  readonly unfinished: number;
  readonly added: Range;
  readonly history: Range;
  readonly changed: Range;
  readonly tiers: Readonly<Record<string, number>>;
  readonly missing: readonly MissingMember[];
  readonly gaps: { readonly series: number; readonly days: number; readonly widest: readonly Gap[] };
}

/** Gaps told one by one. */
const widestGaps = 5;

const widen = ({ oldest, newest }: Range, text: string | undefined): Range => {
  if (text === undefined) return { oldest, newest };
  return {
    oldest: oldest === undefined || text < oldest ? text : oldest,
    newest: newest === undefined || text > newest ? text : newest,
  };
};

const nowhere: Range = { oldest: undefined, newest: undefined };

/** Counts a catalogue as its documents come by. */
export const createStatistics = () => {
  const counts = { artists: 0, songs: 0, series: 0, points: 0, labels: 0, unusable: 0, unfinished: 0 };
  const ranges = { added: nowhere, history: nowhere, changed: nowhere };
  const tiers: Record<string, number> = {};
  const missing = createMissingMembers();
  const gaps = { series: 0, days: 0 };
  let widest: Gap[] = [];
  return {
    addArtist(artist: Artist): void {
      counts.artists += 1;
      counts.songs += artist.songs.length;
      const tier = artist.tier ?? 'unknown';
      tiers[tier] = (tiers[tier] ?? 0) + 1;
      ranges.added = widen(ranges.added, artist.dateAdded);
      ranges.changed = widen(ranges.changed, formatInstant(artist.updatedAt));
      missing.add(artist);
    },
    addSeries(series: Series): void {
      counts.series += 1;
      counts.points += series.points.length;
      ranges.history = widen(widen(ranges.history, series.points[0]?.date), series.points.at(-1)?.date);
      const found = gapsIn(series);
      if (found.length === 0) return;
      gaps.series += 1;
      gaps.days += found.reduce((sum, { days }) => sum + days, 0);
      widest = [...widest, ...found].toSorted((left, right) => right.days - left.days).slice(0, widestGaps);
    },
    addLabel(): void {
      counts.labels += 1;
    },
    addUnfinished(): void {
      counts.unfinished += 1;
    },
    addUnusable(): void {
      counts.unusable += 1;
    },
    result: (): Statistics => ({ ...counts, ...ranges, tiers, missing: missing.list(), gaps: { ...gaps, widest } }),
  };
};
