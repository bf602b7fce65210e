import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import {
  addRelease,
  contractText,
  readContractLog,
  readFrozenContract,
} from '../../scripts/contracts/frozen-contracts.ts';
import { compareContracts, describeChanges } from '../../tools/contracts/changes.ts';

const remedy =
  'Run npm run exchanges:record if answers changed, then npm run generate -- "SENTENCE" (--breaks if clients break: ask partners before).';

describe('frozen contracts', () => {
  for (const form of forms)
    it(`of the ${form.name} form match the code`, () => {
      const [frozen, text] = [readFrozenContract(form), contractText(form)];
      const changes = compareContracts(JSON.parse(frozen), JSON.parse(text));
      expect(describeChanges(changes), remedy).to.deep.equal([]);
      expect(frozen === text, `descriptions or examples changed. ${remedy}`).to.equal(true);
    });

  const changes = [
    { where: 'GET /api/v1/artists 200.data[].age', what: 'was added', breaks: false },
    { where: 'GET /api/v1/added 200.data[].age', what: 'was added', breaks: false },
    { where: 'GET /api/v1/added 404 X-Age', what: 'was added', breaks: false },
    { where: 'GET /api/v1/added 400 X-Age', what: 'was added', breaks: false },
    { where: 'GET /api/v1/spikes 410', what: 'was added', breaks: true },
  ];
  const releases = addRelease([], '2026-12-01', 'Artists have an age.', [
    { form: 'current', news: changes },
  ]);

  it('get a release with its sentence, and each change once', () => {
    const [{ summary, changes: listed } = { summary: '', changes: [] }] = releases;
    expect(summary).to.equal('Artists have an age.');
    expect(listed.map(({ what, paths, breaking }) => [what, paths.length, breaking])).to.deep.equal(
      [
        ['`age`, `X-Age` (400, 404) were added', 2, false],
        ['`410` was added', 1, true],
      ],
    );
  });

  it('keep the ids of older releases', () => {
    const later = addRelease(releases, '2026-12-01', 'Artists have no age.', []);
    expect(later.slice(1)).to.deep.equal(releases);
    const ids = [...later, ...readContractLog()].map(({ id }) => id);
    expect(new Set(ids).size).to.equal(ids.length);
  });
});
