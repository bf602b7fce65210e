import { expect } from 'chai';
import { formatChange } from '../../adapters/cli/keys/log.ts';
import { type Column, type Output, printFacts, printListing } from '../../adapters/cli/terminal/table.ts';
import { formatDuration } from '../../src/domain/instants.ts';

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

  it('is a JSON array of the rows with `json`', () => {
    const text = written(true, (to) => printListing(rows, columns, { json: true }, to));
    expect(JSON.parse(text)).to.deep.equal([{ name: '月見坂ラジオ', count: 1 }, { name: 'a\tb\u001b[2Jc' }]);
  });

  it('leaves out facts without a value', () => {
    const facts = [['key', 'abc'] as const, ['revoked', undefined] as const, ['uses', 0] as const];
    expect(written(false, (to) => printFacts(facts, to))).to.equal('key\tabc\nuses\t0\n');
    expect(written(true, (to) => printFacts(facts, to))).to.equal('key   abc\nuses  0\n');
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
