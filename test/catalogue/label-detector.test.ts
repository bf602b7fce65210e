import { expect } from 'chai';
import { type LabelDetector, labelDetectorSteps } from '../../src/catalogue/label-detector.ts';
import type { Label } from '../../src/domain/model.ts';
import { buildLabel } from '../support/builders.ts';

/** Takes all steps at once. */
const createLabelDetector = (labels: readonly Label[]): LabelDetector => {
  const steps = labelDetectorSteps(labels);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
};

const detect = createLabelDetector([
  buildLabel('Sony Music', 'Sony Music Entertainment', 'SME'),
  buildLabel('Columbia Records', 'Columbia'),
  buildLabel('A&M Records'),
  buildLabel('Warner', 'Warner Music Group'),
  buildLabel('Music Group'),
  buildLabel('Große Töne'),
  buildLabel('Καΐκι'),
  buildLabel('!!!'),
  buildLabel('UMG'),
  buildLabel('4AD'),
  buildLabel('Sub/Pop'),
  buildLabel('Straße'),
]);

const cases = [
  ['its name', '2026 Sony Music', 'Sony Music'],
  ['its name alone', 'Warner', 'Warner'],
  ['an alias, as its name', '℗ 2026 SME under licence', 'Sony Music'],
  ['upper case', '℗ COLUMBIA RECORDS', 'Columbia Records'],
  ['lower case', 'columbia records, a division', 'Columbia Records'],
  ['letters with a longer upper case', '℗ 2026 GROSSE TÖNE', 'Große Töne'],
  ['letters with an upper case in another composition', '2026 ΚΑΪ\u0301ΚΙ', 'Καΐκι'],
  ['decomposed letters', '℗ 2026 Große To\u0308ne', 'Große Töne'],
  ['full-width letters', '℗ 2026 Ｗａｒｎｅｒ', 'Warner'],
  ['punctuation around it', '(P)2026 "Warner".', 'Warner'],
  ['punctuation within it', '2026 Sony-Music', 'Sony Music'],
  ['other white space within it', '2026 Sony\u00a0\n Music', 'Sony Music'],
  ['an ampersand with spaces', '2026 A & M Records', 'A&M Records'],
  ['punctuation as a separator', '2026 Sub Pop', 'Sub/Pop'],
  ['abbreviating stops', '℗ 2026 U.M.G. Recordings', 'UMG'],
  ['a hyphen within a word', '℗ 4-AD', '4AD'],
  ['a hyphen that parts words before one within a word', '4-AD for Sony-Music', 'Sony Music'],
  ['a capital sharp s', '℗ STRAẞE', 'Straße'],
  ['the label named first', 'Warner for Columbia', 'Warner'],
  ['the label named first, though another is longer', 'Columbia, Sony Music Entertainment', 'Columbia Records'],
  ['the longest label that begins at a word', 'Warner Music Group', 'Warner'],
  ['a name that begins within another one', 'Sonic Music Group', 'Music Group'],
  ['a name behind its own first word', 'Sony Sony Music', 'Sony Music'],
] as const;

const others = [
  ['an empty text', ''],
  ['punctuation alone', '!!!'],
  ['another label', '℗ 2026 Independent'],
  ['a longer word', '℗ 2026 Warnerists'],
  ['a word with something before it', '℗ 2026Warner'],
  ['a part of a name', '℗ 2026 Sony'],
  ['the words of a name in another order', 'Music Sony'],
  ['the separated words of a name', 'Sony Classical Music'],
  ['names of object members', 'constructor toString __proto__'],
] as const;

describe('label detector', () => {
  for (const [name, pLine, label] of cases) {
    it(`detects ${name}`, () => {
      expect(detect(pLine)).to.equal(label);
    });
  }

  for (const [name, pLine] of others) {
    it(`detects no label in ${name}`, () => {
      expect(detect(pLine)).to.equal(undefined);
    });
  }

  it('detects the longest spelling in any order of the labels', () => {
    const short = buildLabel('Short', 'Big Sound');
    const long = buildLabel('Long', 'Big Sound Records');
    expect(createLabelDetector([short, long])('Big Sound Records')).to.equal('Long');
    expect(createLabelDetector([long, short])('Big Sound Records')).to.equal('Long');
    expect(createLabelDetector([long, short])('Big Sound Recordings')).to.equal('Short');
  });

  it('keeps the first of two labels with the same spelling', () => {
    expect(createLabelDetector([buildLabel('First', 'Same'), buildLabel('Second', 'same')])('SAME')).to.equal('First');
  });

  it('is made in steps that take at most 500 spellings each', () => {
    const aliases = Array.from({ length: 20_000 }, (_, index) => `Big Sound ${index}`);
    let steps = 0;
    for (const making = labelDetectorSteps([buildLabel('Big', ...aliases)]); making.next().done !== true; ) steps += 1;
    expect(steps).to.be.at.least(40);
  });

  it('detects nothing without tracked labels', () => {
    expect(createLabelDetector([])('Warner')).to.equal(undefined);
  });
});
