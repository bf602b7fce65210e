import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Document, ObjectId } from 'mongodb';
import { readPairs } from '../../tools/cli/compare/inputs.ts';
import { useInputFolder } from '../support/cli/input-folder.ts';
import { useOperatorEnvironment } from '../support/cli/operator-environment.ts';

const made = new ObjectId('66aa3a05d9d57c08d694cf23');
const documents: Document[] = [
  { _id: 'legacy:0007', id: 'art_b' },
  { _id: made, id: 'art_c' },
  { _id: 'a,"b"', id: 'art_a' },
  { _id: 'nameless' },
];

/** Identifiers that a spreadsheet would compute, or that hold characters nobody sees. */
const odd: readonly Document[] = [
  '=1+1',
  '-7',
  '+49',
  '@home',
  'a\u200db',
  "'quoted",
  ' blank ',
].map((_id, index) => ({
  _id,
  id: `${_id}/${index}`,
}));

describe('migration ids', () => {
  const operator = useOperatorEnvironment();
  const folder = useInputFolder();

  before(async () => {
    await operator.done('organizations set acme --name', 'Acme Music');
    await operator.db.collection('artists').insertMany(documents);
  });

  it('prints the identifiers of both forms, ordered by the current one, and notes unusable documents', async () => {
    const { code, stdout, stderr } = await operator.run('migration ids');
    expect(stdout).to.equal(
      'variant\tcurrent\na,"b"\tart_a\nlegacy:0007\tart_b\n66aa3a05d9d57c08d694cf23\tart_c\n',
    );
    expect(code).to.equal(0);
    expect(stderr).to.match(/^Left out, no usable identifier: 1\.\n/);
  });

  it('prints CSV', async () => {
    const { stdout, stderr } = await operator.run('migration ids', '--org', 'acme', '--csv');
    expect(stdout).to.equal(
      'variant,current\r\n"a,""b""",art_a\r\nlegacy:0007,art_b\r\n66aa3a05d9d57c08d694cf23,art_c\r\n',
    );
    expect(stderr).to.match(/^3 pairs for Acme Music; every organization gets the same pairs/m);
  });

  it('prints JSON that `compare --pairs` can read', async () => {
    const file = join(folder.path, 'pairs.json');
    await writeFile(file, await operator.done('migration ids', '--json'));
    expect(await readPairs(file)).to.deep.equal([
      { current: 'art_a', variant: 'a,"b"' },
      { current: 'art_b', variant: 'legacy:0007' },
      { current: 'art_c', variant: made.toHexString() },
    ]);
  });

  it('prints every identifier unchanged in CSV and in lines with tabs', async () => {
    await operator.db.collection('artists').insertMany(odd);
    for (const [options, end, between] of [
      [['--csv'], '\r\n', ','],
      [[], '\n', '\t'],
    ] as const) {
      const { stdout } = await operator.run('migration ids', ...options);
      for (const { _id, id } of odd) expect(stdout).to.include(`${end}${_id}${between}${id}${end}`);
    }
  });

  it('prints an empty JSON array for an empty catalogue', async () => {
    await operator.db.collection('artists').deleteMany({});
    expect(await operator.json('migration ids')).to.deep.equal([]);
  });
});

describe('migration labels', () => {
  const operator = useOperatorEnvironment();

  it('prints nothing of a catalogue without labels, and says so', async () => {
    const { code, stdout, stderr } = await operator.run('migration labels');
    expect([code, stdout]).to.deep.equal([0, '']);
    expect(stderr).to.match(/^0 labels; /);
  });

  it('prints the names unchanged, a line each, in the order of `labels_tracked`, and notes unusable documents', async () => {
    const names = ['abc', 'Korvane™', '4AD', '=1+1', ' a\u200db ', 'Éclat', 'Zed'];
    await operator.db
      .collection<Document>('labels')
      .insertMany([...names, 'two\nlines', 7, 'Zed'].map((name) => ({ name, aliases: [] })));
    const { code, stdout, stderr } = await operator.run('migration labels');
    const sorted = [' a\u200db ', '4AD', '=1+1', 'abc', 'Korvane™', 'Zed', 'Éclat'];
    expect([code, stdout]).to.deep.equal([0, sorted.map((name) => `${name}\n`).join('')]);
    expect(stderr).to.match(
      /^Left out, no usable label: 2\.\n7 labels; every organization gets the same list\.\n/,
    );
    expect(await operator.json('migration labels')).to.deep.equal(sorted);
  });
});
