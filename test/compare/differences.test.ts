import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { withoutValues } from '../../tools/compare/differences.ts';
import { longestWaitMs } from '../support/wait.ts';

describe('withoutValues', () => {
  const texts: readonly (readonly [string, string])[] = [
    [
      'songs[12].history.streams[3] has a day with two points.',
      'songs[].history.streams[] has a day with two points.',
    ],
    ['must say "a \\"b\\" c", and says "x".', 'must say …, and says ….'],
    ['basis must be ["signed",{"a":["b"]}].', 'basis must be ….'],
    ['stored is {"a":1}, and [] or [x].', 'stored is …, and [] or [x].'],
    ['at 2026-08-22T12:00:00Z: -3.5 of v1', 'at … … of v1'],
    ['not closed: {"a": "b\\"', 'not closed: {…: "b\\"'],
  ];
  for (const [text, expected] of texts) {
    it(`turns ${text} into ${expected}`, () => expect(withoutValues(text)).to.equal(expected));
  }

  it('ends for texts of megabytes, which in quadratic time would take hours', () => {
    const shorten = () => {
      for (const part of ['[', '{"a":', '\\"'])
        for (const begin of ['', '"']) withoutValues(begin + part.repeat(1_000_000));
    };
    runInNewContext('shorten()', { shorten }, { timeout: longestWaitMs });
  });
});
