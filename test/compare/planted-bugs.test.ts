import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { createApp } from '../../adapters/http/app.ts';
import type { Gateway } from '../../src/gateway.ts';
import { causesOf } from '../../tools/compare/causes.ts';
import { readNamed, runEmbedded } from '../support/compare/open-target.ts';
import { loadPlanted, quotaBugs, sourceBugs } from '../support/compare/planted-bugs.ts';

/**
 * Half a second past noon, so that no window ends in whole seconds; and the day before the newest
 * day, when some artists and points are of tomorrow.
 */
const instants = ['2026-08-22T12:00:00.500Z', '2026-08-21T12:00:00.500Z'].map((text) =>
  Date.parse(text),
);

/** A day runs an eighth of them; a release, with `EXAMPLE_RUNS=all`, all. */
const runsAll = process.env['EXAMPLE_RUNS'] === 'all';
const someOf = <Bug>(bugs: readonly Bug[]): readonly Bug[] =>
  bugs.filter((_, index) => runsAll || index % 8 === 0);

/** The rows that report a changed gateway in a case, at the first of the instants with one. */
const rowsOf = async (
  shownBy: string,
  open: (now: number) => Promise<(gateway: Gateway) => Partial<Gateway>>,
) => {
  const cases = await readNamed(shownBy);
  for (const now of instants) {
    const change = await open(now);
    const listener = (gateway: Gateway) =>
      createApp({ ...gateway, ...change(gateway) }, forms, () => undefined).callback();
    const causes = causesOf((await runEmbedded(cases, { now, listener })).cases);
    const all = causes.flatMap((cause) => [cause, ...cause.consequences]);
    if (all.length > 0) return all.map(({ row }) => row);
  }
  return [];
};

describe('compare with a planted bug', () => {
  for (const bug of someOf(sourceBugs)) {
    const [file, shownBy, from, to] = bug;
    it(`finds ${to} instead of ${from} in ${file} with ${shownBy}`, async () => {
      const rows = await rowsOf(shownBy, async (now) => {
        const planted = await loadPlanted(bug, now);
        return ({ catalogue }) => ({ catalogue: { ...catalogue, value: () => planted } });
      });
      expect(rows.some((row) => row !== undefined)).to.equal(true);
    });
  }

  for (const [name, shownBy, row, change] of someOf(quotaBugs))
    it(`finds that ${name}`, async () => {
      const rows = await rowsOf(shownBy, async () => ({ quotas }) => ({ quotas: change(quotas) }));
      expect(rows).to.include(row);
    });
});
