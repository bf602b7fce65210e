import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { buildArtist } from '../support/builders.ts';
import { formExpectations } from '../support/forms/form-expectations.ts';
import { keys } from '../support/forms/form-keys.ts';
import { createTestGateway, useGateway } from '../support/gateway.ts';
import { createTestSource } from '../support/source.ts';

describe('errors', () => {
  const gateway = useGateway();

  for (const form of forms) {
    it(`without the scope name the scope, in the ${form.name} form`, async () => {
      const reply = await gateway.send('/api/v1/spikes', keys[form.name].noSpikes.text);
      expect(formExpectations[form.name].readError(reply.text).message).to.include('spikes:read');
    });
  }

  it('are not kept: after a search that failed the next request searches again', async () => {
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
    const ask = async () => (await faulty.send('/api/v1/spikes', keys.current.full.text)).status;
    expect([await ask(), await ask()]).to.deep.equal([500, 200]);
    await faulty.close();
  });
});
