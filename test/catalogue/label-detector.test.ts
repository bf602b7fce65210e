import { expect } from 'chai';
import { createLabelDetector } from '../../src/catalogue/label-detector.ts';
import type { LabelDetector } from '../../src/domain/signals.ts';
import { buildLabel } from '../support/builders.ts';
import { countTurns } from '../support/wait.ts';

const labels = [
  buildLabel('Sony Music', 'SME'),
  buildLabel('A&M Records'),
  buildLabel('Warner'),
  buildLabel('Große Töne'),
  buildLabel('Καΐκι'),
  buildLabel('!!!'),
  buildLabel('UMG'),
  buildLabel('4AD'),
  buildLabel("Rock'n Roll Records"),
];

/** What the random P-lines of `random-shortlist.ts` do not have, or not in every run. */
const cases = [
  ['an alias, as its name', '℗ 2026 SME under licence', 'Sony Music'],
  ['letters with an upper case in another composition', '2026 ΚΑΪ\u0301ΚΙ', 'Καΐκι'],
  ['decomposed letters', '℗ 2026 Große To\u0308ne', 'Große Töne'],
  ['full-width letters', '℗ 2026 Ｗａｒｎｅｒ', 'Warner'],
  ['other white space within it', '2026 Sony\u00a0\n Music', 'Sony Music'],
  ['an ampersand with spaces', '2026 A & M Records', 'A&M Records'],
  ['abbreviating stops', '℗ 2026 U.M.G. Recordings', 'UMG'],
  ['a hyphen that parts words before one within a word', '4-AD for Sony-Music', 'Sony Music'],
  ['a name behind a sign with a variation selector', '℗\ufe0fWarner', 'Warner'],
  ['another apostrophe, before a sign', '℗ 2026 Rock´n Roll Records™', "Rock'n Roll Records"],
  ['nothing: an empty text', '', undefined],
  ['nothing: punctuation alone', '!!!', undefined],
  ['nothing: a word with something before it', '℗ 2026Warner', undefined],
] as const;

describe('label detector', () => {
  let detect: LabelDetector;
  before(async () => {
    detect = await createLabelDetector(labels);
  });

  for (const [name, pLine, label] of cases)
    it(`detects ${name}`, () => expect(detect(pLine)).to.equal(label));

  it('detects a label next to any sign, even if NFKC turns it into letters', () => {
    const signs = Array.from({ length: 0x11_0000 }, (_, code) => code)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code))
      .filter((text) => /[\p{P}\p{S}]/u.test(text));
    expect(
      signs.filter((text) => /[\p{L}\p{M}]/u.test(text.normalize('NFKC'))),
    ).to.have.length.above(100);
    const missed = signs.filter((text) =>
      [`${text}Warner`, `Warner${text}`, `2026 Sony${text}Music Group`].some(
        (pLine) => detect(pLine) === undefined,
      ),
    );
    expect(missed).to.deep.equal([]);
  });

  it('detects the longest spelling in any order of the labels', async () => {
    const short = buildLabel('Short', 'Big Sound');
    const long = buildLabel('Long', 'Big Sound Records');
    expect((await createLabelDetector([short, long]))('Big Sound Records')).to.equal('Long');
    expect((await createLabelDetector([long, short]))('Big Sound Records')).to.equal('Long');
    expect((await createLabelDetector([long, short]))('Big Sound Recordings')).to.equal('Short');
  });

  for (const [what, first, second] of [
    ['the first by name', buildLabel('First', 'Same'), buildLabel('Second', 'same')],
    ['the first by name in lower case', buildLabel('first', 'Same'), buildLabel('SECOND', 'same')],
    ['the one with that name', buildLabel('Same'), buildLabel('First', 'same')],
  ] as const)
    it(`detects of two labels with the same spelling ${what}, in any order`, async () => {
      for (const both of [
        [first, second],
        [second, first],
      ])
        expect((await createLabelDetector(both))('SAME')).to.equal(first.name);
    });

  it('is made in turns of the event loop', async () => {
    const aliases = Array.from({ length: 20_000 }, (_, index) => `Big Sound ${index}`);
    const make = () => createLabelDetector([buildLabel('Big', ...aliases)]);
    expect(await countTurns(make)).to.be.at.least(40);
  });

  it('detects nothing without tracked labels', async () => {
    expect((await createLabelDetector([]))('Warner')).to.equal(undefined);
  });
});
