import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { factsOfForm } from '../../src/domain/form-facts.ts';
import { pinError, pinRemarks } from '../../src/keys/pinning.ts';
import { buildKey } from '../support/builders.ts';

const now = Date.parse('2026-08-22T12:00:00Z');
const facts = forms;
const [current, variant] = [factsOfForm(facts, 'current'), factsOfForm(facts, 'variant')];
const { record } = buildKey({ id: 'k1', form: 'variant', perHour: undefined });

describe('moving a key to another form', () => {
  it('is refused for expired keys', () => {
    expect(pinError(record, current, now)).to.equal(undefined);
    expect(pinError({ ...record, expiresAt: now }, current, now)).to.match(/^Key k1 is expired since /);
  });

  it('has no remark when every setting of the key applies in the new form', () => {
    expect(pinRemarks(record, current, now)).to.deep.equal([]);
    expect(pinRemarks(record, variant, now)).to.deep.equal([]);
  });

  it('remarks that the sunset of the key has passed', () => {
    expect(pinRemarks({ ...record, sunset: '2026-08-23' }, variant, now).join()).to.match(/on 2026-08-23\.$/);
    const over = pinRemarks({ ...record, sunset: '2026-08-22' }, variant, now).join();
    expect(over).to.match(/which has passed: announce another day with "artist-gateway keys sunset k1 --on DAY"/);
  });
});
