import { parseArgs } from 'node:util';

const numberOf = (text: string | undefined, otherwise: number): number => {
  if (text === undefined) return otherwise;
  const number = Number(text);
  if (!(number > 0)) throw new Error(`${text} must be a number above 0`);
  return number;
};

export const usage = `Usage: npm run bench --prefix bench -- [options]

  --only NAME,NAME   measure these rows only, and leave results.md as it is; soak runs only if it is named
  --runs NUMBER      how often rows that differ from process to process are measured (3)
  --rounds NUMBER    how often two subjects take turns (8)
  --quick            small catalogues, one run, four rounds: a trial run
  --minutes NUMBER   how long the soak lasts (15)

Instead of measuring rows, this compares the gateway with another version, over the same requests. --only chooses among
page, variant, gzip, not-modified, new-answers, history, crowd, allowed.
  --against COMMIT       a commit of this repository, or the folder of another checkout, built`;

/** Reads the command line. Throws an `Error` with one line if it is invalid. */
export const readOptions = (args: readonly string[]) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', default: '' },
      against: { type: 'string' },
      runs: { type: 'string' },
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      minutes: { type: 'string' },
    },
  });
  const { quick, against } = values;
  const list = (text: string): readonly string[] => text.split(',').filter((name) => name !== '');
  return {
    /** Names of rows, or of what gateways are compared by; all of them when empty. */
    only: list(values.only),
    against,
    runs: numberOf(values.runs, quick ? 1 : 3),
    rounds: numberOf(values.rounds, quick ? 4 : 8),
    /** How long a turn lasts, and how long a server runs before anything counts. */
    sliceMs: 250,
    warmUpMs: quick ? 1_000 : 3_000,
    minutes: numberOf(values.minutes, 15),
    quick,
  };
};

/** Options of a run, which `usage` describes. */
export type Options = Readonly<ReturnType<typeof readOptions>>;

/** Throws if a name is unknown. */
export const assertKnown = (wanted: readonly string[], known: readonly string[]): void => {
  const unknown = wanted.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`${unknown} is unknown. Use ${known.join(', ')}`);
};
