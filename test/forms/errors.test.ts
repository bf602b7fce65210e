import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { buildArtist } from '../support/builders.ts';
import { formExpectations } from '../support/forms/form-expectations.ts';
import { keys } from '../support/forms/form-keys.ts';
import { problemCases } from '../support/forms/problem-cases.ts';
import { createTestGateway, useGateway } from '../support/gateway.ts';
import { createTestSource } from '../support/source.ts';

describe('errors', () => {
  for (const { name: situation, open, key, error, served } of problemCases) {
    describe(`with ${situation}`, () => {
      const gateway = useGateway(open);

      for (const form of forms) {
        const expected = formExpectations[served ?? form.name];
        const { status, code } = expected.errors[error];

        it(`answer ${status} ${code} on every route of the ${form.name} form except health`, async () => {
          for (const { path, scope } of formExpectations[form.name].successes) {
            const reply = await gateway.send(path, key(form.name, scope));
            expect(reply.status, path).to.equal(status);
            expect(expected.readError(reply.text).code, path).to.equal(code);
            expect(reply.headers['x-envelope-served'], path).to.equal(served ?? form.name);
          }
          const health = await gateway.send('/api/v1/health', key(form.name, 'artists:read'));
          expect(health.status).to.equal(200);
        });
      }
    });
  }

  describe('with a key', () => {
    const gateway = useGateway();

    for (const form of forms) {
      it(`without the scope name the scope, in the ${form.name} form`, async () => {
        const reply = await gateway.send('/api/v1/spikes', keys[form.name].noSpikes.text);
        expect(formExpectations[form.name].readError(reply.text).message).to.include('spikes:read');
      });
    }
  });

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
    const gateway = await createTestGateway({ source });
    const ask = async () => (await gateway.send('/api/v1/spikes', keys.current.full.text)).status;
    expect([await ask(), await ask()]).to.deep.equal([500, 200]);
    await gateway.close();
  });
});
