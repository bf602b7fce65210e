import { expect } from 'chai';
import { createEmbeddedCatalogue } from '../../adapters/stores/embedded/catalogue.ts';
import { fixtureFolder } from '../../src/runtime/config.ts';
import { createManualClock } from '../support/clock.ts';
import { presenterFaults } from '../support/compare/faults-presenters.ts';
import type { Fault } from '../support/compare/faulty.ts';
import { createShadowGateway, shadowRequests } from '../support/compare/shadow-gateway.ts';

describe('shadow comparison of a gateway with a fault in a presenter', () => {
  /** Read once for all gateways. */
  const source = createEmbeddedCatalogue({
    folder: fixtureFolder,
    clock: createManualClock(),
    rebaseToToday: false,
  });

  /** The numbers of differing answers by row, after all requests were answered and compared. */
  const compareAll = async (change: NonNullable<Fault['forms']> = (form) => form) => {
    const shadowed = await createShadowGateway({ source, change });
    for (const [form, path] of shadowRequests) {
      expect(await shadowed.get(form, path), path).to.equal(200);
      await shadowed.settled();
    }
    const [rows, verdicts] = [await shadowed.rows(), await shadowed.verdicts()];
    await shadowed.gateway.close();
    return { rows, verdicts };
  };

  it('reports nothing without a fault', async () => {
    const { rows, verdicts } = await compareAll();
    expect(rows).to.deep.equal({});
    expect(verdicts).to.deep.include({
      same: shadowRequests.length,
      different: 0,
      skipped: 0,
      failed: 0,
    });
  });

  for (const { name, row, forms } of presenterFaults) {
    it(`reports ${row}: ${name}`, async () => {
      const { rows, verdicts } = await compareAll(forms);
      expect(rows).to.include.keys(row);
      expect(verdicts.failed).to.equal(0);
    });
  }
});
