import { type Column, printJson, printListing } from '../listing.ts';
import type { Refusal } from './input-files.ts';
import type { Plan } from './plan.ts';
import type { LabelPlan } from './plan-labels.ts';
import type { Removals } from './removals.ts';
import { addTallies, emptyTally, type Tally } from './tally.ts';

/** What an import did, or would do, by collection. */
export interface Tallies {
  readonly artists: Tally;
  readonly series: Tally;
  readonly labels: Tally;
}

interface Row extends Tally {
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
  const artists = plans.map(({ tallies }) => tallies.artists).reduce(addTallies, emptyTally);
  const series = plans.map(({ tallies }) => tallies.series).reduce(addTallies, emptyTally);
  return {
    artists: { ...artists, removed: removals.artists.length },
    series: { ...series, removed: series.removed + removals.strandedSeries.length },
    labels: { ...labels.tally, removed: removals.labels.length },
  };
};

const printRows = (tallies: Tallies): void =>
  printListing(
    Object.entries(tallies).map(([collection, tally]) => ({ collection, ...tally })),
    columns,
  );

/** Prints what an import did. */
export const printTallies = (tallies: Tallies, refused: readonly Refusal[], json: boolean): void => {
  if (json) printJson({ ...tallies, refused });
  else printRows(tallies);
};
