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

/** Identifiers that a spreadsheet would compute, or with invisible characters. */
const odd: readonly Document[] = "=1+1|-7|+49|@home|a\u200db|'quoted| blank "
  .split('|')
  .map((_id, index) => ({ _id, id: `${_id}/${index}` }));

describe('migration ids', () => {
  const operator = useOperatorEnvironment();
  const folder = useInputFolder();

  it('prints pairs sorted by current identifier, as text, CSV and JSON for `compare --pairs`', async () => {
    expect(await operator.json('migration ids')).to.deep.equal([]);
    await operator.db.collection('artists').insertMany(documents);
    const { stdout, stderr } = await operator.run('migration ids');
    expect(stdout).to.equal(
      'variant\tcurrent\na,"b"\tart_a\nlegacy:0007\tart_b\n66aa3a05d9d57c08d694cf23\tart_c\n',
    );
    expect(stderr).to.match(/^Left out, no usable identifier: 1\.\n/);
    const csv = await operator.run('migration ids --csv');
    expect(csv.stdout).to.equal(
      'variant,current\r\n"a,""b""",art_a\r\nlegacy:0007,art_b\r\n66aa3a05d9d57c08d694cf23,art_c\r\n',
    );
    expect(csv.stderr).to.match(/^3 pairs; every organization gets the same pairs/m);
    const file = await folder.writeText('pairs.json', await operator.done('migration ids --json'));
    expect(await readPairs(file)).to.deep.equal([
      { current: 'art_a', variant: 'a,"b"' },
      { current: 'art_b', variant: 'legacy:0007' },
      { current: 'art_c', variant: made.toHexString() },
    ]);
  });

  it('prints every identifier unchanged', async () => {
    await operator.db.collection('artists').insertMany([...odd]);
    const csv = await operator.done('migration ids --csv');
    const tabs = await operator.done('migration ids');
    for (const { _id, id } of odd) {
      expect(csv).to.include(`\r\n${_id},${id}\r\n`);
      expect(tabs).to.include(`\n${_id}\t${id}\n`);
    }
  });

  it('labels prints the names unchanged, in the order of `labels_tracked`', async () => {
    const none = await operator.run('migration labels');
    expect(none).to.include({ code: 0, stdout: '' });
    expect(none.stderr).to.match(/^0 labels; /);
    const names = ['abc', 'Korvane™', '4AD', '=1+1', ' a\u200db ', 'Éclat', 'Zed'];
    await operator.db
      .collection<Document>('labels')
      .insertMany([...names, 'two\nlines', 7, 'Zed'].map((name) => ({ name, aliases: [] })));
    const { stdout, stderr } = await operator.run('migration labels');
    const sorted = [' a\u200db ', '4AD', '=1+1', 'abc', 'Korvane™', 'Zed', 'Éclat'];
    expect(stdout).to.equal(sorted.map((name) => `${name}\n`).join(''));
    expect(stderr).to.match(
      /^Left out, no usable label: 2\.\n7 labels; every organization gets the s/,
    );
    expect(await operator.json('migration labels')).to.deep.equal(sorted);
  });
});
