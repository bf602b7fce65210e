import {
  type Column,
  type DrawOptions,
  type Fact,
  noteHidden,
  type Output,
  printFacts,
  printListing,
} from './table.ts';

/** Facts and tables on one output; hidden columns are counted over all of them. */
export const createPage = (options: DrawOptions, to: Output) => {
  let hidden = 0;
  return {
    facts: (facts: readonly Fact[]): void => printFacts(facts, options, to),
    table<Row extends object>(rows: readonly Row[], columns: readonly Column<Row>[]): void {
      if (rows.length === 0) return;
      const onHidden = (count: number): void => {
        hidden += count;
      };
      printListing(rows, columns, { ...options, onHidden }, to);
      to.write('\n');
    },
    gap: (): void => void to.write('\n'),
    end: (): void => noteHidden(hidden),
  };
};

export type Page = ReturnType<typeof createPage>;
