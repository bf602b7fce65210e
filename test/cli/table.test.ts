import { expect } from 'chai';
import { formatDistance, formatDuration } from '../../src/domain/quantities.ts';
import { type Column, type Output, printListing } from '../../tools/cli/terminal/table.ts';

/** What is written to a terminal. */
const written = (print: (to: Output) => void): string => {
  let all = '';
  print({
    isTTY: true,
    write(text) {
      all += text;
    },
  });
  return all;
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: it removes colours
const withoutColour = (text: string): string => text.replaceAll(/\u001b\[[0-9]+m/g, '');

const odd = [
  '=1+1',
  '+1',
  '-1+1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '-5',
  '1=1',
  'a\u200db',
  'a,"b"\n',
  '\u001b[2J',
];

/** What a pipe gets of a listing with one column. */
const piped = (
  values: readonly string[],
  csv: boolean,
  column: Partial<Column<{ readonly id: string }>> = {},
): string => {
  let all = '';
  const write = (text: string) => {
    all += text;
  };
  const columns = [{ title: 'id', show: ({ id }: { readonly id: string }) => id, ...column }];
  printListing(
    values.map((id) => ({ id })),
    columns,
    { csv },
    { write },
  );
  return all;
};

describe('comma-separated values', () => {
  it('keep a spreadsheet from computing a cell as a formula', () => {
    const lines = '\'=1+1|\'+1|\'-1+1|\'@SUM(A1)|\' =1|\' =1|-5|1=1|a b|"a,""b"" "| [2J';
    expect(piped(odd, true)).to.equal(`id\r\n${lines.replaceAll('|', '\r\n')}\r\n`);
  });

  it('keep exact columns unchanged, and quote values with quotes, commas or line ends', () => {
    const lines = '=1+1|+1|-1+1|@SUM(A1)|\t=1|"\r=1"|-5|1=1|a\u200db|"a,""b""\n"|\u001b[2J';
    expect(piped(odd, true, { isExact: true })).to.equal(
      `id\r\n${lines.replaceAll('|', '\r\n')}\r\n`,
    );
    expect(piped(odd, false, { isExact: true }))
      .to.include('\n=1+1\n+1\n')
      .and.include('\na\u200db\n');
  });

  it('have no control characters on a terminal, in an exact column either', () => {
    const columns: readonly Column<{ readonly id: string }>[] = [
      { title: 'id', show: ({ id }) => id, isExact: true },
    ];
    const shown = written((to) => printListing([{ id: '\u001b[2J' }], columns, { csv: true }, to));
    expect(shown).to.equal('id\r\n [2J\r\n');
  });
});

describe('a table on a terminal', () => {
  const at = '2026-08-19T11:00:00.000Z';
  const columns: readonly Column<{ readonly name: string }>[] = [
    { title: 'name', show: ({ name }) => name },
    { title: 'note', show: () => 'long', isWide: true },
    { title: 'at', show: () => at },
  ];
  const print = (wide: boolean): string => {
    const options = { wide, now: Date.parse('2026-08-22T12:00:00Z'), onHidden: () => {} };
    return withoutColour(written((to) => printListing([{ name: '月見坂' }], columns, options, to)));
  };

  it('hides wide columns and counts them, and has distances for times', () => {
    expect(print(false)).to.equal('name    at\n月見坂  3 d ago\n');
    let hidden = 0;
    const onHidden = (count: number) => (hidden = count);
    written((to) => printListing([{ name: 'a' }], columns, { onHidden }, to));
    expect(hidden).to.equal(1);
  });

  it('has every column and exact times with --wide', () => {
    expect(print(true)).to.equal(`name    note  at\n月見坂  long  ${at}\n`);
  });
});

describe('times', () => {
  it('are formatted in their largest unit as a distance', () => {
    const texts = [-400 * 86_400_000, -90_000, -10, 3_600_000, 41.5 * 86_400_000].map((ms) =>
      formatDistance(ms, 0),
    );
    expect(texts).to.deep.equal(['400 d ago', '1 min ago', '0 s ago', 'in 1 h', 'in 41 d']);
  });

  it('are formatted in their two largest units as a duration', () => {
    const texts = [0, 45_000, 3_600_000, 90_061_000, 604_800_000].map(formatDuration);
    expect(texts).to.deep.equal(['0s', '45s', '1h', '1d 1h', '7d']);
  });
});
