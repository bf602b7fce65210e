import { expect } from 'chai';
import { buildArtist } from '../support/builders.ts';
import { deadHistory } from '../support/forms/dead-stores.ts';
import { createTestGateway, fullKeys } from '../support/gateway.ts';
import { createTestSource } from '../support/source.ts';

describe('an error', () => {
  it('is not kept: after a search that failed the next request searches again', async () => {
    let reads = 0;
    const listed = {
      artist: buildArtist(),
      get recent() {
        reads += 1;
        if (reads === 1) throw new Error('a bug');
        return [];
      },
    };
    const source = {
      ...createTestSource({ artists: [] }),
      load: async () => ({ artists: [listed], labels: [], faults: [] }),
    };
    const faulty = await createTestGateway({ source });
    const ask = async () => (await faulty.send('/api/v1/spikes', fullKeys.current.text)).status;
    expect([await ask(), await ask()]).to.deep.equal([500, 200]);
    await faulty.close();
  });

  it('of a store has its cause in the log', async () => {
    const gateway = await createTestGateway({ histories: deadHistory });
    expect(
      (await gateway.send('/api/v1/artists/art_7rf1ly', fullKeys.current.text)).status,
    ).to.equal(503);
    const failed = gateway.log.entries.filter(({ event }) => event === 'request failed');
    const causes = failed.map(
      ({ facts }) => 'err' in facts && facts.err instanceof Error && facts.err.cause,
    );
    expect(causes.at(-1)).to.be.instanceOf(Error).with.property('message', 'store is down');
    await gateway.close();
  });
});
