import { expect } from 'chai';
import { addDays } from '../../src/domain/day.ts';
import { signingStatuses, tiers } from '../../src/domain/model.ts';
import { casesFolder, fixtureFolder } from '../../src/runtime/config.ts';
import { readCases } from '../../tools/compare/cases/cases.ts';
import { causesOf } from '../../tools/compare/causes.ts';
import { artistDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import { createFaultRunner, type FaultRunner, spikes } from '../support/compare/catch-fault.ts';
import type { Fault } from '../support/compare/faulty.ts';
import { importPlanted } from '../support/compare/plant-source.ts';
import { plantedBugs } from '../support/compare/planted-bugs.ts';

/** At which row a fault that shows in many is told. */
const toldAt: Readonly<Record<string, string | undefined>> = {
  'one request too many is granted': 'problem.window-spent',
  'the current form counts no day': 'problem.day-spent',
  'the UTC day ends at 01:00': 'header.X-RateLimit-Day-Reset',
  'windows begin with the first request': 'header.X-RateLimit-Reset',
  'the variant form does not announce a sunset': 'header.Deprecation',
  'the variant form wraps its errors': 'problem.not-found',
  'the variant form sends an ETag': undefined,
  'a cursor is ignored': 'problem.invalid-cursor',
  'previous and current are swapped': 'spike.previous',
  'include=history is ignored': 'artist.history.*[].date',
  'notes are shown to everybody': 'artist.signing.note',
  'both forms list signings by capitals first': 'signing.artist_id',
};

/** 250 artists, more than any limit. */
const manyArtists = artistDocuments(250, { songs: [] }).map((artist, index) => ({
  ...artist,
  date_added: addDays('2026-08-22', -index),
  tier: tiers[index % tiers.length],
  signing: { status: signingStatuses[index % signingStatuses.length] },
}));

/**
 * The newest day of the example catalogue, and half a second past noon of the day before: then some
 * of its artists and points are of tomorrow, and no window ends in whole seconds.
 */
const instants = ['2026-08-22T12:00:00Z', '2026-08-21T12:00:00.500Z'].map((text) =>
  Date.parse(text),
);

interface Stage {
  readonly now: number;
  readonly runner: FaultRunner;
}

describe('compare with a planted bug', () => {
  const folder = useInputFolder();
  /** Over the example catalogue at both instants. */
  let examples: readonly Stage[];
  let large: Stage;

  before(async () => {
    await folder.write('artists', manyArtists);
    const cases = await readCases(casesFolder);
    // Cases that are repeated for many artists come last.
    const byLength = cases.toSorted((left, right) => (left.each ?? 1) - (right.each ?? 1));
    const once = cases.map((one) => (one.each === undefined ? one : { ...one, each: 1 }));
    const open = async (
      given: typeof cases,
      now: number,
      path = fixtureFolder,
    ): Promise<Stage> => ({
      now,
      runner: await createFaultRunner(given, { folder: path, now }),
    });
    const [noon = 0, dayBefore = 0] = instants;
    examples = [await open(byLength, noon), await open(byLength, dayBefore)];
    large = await open(once, noon, folder.path);
  });
  after(() => Promise.all([...examples, large].map(({ runner }) => runner.close())));

  it('reports nothing for a gateway without a bug', () => {
    const all = [...examples, large].map(({ runner }) => runner.withoutFault.cases);
    expect(all.map((cases) => causesOf(cases))).to.deep.equal([[], [], []]);
  });

  /** The causes at the first stage that finds the bug. */
  const find = async ({ source, large: needsMany, ...bug }: Fault) => {
    const load = source && (await importPlanted(source));
    for (const { now, runner } of needsMany ? [large] : examples) {
      const planted = await load?.(fixtureFolder, { now, spikes });
      const fault = planted === undefined ? bug : { catalogue: () => planted };
      const causes = causesOf((await runner.run(fault, { onlyFirst: load !== undefined })).cases);
      if (causes.length > 0) return causes;
    }
    return [];
  };

  const runsAll = process.env['EXAMPLE_RUNS'] === 'all';
  for (const bug of plantedBugs.filter((_, index) => runsAll || index % 10 === 0)) {
    it(`finds, in ${bug.source?.file ?? bug.group}: ${bug.name}`, async () => {
      const causes = await find(bug);
      const [cause, ...others] = causes;
      expect(cause, 'a cause').to.not.equal(undefined);
      const rows = causes.flatMap(({ row, consequences }) => [
        row,
        ...consequences.map((one) => one.row),
      ]);
      if (bug.source !== undefined) {
        expect(
          rows.some((row) => row !== undefined),
          'a row reports it',
        ).to.equal(true);
        return;
      }
      expect(others.map(({ row, violation }) => `${row}: ${violation}`)).to.deep.equal([]);
      if (bug.name in toldAt) expect(cause?.row).to.equal(toldAt[bug.name]);
      if (bug.row !== undefined) expect(rows.map((row = 'none') => row)).to.include(bug.row);
    });
  }
});
