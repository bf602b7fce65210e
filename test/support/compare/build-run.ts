import { applyBaseline, createBaseline } from '../../../tools/compare/baseline.ts';
import { formTitles } from '../../../tools/compare/checks/lines.ts';
import type { CaseResult, RunResult } from '../../../tools/compare/results.ts';
import { createReport, type RunReport } from '../../../tools/compare/verdict.ts';
import { rowKinds } from '../../../tools/migration/mapping/rows.ts';

/** A text that would break out of HTML, XML and a terminal. */
export const hostile = '</script><img src=x onerror=alert(1)> & "quoted" \u202eevil';

// one for each kind
const noCounts = Object.fromEntries(rowKinds.map((kind) => [kind, 0])) as CaseResult['counts'];

/** A case without an unexpected difference. */
export const clean: CaseResult = {
  name: 'clean',
  asks: 'Nothing wrong here',
  key: 'full',
  listsItems: true,
  paths: { left: '/api/v1/artists', right: '/api/v1/artists' },
  isPaged: false,
  items: { left: 1, right: 1 },
  blocks: [
    {
      title: 'items[0] Somebody',
      lines: [
        {
          kind: 'renamed',
          left: { path: 'photo_url', value: 'p' },
          right: { path: 'photo', value: 'p' },
          reason: 'The same.',
        },
        ...['date', 'value'].map((member) => ({
          kind: 'only current' as const,
          left: {
            path: `history.streams[0].${member}`,
            value: member === 'date' ? '2026-01-01' : 5,
          },
          reason: 'A point.',
        })),
      ],
    },
  ],
  blocksLeftOut: 0,
  rows: new Set(),
  counts: { ...noCounts, renamed: 1, 'only current': 2 },
  unexpected: [],
  beyondLimit: [],
  attempts: 1,
  seconds: 0.25,
};

/** A line about a name that the forms have differently. */
export const wrong = {
  kind: 'same' as const,
  left: { path: 'name', value: hostile },
  right: { path: 'name', value: 'Other' },
  reason: 'The name.',
  row: 'artist.name',
  unexpected: 'The two forms differ.',
};

/** A case with that line. */
export const bad: CaseResult = {
  ...clean,
  name: 'bad',
  blocks: [{ title: `items[0] ${hostile}`, lines: [wrong] }],
  rows: new Set([wrong.row]),
  unexpected: [{ block: `items[0] ${hostile}`, line: wrong }],
};

/** A case with a difference whose every text would break a format. */
export const worst: CaseResult = {
  ...bad,
  name: 'worst',
  unexpected: [
    {
      block: hostile,
      line: {
        ...wrong,
        kind: 'rule',
        row: undefined,
        unexpected: `${hostile} | \`x\`, 100 %\u0000::error::\r\n]]>`,
      },
    },
  ],
};

/** A run of cases. */
export const buildRun = (
  cases: readonly CaseResult[],
  more: Partial<RunResult> = {},
): RunResult => ({
  heading: 'Both forms of a catalogue',
  sides: formTitles,
  target: 'a catalogue',
  now: '2026-08-22T12:00:00.000Z',
  cases,
  skipped: [{ name: 'left', reason: 'it needs another key' }],
  notes: ['Something to know.'],
  stopped: undefined,
  ...more,
});

/** The report of a run without a difference, whose baseline ended long ago. */
export const outdated = ((): RunReport => {
  const until = '2026-01-01';
  const accepting = applyBaseline(buildRun([bad]), [], until);
  const baseline = createBaseline(accepting, { reason: 'Accepted', until });
  const run = buildRun([clean]);
  return createReport(run, applyBaseline(run, baseline, '2026-08-22'));
})();
