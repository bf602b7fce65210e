import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { type ComparisonCase, readCases } from '../../adapters/compare/cases/cases.ts';
import { runCases } from '../../adapters/compare/run.ts';
import { openEmbeddedTarget } from '../../adapters/compare/targets/embedded-target.ts';
import { casesFolder, fixtureFolder } from '../../src/runtime/config.ts';
import { useStarted } from '../support/cleanup.ts';
import { spikes } from '../support/compare/catch-fault.ts';
import { artistIds, labels, units } from '../support/forms/random-shortlist.ts';
import { createDocumentFolder } from '../support/stores/document-folder.ts';

const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);
const today = '2026-08-22';

/** Names that a check may take for something else, or cannot ask for. */
const oddNames = [
  'lone \ud800',
  '2026-01-01T00:00Z',
  '2026-01-01T00:00:00+02:00',
  'y'.repeat(121),
  'ß'.repeat(120),
  '%41',
];

/** Documents with an artist for every identifier. */
const catalogues = fc
  .tuple(fc.tuple(...artistIds.map((id) => units(today, fc.constant(id)))), labels)
  .map(([drawn, tracked]) => {
    const all = drawn.map((unit, index) => unit(Date.parse(`${today}T00:00:00Z`) + index));
    const artists = all.map(({ artist }, index) => ({ ...artist, name: oddNames[index] ?? artist.name }));
    return { artists, history: all.flatMap(({ series }) => series), labels: tracked };
  });

/** A text of JSON that keeps the sign of a zero. */
const withSigns = (documents: unknown): string =>
  JSON.stringify(documents, (_name, value) => (Object.is(value, -0) ? 'minus zero' : value)).replaceAll(
    '"minus zero"',
    '-0',
  );

describe('compare over a random catalogue', function () {
  this.timeout(120_000);
  const folder = useStarted(createDocumentFolder, ({ close }) => close());
  let cases: readonly ComparisonCase[];
  before(async () => {
    cases = await readCases(casesFolder);
  });

  for (const [index, catalogue] of fc.sample(catalogues, { seed, numRuns: 4 }).entries()) {
    it(`finds no difference in a right gateway (FUZZ_SEED=${seed}, ${index + 1})`, async () => {
      for (const [name, documents] of Object.entries(catalogue))
        await writeFile(join(folder.path, `${name}.json`), withSigns(documents));
      const now = Date.parse(`${today}T12:00:00Z`);
      const { target, close } = await openEmbeddedTarget({ folder: folder.path, now, spikes });
      const { cases: compared } = await runCases(cases, target);
      await close();
      const wrong = compared.flatMap(({ name, unexpected }) =>
        unexpected.map(({ block, line }) => `${name}, ${block}: ${line.row} ${line.unexpected}`),
      );
      expect(compared.length).to.be.above(100);
      expect(wrong).to.deep.equal([]);
    });
  }

  it('names the case of a check that throws, and compares the others', async () => {
    const { target, close } = await openEmbeddedTarget({ folder: fixtureFolder, spikes });
    const knowledge = {
      ...target.knowledge,
      hasScope: () => () => {
        throw new RangeError('an unforeseen value');
      },
    };
    const chosen = cases.filter(({ name }) => ['signings', 'health'].includes(name));
    const { cases: compared } = await runCases(chosen, { ...target, knowledge });
    await close();
    const text = (name: string) => compared.find((one) => one.name === name)?.unexpected[0]?.line.unexpected;
    expect(text('signings')).to.match(/^The check threw .*signing\.note.* RangeError: an unforeseen value$/);
    expect(text('health')).to.equal(undefined);
  });
});
