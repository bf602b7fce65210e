import { expect } from 'chai';
import { formatDistance, formatDuration } from '../../src/domain/quantities.ts';
import {
  type Column,
  type Output,
  printFacts,
  printListing,
} from '../../tools/cli/terminal/table.ts';

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

  it('have the values of an exact column unchanged, as one with quotes, commas or line ends in quotes', () => {
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

describe('a terminal that is too narrow', () => {
  const at = '2026-08-19T11:00:00.000Z';
  const named: readonly Column<{ readonly name: string }>[] = [
    { title: 'name', show: ({ name }) => name, isCuttable: true },
    { title: 'at', show: () => at },
  ];
  const print = (name: string, columns: number): string =>
    withoutColour(
      written((to) =>
        printListing(
          [{ name }],
          named,
          { now: Date.parse('2026-08-22T12:00:00Z') },
          { ...to, columns },
        ),
      ),
    );

  it('gets the widest texts cut with `…`, down to a third', () => {
    expect(print('月'.repeat(15), 26)).to.equal(
      'name               at\n月月月月月月月月…  3 d ago\n',
    );
    expect(print('👩‍🎤'.repeat(15), 26)).to.include(`\n${'👩‍🎤'.repeat(8)}…  3 d ago\n`);
  });

  it('gets fewer columns when that is not enough, the least important first, and a line a row', () => {
    const ranks = { id: {}, partner: { importance: 2 }, form: {}, note: { importance: 1 } };
    const members = Object.keys(ranks);
    const ranked: readonly Column<object>[] = Object.entries(ranks).map(([title, rank]) => ({
      ...{ title, show: () => title.repeat(3) },
      ...rank,
    }));
    const titles = (width: number, names?: readonly string[]): readonly string[] => {
      let leftOut = 0;
      const options = { columns: names, onLeftOut: (count: number) => (leftOut = count) };
      const lines = withoutColour(
        written((to) => printListing([{}, {}], ranked, options, { ...to, columns: width })),
      )
        .trim()
        .split('\n');
      expect(lines).to.have.length(3);
      const shown = (lines[0] ?? '').split(/ +/);
      expect(shown.length + leftOut).to.equal(names?.length ?? members.length);
      return shown;
    };
    expect(titles(80)).to.deep.equal(members);
    expect(titles(45)).to.deep.equal(['id', 'partner', 'form']);
    expect(titles(30)).to.deep.equal(['id', 'form']);
    expect(titles(10)).to.deep.equal(['id']);
    expect(titles(80, ['note', 'ID'])).to.deep.equal(['note', 'id']);
  });

  it('gets the only column that is left in several lines, with nothing cut', () => {
    const text = print('月見坂', 80).trim();
    expect(text).to.equal('name    at\n月見坂  3 d ago');
    const words = 'run "artist-gateway catalogue import", or correct MONGODB_URL';
    const advice: readonly Column<object>[] = [{ title: 'do', show: () => words, isWrapped: true }];
    const lines = withoutColour(
      written((to) => printListing([{}], advice, {}, { ...to, columns: 20 })),
    );
    expect(lines.split('\n').slice(1).join(' ').trim()).to.equal(words);
    for (const line of lines.split('\n')) expect(line.length).to.be.at.most(20);
  });

  it('gets a stored name with no blank that is not stored', () => {
    const odd = 'Rock,Pop & Co,Ltd';
    const shown = withoutColour(
      written((to) => printFacts([['partner', odd]], {}, { ...to, columns: 20 })),
    );
    expect(shown).to.equal('partner  Rock,Pop &\n         Co,Ltd\n');
  });

  it('is refused a column that there is not, with the names of those there are', () => {
    expect(() => printListing([], named, { columns: ['id'] })).to.throw(
      'There is no column "id". Columns: name,at.',
    );
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
