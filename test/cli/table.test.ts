import { expect } from 'chai';
import { printMistakes } from '../../adapters/cli/catalogue/import-report.ts';
import { formatChange } from '../../adapters/cli/keys/log.ts';
import { type Column, type Output, printFacts, printListing } from '../../adapters/cli/terminal/table.ts';
import { formatDistance, formatDuration } from '../../src/domain/instants.ts';

interface Row {
  readonly name: string;
  readonly count: number | undefined;
}

const columns: readonly Column<Row>[] = [
  { title: 'name', show: ({ name }) => name },
  { title: 'count', show: ({ count }) => count },
];
const rows: readonly Row[] = [
  { name: '月見坂ラジオ', count: 1 },
  { name: 'a\tb\u001b[2Jc', count: undefined },
];

const written = (isTTY: boolean, print: (to: Output) => void): string => {
  let all = '';
  print({
    isTTY,
    write(text) {
      all += text;
    },
  });
  return all;
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: it removes colours
const withoutColour = (text: string): string => text.replaceAll(/\u001b\[[0-9]+m/g, '');

describe('a listing', () => {
  it('is tab-separated in a pipe, with control characters replaced', () => {
    const text = written(false, (to) => printListing(rows, columns, {}, to));
    expect(text).to.equal('name\tcount\n月見坂ラジオ\t1\na b [2Jc\t\n');
  });

  it('is an aligned table on a terminal, with wide characters counted as two columns', () => {
    const text = withoutColour(written(true, (to) => printListing(rows, columns, {}, to)));
    expect(text).to.equal('name          count\n月見坂ラジオ  1\na b [2Jc\n');
  });

  it('is comma-separated with `csv`, with commas and quotes escaped', () => {
    const odd = [...rows, { name: 'say "a, b"', count: 2 }];
    const text = written(true, (to) => printListing(odd, columns, { csv: true }, to));
    expect(text).to.equal('name,count\r\n月見坂ラジオ,1\r\na b [2Jc,\r\n"say ""a, b""",2\r\n');
  });

  it('keeps a spreadsheet from computing a cell as a formula with `csv`', () => {
    const formulas = ['=1+1', '+1', '-1+1', '@SUM(A1)', '\t=1', '\r=1', '-5', '1=1'].map((name) => ({
      name,
      count: -7,
    }));
    const text = written(true, (to) => printListing(formulas, columns, { csv: true }, to));
    const cells = text.split('\r\n').slice(1, -1);
    expect(cells).to.deep.equal([
      "'=1+1,-7",
      "'+1,-7",
      "'-1+1,-7",
      "'@SUM(A1),-7",
      "' =1,-7",
      "' =1,-7",
      '-5,-7',
      '1=1,-7',
    ]);
  });

  it('holds no character that moves the cursor or turns the text, in any format', () => {
    const odd = [{ name: 'a\u009b2Jb\u202ec\u0085', count: 1 }];
    for (const options of [{}, { csv: true }, { json: true }]) {
      for (const isTTY of [true, false]) {
        const text = withoutColour(written(isTTY, (to) => printListing(odd, columns, options, to)));
        expect(text.replaceAll(/[\r\n\t]/g, ''), text).not.to.match(/[\p{Cc}\u202a-\u202e]/u);
        if ('json' in options) expect(JSON.parse(text)).to.deep.equal(odd);
      }
    }
  });

  it('is a JSON array of the rows with `json`', () => {
    const text = written(true, (to) => printListing(rows, columns, { json: true }, to));
    expect(JSON.parse(text)).to.deep.equal([{ name: '月見坂ラジオ', count: 1 }, { name: 'a\tb\u001b[2Jc' }]);
  });

  it('leaves out facts without a value', () => {
    const facts = [['key', 'abc'] as const, ['revoked', undefined] as const, ['uses', 0] as const];
    expect(written(false, (to) => printFacts(facts, {}, to))).to.equal('key\tabc\nuses\t0\n');
    expect(written(true, (to) => printFacts(facts, {}, to))).to.equal('key   abc\nuses  0\n');
  });
});

describe('a terminal that is too narrow', () => {
  const at = '2026-08-19T11:00:00.000Z';
  const named: readonly Column<{ readonly name: string }>[] = [
    { title: 'name', show: ({ name }) => name, isCuttable: true },
    { title: 'at', show: () => at },
  ];
  const print = (name: string, columns: number, wide = false): string =>
    withoutColour(
      written(true, (to) =>
        printListing([{ name }], named, { now: Date.parse('2026-08-22T12:00:00Z'), wide }, { ...to, columns }),
      ),
    );

  it('gets the widest texts cut with `…`, down to a third', () => {
    expect(print('月'.repeat(15), 26)).to.equal('name               at\n月月月月月月月月…  3 d ago\n');
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
        written(true, (to) => printListing([{}, {}], ranked, options, { ...to, columns: width })),
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
    const lines = withoutColour(written(true, (to) => printListing([{}], advice, {}, { ...to, columns: 20 })));
    expect(lines.split('\n').slice(1).join(' ').trim()).to.equal(words);
    for (const line of lines.split('\n')) expect(line.length).to.be.at.most(20);
  });

  it('gets a stored name with no blank that is not stored', () => {
    const odd = 'Rock,Pop & Co,Ltd';
    const shown = withoutColour(written(true, (to) => printFacts([['partner', odd]], {}, { ...to, columns: 20 })));
    expect(shown).to.equal('partner  Rock,Pop &\n         Co,Ltd\n');
  });

  it('is refused a column that there is not, with the names of those there are', () => {
    expect(() => printListing([], named, { columns: ['id'] })).to.throw('There is no column "id". Columns: name,at.');
  });

  it('gets whole values and exact instants with `wide`', () => {
    expect(print('x'.repeat(50), 20, true)).to.include(`\n${'x'.repeat(50)}  ${at}\n`);
  });
});

describe('the mistakes of an input', () => {
  const mistake = (line: number, path: string, value: string) => ({
    ...{ file: 'artists.ndjson', line, column: 1, id: '', name: '' },
    path,
    message: `${value}; expected a text`,
  });
  const printed = (...mistakes: ReturnType<typeof mistake>[]): string =>
    written(true, (to) => printMistakes({ mistakes }, { ...to, columns: 80 }));

  it('take a line each on a terminal, by line', () => {
    expect(printed(mistake(12, 'name', '5'), mistake(2, 'songs.3.name', '6'))).to.equal(
      'artists.ndjson:2 songs.3.name: 6, expected a text\nartists.ndjson:12 name: 5, expected a text\n',
    );
  });

  it('take a line for each kind when there are more than ten', () => {
    const songs = Array.from({ length: 12 }, (_, index) => mistake(index + 1, `songs.${index}.name`, String(index)));
    expect(printed(...songs, mistake(9, 'name', '5'), mistake(12, 'tier', '1'), mistake(12, 'tier', '2'))).to.equal(
      [
        'artists.ndjson songs[].name: expected a text (lines 1, 2, 3, 4, 5, … 12 in all)',
        'artists.ndjson:9 name: 5, expected a text',
        'artists.ndjson tier: expected a text (line 12)\n',
      ].join('\n'),
    );
  });
});

describe('a distance of time', () => {
  it('is formatted in its largest unit', () => {
    const texts = [-400 * 86_400_000, -90_000, -10, 3_600_000, 41.5 * 86_400_000].map((ms) => formatDistance(ms, 0));
    expect(texts).to.deep.equal(['400 d ago', '1 min ago', '0 s ago', 'in 1 h', 'in 41 d']);
  });
});

describe('a duration', () => {
  it('is formatted in its two largest units', () => {
    const texts = [0, 45_000, 3_600_000, 90_061_000, 604_800_000].map(formatDuration);
    expect(texts).to.deep.equal(['0s', '45s', '1h', '1d 1h', '7d']);
  });
});

describe('the change of an audit record', () => {
  const entry = { at: '', actor: '', action: '', key_id: '', organization_id: '', reason: '' };

  it('names each changed member with its value before and after', () => {
    const before = { partner: 'A' };
    const after = { partner: 'B', quota: { per_hour: 5 }, expires_at: new Date(0) };
    expect(formatChange({ ...entry, before, after })).to.equal(
      'partner: A → B; quota: – → {"per_hour":5}; expires_at: – → 1970-01-01T00:00:00.000Z',
    );
  });

  it('lists the chosen members of an inserted document', () => {
    const after = { organization_id: 'acme', created_at: new Date(0), scopes: ['artists:read', 'spikes:read'] };
    expect(formatChange({ ...entry, before: undefined, after })).to.equal('scopes: artists:read, spikes:read');
  });
});
