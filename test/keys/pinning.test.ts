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
  it('is refused for expired and revoked keys', () => {
    expect(pinError(record, current, now)).to.equal(undefined);
    expect(pinError({ ...record, revokedAt: now }, current, now)).to.match(/^Key k1 is revoked since /);
    expect(pinError({ ...record, expiresAt: now }, current, now)).to.match(/^Key k1 is expired since /);
  });

  it('is refused without the scopes that the form needs', () => {
    const narrow = { ...record, scopes: ['artists:read' as const] };
    expect(pinError(narrow, current, now)).to.equal(undefined);
    expect(pinError(narrow, variant, now)).to.match(/add spikes:read, signings:read\.$/);
  });

  it('has no remark when every setting of the key applies in the new form', () => {
    expect(pinRemarks(record, current, now)).to.deep.equal([]);
    expect(pinRemarks(record, variant, now)).to.deep.equal([]);
  });

  it('remarks whether the quota of the key applies in the form', () => {
    const own = { ...record, perHour: 7 };
    expect(pinRemarks(own, current, now).join()).to.match(
      /^Its own quota of 7 requests an hour does not apply in the current/,
    );
    expect(pinRemarks(own, variant, now).join()).to.equal('Its own quota of 7 requests an hour applies again.');
  });

  it('remarks whether the form announces the sunset of the key', () => {
    const ending = { ...record, sunset: '2026-08-23' };
    expect(pinRemarks(ending, current, now).join()).to.match(
      /2026-08-23 is kept, but the current form does not announce it/,
    );
    expect(pinRemarks(ending, variant, now).join()).to.match(/ends for it on 2026-08-23\.$/);
    const over = pinRemarks({ ...ending, sunset: '2026-08-22' }, variant, now).join();
    expect(over).to.match(/which has passed: announce another day with "artist-gateway keys sunset k1 --on DAY"/);
  });
});
