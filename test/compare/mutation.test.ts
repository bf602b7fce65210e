import { expect } from 'chai';
import { addDays } from '../../src/domain/day.ts';
import { signingStatuses, tiers } from '../../src/domain/model.ts';
import { casesFolder } from '../../src/runtime/config.ts';
import { readCases } from '../../tools/compare/cases/cases.ts';
import { causesOf } from '../../tools/compare/causes.ts';
import { artistDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import { createFaultRunner, type FaultRunner } from '../support/compare/catch-fault.ts';
import { behaviourFaults } from '../support/compare/faults-behaviour.ts';
import { parameterFaults } from '../support/compare/faults-parameters.ts';
import { presenterFaults } from '../support/compare/faults-presenters.ts';
import { quotaFaults } from '../support/compare/faults-quotas.ts';
import type { Fault } from '../support/compare/faulty.ts';

const faults: readonly Fault[] = [
  ...presenterFaults,
  ...parameterFaults,
  ...behaviourFaults,
  ...quotaFaults,
];

/** At which row a fault that shows in many is told. */
const toldAt: Readonly<Record<string, string | undefined>> = {
  'one request too many is granted': 'problem.window-spent',
  'the current form counts no day': 'problem.day-spent',
  'the UTC day ends at 01:00': 'header.X-RateLimit-Day-Reset',
  'windows begin with the first request': 'header.X-RateLimit-Reset',
  'the variant form does not announce a sunset': 'header.Deprecation',
  'the current form has the variant form’s notices': 'header.Deprecation',
  'the variant form wraps its errors': 'problem.not-found',
  'the variant form sends an ETag': undefined,
  'a cursor is ignored': 'problem.invalid-cursor',
  'the window of spikes is a day longer': 'envelope.meta.window.days',
  'previous and current are swapped': 'spike.previous',
  'include=history is ignored': 'artist.history.*[].date',
  'editorial is never shown': 'artist.editorial.scouting_report',
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

describe('compare with a seeded fault', () => {
  const folder = useInputFolder();
  let small: FaultRunner;
  let large: FaultRunner;
  before(async () => {
    await folder.write('artists', manyArtists);
    const cases = (await readCases(casesFolder)).map((one) =>
      one.each === undefined ? one : { ...one, each: 1 },
    );
    small = await createFaultRunner(cases);
    large = await createFaultRunner(cases, { folder: folder.path });
  });

  it('reports nothing for a gateway without a fault', () => {
    expect([small, large].map(({ withoutFault }) => causesOf(withoutFault.cases))).to.deep.equal([
      [],
      [],
    ]);
  });

  for (const fault of faults) {
    it(`tells a ${fault.group} fault as one cause: ${fault.name}`, async () => {
      const { run } = fault.large ? large : small;
      const [cause, ...others] = causesOf((await run(fault)).cases);
      expect(cause).to.not.equal(undefined);
      expect(others.map(({ row, violation }) => `${row}: ${violation}`)).to.deep.equal([]);
      if (fault.name in toldAt) expect(cause?.row).to.equal(toldAt[fault.name]);
      const rows = [cause, ...(cause?.followers ?? [])].map((one) => one?.row ?? 'none');
      if (fault.row !== undefined) expect(rows).to.include(fault.row);
    });
  }
});
