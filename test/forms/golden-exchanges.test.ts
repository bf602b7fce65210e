import { expect } from 'chai';
import { comparedForms } from '../../src/crosswalk/forms.ts';
import { exchangeNames, readExchange, replayExchange } from '../support/exchanges.ts';
import { exchangeCases } from '../support/forms/exchange-cases.ts';

/** `npm run exchanges:record` writes the files from the cases. */
describe('golden exchanges', () => {
  for (const form of comparedForms) {
    describe(`of the ${form} form`, () => {
      it('exist for exactly the cases', () => {
        expect(exchangeNames(form)).to.have.members(exchangeCases.map(({ name }) => name));
      });

      for (const exchange of exchangeCases) {
        const { name } = exchange;

        it(`replay ${name} as recorded`, async () => {
          const { request, as, status, headers, body } = readExchange(form, name);
          expect({ request, as }, 'the case was changed: record it again').to.deep.equal(exchange[form]);
          const observed = await replayExchange({ request, as });
          expect(observed.status).to.equal(status);
          expect(observed.headers).to.deep.equal(headers);
          expect(observed.text).to.equal(body === null ? '' : JSON.stringify(body));
        });
      }
    });
  }
});
