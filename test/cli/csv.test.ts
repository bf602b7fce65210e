import { expect } from 'chai';
import { csvLine, csvOf } from '../../src/cli/csv.ts';

describe('CSV', () => {
  it('puts between quotes what would end a cell or a line, and doubles quotes', () => {
    expect(csvLine(['a', 'b c', 7, undefined])).to.equal('a,b c,7,\r\n');
    expect(csvLine(['a,b', 'say "x"', 'two\nlines', 'a\rb', "l'été"])).to.equal(
      '"a,b","say ""x""","two\nlines","a\rb",l\'été\r\n',
    );
  });

  it('has a line of titles above its rows', () => {
    const columns = [{ title: 'key', show: ({ id }: { readonly id: string }) => id }];
    expect(csvOf([{ id: 'a' }, { id: 'b' }], columns)).to.equal('key\r\na\r\nb\r\n');
    expect(csvOf([], columns)).to.equal('key\r\n');
  });
});
