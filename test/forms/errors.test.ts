import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { formExpectations } from '../support/forms/form-expectations.ts';
import { keys } from '../support/forms/form-keys.ts';
import { problemCases } from '../support/forms/problem-cases.ts';
import { useGateway } from '../support/gateway.ts';

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
});
