import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
import { runWarm } from '../support/cli/run.ts';
import { bad, buildRun, clean, hostile, wrong } from '../support/compare/build-run.ts';

const terms = { reason: 'Names are mended in release 12.', until: '2026-08-22' };
/** The entry that accepts what cases show. */
const entryOf = (cases: readonly CaseResult[]): KnownDifference => {
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
    expect(report.verdict).to.include({ kind: 'same', exitCode: 0 });
    const known = [{ ...entry, cases: ['bad'] }];
    expect(formatJsonReport(report)).to.deep.include({ unexpected: 0, known });
    expect(renderPage(report))
      .to.include('Known until 2026-08-22: artist.name: The two forms differ. (Names are mended')
      .and.not.include('class="case bad"');
  });

  const failing: readonly (readonly [string, RunReport, string])[] = [
    ['an entry past its last day', reportOf([entry], '2026-08-23'), '1 unexpected difference'],
    [
      'an entry past its last day, even if the difference is gone',
      reportOf([entry], '2026-08-23', [clean]),
      'The baseline is out of date. Expired on 2026-08-22: artist.name: The two forms differ.',
    ],
    [
      'an entry that matches nothing',
      reportOf([entry, { ...entry, row: 'artist.tier' }]),
      'The baseline is out of date. Not found by this run: artist.tier',
    ],
    [
      'another difference of the same row',
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

  it('keeps the row, an example with both values, and the cases of a difference', () => {
    const { cases, ...shown } = entry;
    expect(shown).to.deep.equal({
      ...{ row: 'artist.name', violation: 'The two forms differ.', ...terms },
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

  /** A case whose line has other values. */
  const showing = (line: object, block = 'Body'): CaseResult => ({
    ...bad,
    unexpected: [{ block, line: { ...wrong, ...line } }],
  });
  const meta = (count: number, request_id: string) =>
    showing({ left: { path: 'meta', value: { count, request_id } } });
  const volatile = (value: string) =>
    showing({ kind: 'volatile', left: { path: 'at', value }, unexpected: `at is "${value}".` });

  for (const [what, known, now, exitCode] of [
    ['accepts a known difference at another index', bad, showing({}, `items[7] ${hostile}`), 0],
    ['accepts a known difference with another request id', meta(1, '753b'), meta(1, 'other'), 0],
    ['reports another count', meta(1, '753b'), meta(2, 'other'), 1],
    ['accepts another volatile value', volatile('noon'), volatile('night'), 0],
  ] as const)
    it(what, () => {
      expect(reportOf([entryOf([known])], undefined, [now]).verdict.exitCode).to.equal(exitCode);
    });

  it('reports a known difference that shows more often', () => {
    const twice = [
      ...bad.unexpected,
      ...bad.unexpected.map((one) => ({ ...one, line: { ...one.line } })),
    ];
    const { verdict, known } = reportOf([entry], undefined, [{ ...bad, unexpected: twice }]);
    expect(verdict.exitCode).to.equal(1);
    expect(known.failures).to.have.length(1);
    expect(known.failures[0]).to.include('1 new.').and.include(JSON.stringify(hostile));
  });

  it('fails for an unused entry only if all its cases ran', () => {
    const mended = { ...clean, name: 'bad' };
    const elsewhere = { ...entry, cases: { ...entry.cases, other: '01234567' } };
    const exitCodes = [
      [entry, clean] as const,
      [entry, mended] as const,
      [elsewhere, mended] as const,
    ].map(([known, ran]) => reportOf([known], undefined, [ran]).verdict.exitCode);
    expect(exitCodes).to.deep.equal([0, 1, 0]);
  });

  const given = { reason: 'New', until: '2026-12-31' };
  const unused = { ...entry, row: 'artist.tier' };
  for (const [what, cases, known, today, written] of [
    ['keeps an entry whose cases did not run', [clean], [entry], '2026-08-22', entry],
    ['keeps such an entry past its last day', [clean], [entry], '2026-08-23', entry],
    ['gives the reason to new entries', [bad], [], '2026-08-22', { ...entry, ...given }],
    ['keeps a known entry, without an unused one', [bad], [entry, unused], '2026-08-22', entry],
  ] as const)
    it(`${what} when it is written`, () => {
      const compared = applyBaseline(buildRun(cases), known, today);
      expect(createBaseline(compared, given)).to.deep.equal([written]);
    });

  describe('artist-gateway compare --baseline', () => {
    const [folder, known] = [useInputFolder(), useInputFolder()];
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

    const write = ['--write-baseline', '--reason', 'Fixed next week', '--baseline'];

    it('is written after the reports, and makes the next run pass', async () => {
      const [file, junit] = [join(known.path, 'known.json'), join(known.path, 'after.xml')];
      expect((await compare()).code).to.equal(1);
      const written = await compare('--junit', junit, ...write, file);
      expect(written.stderr).to.match(/after\.xml\n[0-9]+ known differences: .*known\.json\n$/);
      expect(written.code).to.equal(0);
      const [first]: readonly KnownDifference[] = JSON.parse(readFileSync(file, 'utf8'));
      expect(first).to.include({ reason: 'Fixed next week' });
      const days = daysBetween(dayOf(Date.now()), first?.until ?? '');
      expect(days, 'how long it is accepted').to.be.within(89, 90); // midnight may have passed
      const again = await compare('--baseline', file);
      expect(again.stderr).to.include('Known until').and.include('Fixed next week');
      expect(again.code).to.equal(0);
      for (const other of [
        ['--sample', '2'],
        ['--case', 'artists'],
      ]) {
        const { code } = await runWarm({}, ['compare', '--baseline', file, ...other]);
        expect(code, 'other cases do not show it').to.equal(0);
      }
    });

    it('is refused before the run if its path is a link, keeping previous reports', async () => {
      const [file, page] = [join(known.path, 'linked.json'), join(known.path, 'previous.html')];
      symlinkSync(await known.writeText('target.json', '[]'), file);
      writeFileSync(page, 'previous');
      const { code, stderr } = await compare('--html', page, ...write, file);
      expect(stderr).to.include(`${file}: is a link.`);
      expect(code).to.equal(2);
      expect(readFileSync(page, 'utf8')).to.equal('previous');
    });

    it('is not written by a run that compared nothing', async () => {
      const [file, other] = [join(known.path, 'kept.json'), join(known.path, 'other.json')];
      expect((await compare(...write, file)).code).to.equal(0);
      const written = readFileSync(file, 'utf8');
      for (const path of [file, other]) {
        const args = ['--case', 'tier-unknown', ...write, path];
        const { code, stderr } = await runWarm({}, ['compare', ...args]);
        expect(stderr).to.match(/^Nothing was compared: .*\n.* not written: .*\n$/);
        expect(code).to.equal(2);
      }
      expect(readFileSync(file, 'utf8')).to.equal(written);
      expect(existsSync(other)).to.equal(false);
    });
  });
});
