import { parseArgs } from 'node:util';

const numberOf = (text: string | undefined, otherwise: number): number => {
  if (text === undefined) return otherwise;
  const number = Number(text);
  if (!(number > 0)) throw new Error(`${text} is no number above 0`);
  return number;
};

export const usage = `Usage: npm run bench --prefix bench -- [options]

  --list             list the rows, and the caches that --without knows
  --only NAME,NAME   measure these rows only, and leave results.md as it is
  --skip NAME,NAME   leave these rows out
  --runs NUMBER      measure all rows this often, for medians and ranges (1)
  --without NAME,NAME  compare the gateway with one that lacks this cache, or all caches of this module,
                     instead of measuring rows
  --against FOLDER   compare this gateway with another checkout, built, instead of measuring rows
                     with --without and --against, --only chooses among
                     page, variant, gzip, not-modified, new-answers, history, history-gzip,
                     and with --without: refresh
  --rounds NUMBER    how often two subjects take turns (40)
  --slice MS         how long a turn lasts (250)
  --warm-up MS       how long a server runs before anything counts (10,000; 2,000 with --without and --against)
  --quick            small catalogues, four rounds: to see that it works
  --mongodb URL      a MongoDB whose database may be overwritten; without it one is stood in for
  --profiles FOLDER  write a processor profile of each gateway there`;

/** Reads the command line. Throws an `Error` with one line when it cannot be understood. */
export const readOptions = (args: readonly string[]) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', default: '' },
      skip: { type: 'string', default: '' },
      without: { type: 'string', default: '' },
      against: { type: 'string' },
      runs: { type: 'string' },
      rounds: { type: 'string' },
      slice: { type: 'string' },
      'warm-up': { type: 'string' },
      quick: { type: 'boolean', default: false },
      mongodb: { type: 'string' },
      profiles: { type: 'string' },
    },
  });
  const { quick, against, mongodb, profiles } = values;
  const list = (text: string): readonly string[] => text.split(',').filter((name) => name !== '');
  const comparesPackages = values.without !== '' || against !== undefined;
  return {
    /** Names of rows, or of what `without` and `against` compare; all of them when empty. */
    only: list(values.only),
    skip: list(values.skip),
    without: list(values.without),
    against,
    runs: numberOf(values.runs, 1),
    rounds: numberOf(values.rounds, quick ? 4 : 40),
    sliceMs: numberOf(values.slice, 250),
    warmUpMs: numberOf(values['warm-up'], quick ? 1_000 : comparesPackages ? 2_000 : 10_000),
    quick,
    mongodb,
    profiles,
  };
};

/** How a run was asked for; `usage` says what each option is. */
export type Options = Readonly<ReturnType<typeof readOptions>>;

/** Throws when a name is none of those that there are. */
export const assertKnown = (wanted: readonly string[], known: readonly string[]): void => {
  const unknown = wanted.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`${unknown} is unknown: there are ${known.join(', ')}`);
};
