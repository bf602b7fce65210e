import { expect } from 'chai';
import { comparedForms } from '../../tools/migration/mapping/forms.ts';
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
        const remedy = `fixtures/exchanges/${form}/${name}.json: if the answer is meant to change, npm run exchanges:record, then npm run generate`;
        expect(observed.status, remedy).to.equal(status);
        expect(observed.headers, remedy).to.deep.equal(headers);
        expect(observed.text, remedy).to.equal(body === null ? '' : JSON.stringify(body));
      });
    }
  }
});
