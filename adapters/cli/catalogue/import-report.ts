import { type ImportCounts, noCounts, sumCounts } from '../../stores/import/import-counts.ts';
import type { ImportError } from '../../stores/import/input-files.ts';
import type { Plan } from '../../stores/import/plan-artists.ts';
import type { LabelPlan } from '../../stores/import/plan-labels.ts';
import type { Removals } from '../../stores/import/removals.ts';
import { type Column, printJson, printListing } from '../terminal/table.ts';

/** What an import did, or would do, by collection. */
export interface Tallies {
  readonly artists: ImportCounts;
  readonly series: ImportCounts;
  readonly labels: ImportCounts;
}

interface Row extends ImportCounts {
  readonly collection: string;
}

const columns: readonly Column<Row>[] = [
  { title: 'collection', show: ({ collection }) => collection },
  { title: 'created', show: ({ created }) => created },
  { title: 'changed', show: ({ changed }) => changed },
  { title: 'touched', show: ({ touched }) => touched },
  { title: 'unchanged', show: ({ unchanged }) => unchanged },
  { title: 'removed', show: ({ removed }) => removed },
];

/** Adds up what is planned. */
export const tallyUp = (plans: readonly Plan[], labels: LabelPlan, removals: Removals): Tallies => {
  const artists = plans.map(({ tallies }) => tallies.artists).reduce(sumCounts, noCounts);
  const series = plans.map(({ tallies }) => tallies.series).reduce(sumCounts, noCounts);
  return {
    artists: { ...artists, removed: removals.artists.length },
    series: { ...series, removed: series.removed + removals.orphanedSeries.length },
    labels: { ...labels.tally, removed: removals.labels.length },
  };
};

const printRows = (tallies: Tallies): void =>
  printListing(
    Object.entries(tallies).map(([collection, tally]) => ({ collection, ...tally })),
    columns,
  );

/** Prints what an import did. */
export const printTallies = (tallies: Tallies, refused: readonly ImportError[], json: boolean): void => {
  if (json) printJson({ ...tallies, refused });
  else printRows(tallies);
};
