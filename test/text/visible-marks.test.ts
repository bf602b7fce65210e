import { expect } from 'chai';
import { withVisibleMarks } from '../../adapters/text/plain-text.ts';

describe('marks that Unicode also has together with their letter', () => {
  for (const [text, shown] of [
    ['artist "caf\u00e9"', 'artist "caf\u00e9"'],
    ['artist "cafe\u0301"', 'artist "cafe\\u0301"'],
    ['\u0041\u030a \u212b', '\u0041\\u030a \u212b'],
    ['x\u0301', 'x\u0301'],
    ['\u1ea5 a\u0302\u0301', '\u1ea5 a\\u0302\\u0301'],
    ['\u0301', '\u0301'],
    ['', ''],
  ] as const)
    it(`are written as code points, and others stay: ${JSON.stringify(shown)}`, () =>
      expect(withVisibleMarks(text)).to.equal(shown));
});
