import { expect } from 'chai';
import { comparedForms } from '../../tools/crosswalk/forms.ts';
import { exchangeNames, readExchange, replayExchange } from '../support/exchanges.ts';

/** `npm run exchanges:record` records the responses. */
describe('golden exchanges', () => {
  it('exist in both forms for every case', () => {
    expect(exchangeNames('variant')).to.have.members(exchangeNames('current'));
  });

  for (const form of comparedForms) {
    for (const name of exchangeNames(form)) {
      it(`of the ${form} form replay ${name} as recorded`, async () => {
        const { request, as, status, headers, body } = readExchange(form, name);
        const observed = await replayExchange({ request, as });
        expect(observed.status).to.equal(status);
        expect(observed.headers).to.deep.equal(headers);
        expect(observed.text).to.equal(body === null ? '' : JSON.stringify(body));
      });
    }
  }
});
