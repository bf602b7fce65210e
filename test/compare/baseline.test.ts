import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { dayOf, daysBetween } from '../../src/domain/day.ts';
import {
  applyBaseline,
  baselineSchema,
  createBaseline,
  type KnownDifference,
} from '../../tools/compare/baseline.ts';
import { renderPage } from '../../tools/compare/reports/html.ts';
import { formatJsonReport } from '../../tools/compare/reports/json.ts';
import type { CaseResult } from '../../tools/compare/results.ts';
import { createReport, type RunReport } from '../../tools/compare/verdict.ts';
import { useInputFolder } from '../support/cli/input-folder.ts';
import { runWarm } from '../support/cli/warm-command.ts';
import { bad, buildRun, clean, hostile, wrong } from '../support/compare/build-run.ts';

/** The entry that accepts what the bad case shows. */
const entryOf = (cases: readonly CaseResult[]): KnownDifference => {
  const terms = { reason: 'Names are mended in release 12.', until: '2026-08-22' };
  const [entry] = createBaseline(applyBaseline(buildRun(cases), [], '2026-08-22'), terms);
  return baselineSchema.element.parse(entry);
};
const entry = entryOf([bad]);

describe('baseline', () => {
  const reportOf = (
    baseline: readonly KnownDifference[],
    today = '2026-08-22',
    cases: readonly CaseResult[] = [clean, bad],
  ): RunReport => {
    const result = buildRun(cases);
    return createReport(result, applyBaseline(result, baseline, today));
  };

  it('accepts a known difference until its last day', () => {
    const report = reportOf([entry]);
    expect(report.verdict).to.deep.equal({
      kind: 'same',
      text: 'No unexpected difference.',
      exitCode: 0,
    });
    expect(formatJsonReport(report)).to.deep.include({
      unexpected: 0,
      known: [{ ...entry, cases: ['bad'] }],
    });
    expect(renderPage(report)).to.include(
      'Known until 2026-08-22: artist.name: The two forms differ. (Names are mended',
    );
    expect(renderPage(report)).to.not.include('class="case bad"');
  });

  const failing: readonly (readonly [string, RunReport, string])[] = [
    ['an entry past its last day', reportOf([entry], '2026-08-23'), '1 unexpected difference'],
    [
      'an entry past its last day, although the difference is gone',
      reportOf([entry], '2026-08-23', [clean]),
      'The baseline is out of date. Expired on 2026-08-22: artist.name: The two forms differ.',
    ],
    [
      'an entry that nothing matches',
      reportOf([entry, { ...entry, row: 'artist.tier' }]),
      'The baseline is out of date. Not found by this run: artist.tier',
    ],
    [
      'a difference of the same row that is another one',
      reportOf([{ ...entry, violation: 'Other.' }]),
      '1 unexpected',
    ],
  ];
  for (const [what, { verdict }, text] of failing) {
    it(`fails for ${what}`, () => {
      expect(verdict.text).to.include(text);
      expect(verdict.exitCode).to.equal(1);
    });
  }

  it('keeps row, an example of both values and where, and the cases of a difference', () => {
    const { cases, ...shown } = entry;
    expect(shown).to.deep.equal({
      row: 'artist.name',
      violation: 'The two forms differ.',
      reason: 'Names are mended in release 12.',
      until: '2026-08-22',
      example: {
        case: 'bad',
        where: `items[0] ${hostile}`,
        current: { path: 'name', value: hostile },
        variant: { path: 'name', value: 'Other' },
      },
    });
    expect(Object.keys(cases)).to.deep.equal(['bad']);
    expect(baselineSchema.safeParse([{ ...entry, reason: ' ' }]).success).to.equal(false);
  });

  it('does not take a known difference for a new one because artists before it came or went', () => {
    const moved = bad.unexpected.map(({ line }) => ({ block: `items[7] ${hostile}`, line }));
    expect(reportOf([entry], undefined, [{ ...bad, unexpected: moved }]).verdict.exitCode).to.equal(
      0,
    );
  });

  it('does not take a known difference for a new one because of a value that differs in each run', () => {
    const showing = (requestId: string): CaseResult => {
      const left = { path: 'meta', value: { count: 1, request_id: requestId } };
      return { ...bad, unexpected: [{ block: 'Body', line: { ...wrong, left } }] };
    };
    const known = entryOf([showing('753b3ce8-126b-4c8f-9da1-7249fdeb9d7b')]);
    expect(reportOf([known], undefined, [showing('another-id')]).verdict.exitCode).to.equal(0);
    const other = {
      ...wrong,
      left: { path: 'meta', value: { count: 2, request_id: 'another-id' } },
    };
    const counted = { ...bad, unexpected: [{ block: 'Body', line: other }] };
    expect(reportOf([known], undefined, [counted]).verdict.exitCode).to.equal(1);
    const odd = (value: string): CaseResult => {
      const line = {
        ...wrong,
        kind: 'volatile' as const,
        left: { path: 'at', value },
        unexpected: `at is "${value}".`,
      };
      return { ...bad, unexpected: [{ block: 'Body', line }] };
    };
    expect(
      reportOf([entryOf([odd('noon')])], undefined, [odd('night')]).known.failures,
    ).to.deep.equal([]);
  });

  it('says when a known difference shows more often', () => {
    const [first] = bad.unexpected;
    if (first === undefined) throw new Error('The bad case has a difference.');
    const twice = { ...first, line: { ...first.line } };
    const { verdict, known } = reportOf([entry], undefined, [
      { ...bad, unexpected: [first, twice] },
    ]);
    expect(verdict.exitCode).to.equal(1);
    expect(known.failures).to.deep.equal([
      `Known, but not like this: artist.name: The two forms differ. 1 new. Accepted is, as in bad, items[0] ${hostile}: name ${JSON.stringify(hostile)} | name "Other"`,
    ]);
  });

  it('fails for an unused entry only when every case that it is about ran', () => {
    const mended = { ...clean, name: 'bad' };
    const elsewhere = { ...entry, cases: { ...entry.cases, other: '01234567' } };
    const exitCodeOf = (known: KnownDifference, cases: readonly CaseResult[]) =>
      reportOf([known], undefined, cases).verdict.exitCode;
    expect(exitCodeOf(entry, [clean])).to.equal(0);
    expect(exitCodeOf(entry, [mended])).to.equal(1);
    expect(exitCodeOf(elsewhere, [mended])).to.equal(0);
  });

  for (const [what, today] of [
    ['an entry', '2026-08-22'],
    ['an entry past its last day', '2026-08-23'],
  ] as const) {
    it(`keeps ${what} whose cases did not run when it is written`, () => {
      const compared = applyBaseline(buildRun([clean]), [entry], today);
      const written = createBaseline(compared, { reason: 'New', until: '2026-12-31' });
      expect(written).to.deep.equal([entry]);
    });
  }

  it('is written with one reason and last day for what it lacks, and keeps its other entries', () => {
    const result = buildRun([bad]);
    const today = '2026-08-22';
    const given = { reason: 'New', until: '2026-12-31' };
    expect(createBaseline(applyBaseline(result, [], today), given)).to.deep.equal([
      { ...entry, ...given },
    ]);
    expect(createBaseline(applyBaseline(result, [entry], today), given)).to.deep.equal([entry]);
    const unused = { ...entry, row: 'artist.tier' };
    expect(
      createBaseline(applyBaseline(result, [entry, unused], today), given),
      'without an unused one',
    ).to.deep.equal([entry]);
  });

  describe('artist-gateway compare --baseline', () => {
    const [folder, known] = [useInputFolder(), useInputFolder()];
    const emptyCases = useInputFolder();
    before(async () => {
      // The expectation is wrong: both forms answer with artists.
      const side = { ask: '/artists', problem: 'not-found' };
      const mistaken = {
        name: 'wrong',
        asks: 'A case with an error',
        items: 'artists',
        current: side,
        variant: side,
      };
      await folder.writeText('cases.json', JSON.stringify([mistaken]));
    });
    const compare = (...args: readonly string[]) =>
      runWarm({}, ['compare', '--case', 'wrong', '--cases', folder.path, ...args]);

    it('is written with --write-baseline and a reason, and makes the next run pass', async () => {
      const file = join(known.path, 'known.json');
      expect((await compare()).code).to.equal(1);
      const written = await compare(
        '--baseline',
        file,
        '--write-baseline',
        '--reason',
        'The case is mended next week',
      );
      expect(written.stderr).to.include(`known differences: ${file}`);
      expect(written.code).to.equal(0);
      const entries: readonly KnownDifference[] = JSON.parse(readFileSync(file, 'utf8'));
      expect(entries[0]).to.include({ reason: 'The case is mended next week' });
      const days = daysBetween(dayOf(Date.now()), entries[0]?.until ?? '');
      expect(days, 'how long it is accepted').to.be.within(89, 90); // midnight may have passed
      const again = await compare('--baseline', file);
      expect(again.stderr).to.include('Known until').and.include('The case is mended next week');
      expect(again.code).to.equal(0);
      const sample = await runWarm({}, ['compare', '--baseline', file, '--sample', '2']);
      expect(sample.code, 'a sample does not show what the cases do').to.equal(0);
      const other = await runWarm({}, ['compare', '--case', 'artists', '--baseline', file]);
      expect(other.code, 'nor do other cases').to.equal(0);
    });

    const terms = ['--write-baseline', '--reason', 'Mended next week', '--baseline'];

    it('is refused before the run, with every previous report kept, when its path is a link', async () => {
      const [file, page] = ['linked.json', 'previous.html'].map((name) => join(known.path, name));
      symlinkSync(await known.writeText('target.json', '[]'), file ?? '');
      writeFileSync(page ?? '', 'previous');
      const { code, stderr } = await compare('--html', page ?? '', ...terms, file ?? '');
      expect(stderr).to.include(`${file}: is a link.`);
      expect(code).to.equal(2);
      expect(readFileSync(page ?? '', 'utf8')).to.equal('previous');
    });

    it('is written after the reports', async () => {
      const [file, junit] = ['after.json', 'after.xml'].map((name) => join(known.path, name));
      const { stderr } = await compare('--junit', junit ?? '', ...terms, file ?? '');
      expect(stderr).to.match(/Report: .*after\.xml\n[0-9]+ known differences: .*after\.json\n$/);
    });

    it('is not written by a run that compared nothing', async () => {
      const [file, other] = ['kept.json', 'other.json'].map((name) => join(known.path, name));
      expect((await compare(...terms, file ?? '')).code).to.equal(0);
      const written = readFileSync(file ?? '', 'utf8');
      const emptied = {
        name: 'wrong',
        asks: 'The same case over an empty list',
        items: 'artists',
        current: '/artists?tier=nobody',
        variant: { ask: '/artists?tier=nobody', adjusted: ['tier=none'] },
      };
      const cases = await emptyCases.writeText('cases.json', JSON.stringify([emptied]));
      for (const path of [file, other]) {
        const args = ['--case', 'wrong', '--cases', dirname(cases), ...terms, path ?? ''];
        const { code, stderr } = await runWarm({}, ['compare', ...args]);
        expect(stderr).to.equal(
          `Nothing was compared: no case found an item.\nThe baseline was not written: ${path}\n`,
        );
        expect(code).to.equal(2);
      }
      expect(readFileSync(file ?? '', 'utf8')).to.equal(written);
      expect(existsSync(other ?? '')).to.equal(false);
    });
  });
});
