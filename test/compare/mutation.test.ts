import { expect } from 'chai';
import { type ComparisonCase, readCases } from '../../adapters/compare/cases/cases.ts';
import { addDays } from '../../src/domain/day.ts';
import { signingStatuses, tiers } from '../../src/domain/model.ts';
import { casesFolder, fixtureFolder } from '../../src/runtime/config.ts';
import { artistDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import { createFaultSearch, type FaultSearch } from '../support/compare/catch-fault.ts';
import { behaviourFaults } from '../support/compare/faults-behaviour.ts';
import { parameterFaults } from '../support/compare/faults-parameters.ts';
import { presenterFaults } from '../support/compare/faults-presenters.ts';
import { quotaFaults } from '../support/compare/faults-quotas.ts';
import type { Fault } from '../support/compare/faulty.ts';

const faults: readonly Fault[] = [...presenterFaults, ...parameterFaults, ...behaviourFaults, ...quotaFaults];

/** 250 artists, more than any limit. */
const manyArtists = artistDocuments(250, { songs: [] }).map((artist, index) => ({
  ...artist,
  date_added: addDays('2026-08-22', -index),
  tier: tiers[index % tiers.length],
  signing: { status: signingStatuses[index % signingStatuses.length] },
}));

describe('compare with a seeded fault', () => {
  const large = useInputFolder();
  let search: FaultSearch;
  let searchInLarge: FaultSearch;
  before(async () => {
    await large.write('artists', manyArtists);
    // Cases with short lists come first and cases repeated for many artists last: most faults show before those.
    const costOf = ({ items, each }: ComparisonCase) => (items === 'spikes' || items === 'signings' ? 0 : (each ?? 1));
    const cases = (await readCases(casesFolder)).toSorted((left, right) => costOf(left) - costOf(right));
    search = await createFaultSearch(cases, { folder: fixtureFolder });
    searchInLarge = await createFaultSearch(cases, { folder: large.path });
  });

  it('reports nothing for a gateway without a fault', () => {
    expect(search.withoutFault).to.equal(undefined);
    expect(searchInLarge.withoutFault).to.equal(undefined);
  });

  for (const fault of faults) {
    it(`reports a ${fault.group} fault: ${fault.name}`, async () => {
      const caught = await (fault.large ? searchInLarge : search).firstToCatch(fault);
      expect(caught).to.not.equal(undefined);
      const rows = caught?.unexpected.map(({ line }) => line.row ?? 'none');
      if (fault.row !== undefined) expect(rows).to.include(fault.row);
    });
  }
});
