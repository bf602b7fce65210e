import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { formExpectations } from '../support/forms/form-expectations.ts';
import { keySource, keys, unissuedKey } from '../support/forms/form-keys.ts';
import { deadKeys, problemCases } from '../support/forms/problem-cases.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';

describe('errors', () => {
  for (const { name: situation, open, key, error, served } of problemCases) {
    describe(`with ${situation}`, () => {
      let gateway: TestGateway;
      before(async () => {
        gateway = await open();
      });
      after(() => gateway.close());

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
    let gateway: TestGateway;
    beforeEach(async () => {
      gateway = await createTestGateway({ keys: keySource });
    });
    afterEach(() => gateway.close());

    for (const form of forms) {
      const { revoked, expired, suspended, noSpikes } = keys[form.name];

      it(`without the scope name the scope, in the ${form.name} form`, async () => {
        const reply = await gateway.send('/api/v1/spikes', noSpikes.text);
        expect(formExpectations[form.name].readError(reply.text).message).to.include('spikes:read');
      });

      it(`that is inactive have the same message as for an unknown key, in the ${form.name} form`, async () => {
        const unknown = await gateway.send('/api/v1/artists', unissuedKey);
        const { message } = formExpectations.current.readError(unknown.text);
        for (const { text } of [revoked, expired, suspended]) {
          const reply = await gateway.send('/api/v1/artists', text);
          expect(formExpectations[form.name].readError(reply.text).message).to.equal(message);
        }
      });
    }

    it('that is revoked later begin at the instant of revocation', async () => {
      const { text } = keys.current.revokedLater;
      expect((await gateway.send('/api/v1/signings', text)).status).to.equal(200);
      gateway.clock.advance(1_000);
      expect((await gateway.send('/api/v1/signings', text)).status).to.equal(401);
    });

    it('that is unknown are 503 instead of 401 while the keys are stale', async () => {
      gateway.clock.advance(300_001);
      expect((await gateway.send('/api/v1/artists', unissuedKey)).status).to.equal(503);
    });
  });

  it('for malformed and missing keys need no key store', async () => {
    const gateway = await createTestGateway({ keys: deadKeys });
    expect((await gateway.send('/api/v1/artists')).status).to.equal(401);
    expect((await gateway.send('/api/v1/artists', 'aik_bad')).status).to.equal(401);
    await gateway.close();
  });
});
