import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import {
  addRelease,
  contractLogText,
  contractText,
  digestOf,
  readContractLog,
  readFrozenContract,
  readLogFile,
} from '../../scripts/contracts/frozen-contracts.ts';
import { compareContracts, describeChanges } from '../../tools/contracts/changes.ts';

const remedy =
  'Run npm run exchanges:record if answers changed, then npm run generate -- "SENTENCE" (--breaks if clients break: ask partners before).';

describe('frozen contracts', () => {
  for (const form of forms)
    it(`of the ${form.name} form match the code and the last entry of /docs/changes`, () => {
      const [frozen, text] = [readFrozenContract(form), contractText(form)];
      const changes = compareContracts(JSON.parse(frozen), JSON.parse(text));
      expect(describeChanges(changes), remedy).to.deep.equal([]);
      expect(frozen === text, `descriptions or examples changed. ${remedy}`).to.equal(true);
      expect(readContractLog().contracts[form.name], remedy).to.equal(digestOf(frozen));
    });

  const changes = [
    { where: 'GET /api/v1/artists 200.data[].age', what: 'was added', breaks: false },
    { where: 'GET /api/v1/added 200.data[].age', what: 'was added', breaks: false },
    { where: 'GET /api/v1/added 404 X-Age', what: 'was added', breaks: false },
    { where: 'GET /api/v1/added 400 X-Age', what: 'was added', breaks: false },
    { where: 'GET /api/v1/spikes 410', what: 'was added', breaks: true },
  ];
  const release = {
    date: '2026-12-01',
    summary: 'Artists have an age.',
    changed: [{ form: 'current', text: 'one', news: changes }],
  };
  const first = addRelease({ contracts: { variant: 'as it was' }, releases: [] }, release);

  it('get a release with its sentence, and each change once', () => {
    const [{ summary, changes: listed } = { summary: '', changes: [] }] = first.releases;
    expect(summary).to.equal('Artists have an age.');
    expect(listed.map(({ what, paths, breaking }) => [what, paths.length, breaking])).to.deep.equal(
      [
        ['`age`, `X-Age` (400, 404) were added', 2, false],
        ['`410` was added', 1, true],
      ],
    );
    expect(first.contracts).to.deep.equal({ variant: 'as it was', current: digestOf('one') });
  });

  it('keep the ids of older releases', () => {
    const { releases } = addRelease(first, { ...release, summary: 'Artists have no age.' });
    expect(releases.slice(1)).to.deep.equal(first.releases);
    const ids = [...releases, ...readContractLog().releases].map(({ id }) => id);
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it('get no release if partners notice nothing', () => {
    const later = addRelease(first, {
      ...release,
      summary: undefined,
      changed: [{ form: 'current', text: 'two', news: [] }],
    });
    expect(later).to.deep.equal({
      contracts: { ...first.contracts, current: digestOf('two') },
      releases: first.releases,
    });
  });

  it('have a list of changes in the format that npm run generate writes', () => {
    expect(contractLogText(readContractLog()) === readLogFile()).to.equal(true);
  });
});
