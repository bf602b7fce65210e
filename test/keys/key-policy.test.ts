import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { factsOfForm } from '../../src/domain/form-facts.ts';
import { generateKey } from '../../src/keys/generate-key.ts';
import { keyHash, keyIdIn, toBase62 } from '../../src/keys/key-format.ts';
import {
  announceSunset,
  expiresSoon,
  hourlyLimitError,
  rotate,
  stateOf,
  sunsetError,
} from '../../src/keys/key-policy.ts';
import { pinError, pinWarnings } from '../../src/keys/pinning.ts';
import { buildKey, buildOrganization } from '../support/builders.ts';

const now = Date.parse('2026-08-22T12:00:00Z');
const day = 86_400_000;
const facts = forms;
const [current, variant] = [factsOfForm(facts, 'current'), factsOfForm(facts, 'variant')];
const generated = { id: 'made', hash: 'hash' };

describe('generated keys', () => {
  it('have a text with a valid checksum, and its hash', () => {
    const { id, text, hash } = generateKey();
    expect(keyIdIn(text)).to.equal(id);
    expect(hash).to.equal(keyHash(text));
    expect(text).to.match(/^aik_[0-9A-Za-z]{9}_[0-9A-Za-z]{49}$/);
  });

  it('differ from each other', () => {
    const made = Array.from({ length: 500 }, () => generateKey());
    for (const part of [made.map(({ id }) => id), made.map(({ text }) => text.slice(14))])
      expect(new Set(part).size).to.equal(500);
  });

  it('encode any 32 bytes in 43 base62 digits', () => {
    expect(toBase62(0n, 43)).to.equal('0'.repeat(43));
    const largest = toBase62(2n ** 256n - 1n, 43);
    const value = [...largest].reduce((sum, digit) => {
      const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
      return sum * 62n + BigInt(digits.indexOf(digit));
    }, 0n);
    expect(value).to.equal(2n ** 256n - 1n);
  });
});

describe('the policy of a key', () => {
  const { record } = buildKey({
    form: 'variant',
    perHour: 7,
    allowEnvelopeOverride: true,
    sunset: '2027-01-01',
  });

  it('has an hourly limit only where the form counts the key, not its organization', () => {
    expect(hourlyLimitError(variant)).to.equal(undefined);
    expect(hourlyLimitError(current)).to.equal(
      'A key of the current form counts against its organization: use "organizations set --per-minute --per-day".',
    );
  });

  it('gives the successor its lifetime, which is never extended for the previous key', () => {
    const short = { ...record, createdAt: now - 20 * day, expiresAt: now + day };
    const { successor, previous } = rotate(short, generated, { now, overlapMs: 7 * day });
    expect(previous.expiresAt).to.equal(now + day);
    expect(successor.expiresAt).to.equal(now + 21 * day);
  });

  it('gives the successor its trial only while that lasts', () => {
    const trial = { form: 'current', until: now + 1 } as const;
    const rotated = (at: number) =>
      rotate({ ...record, trial }, generated, { now: at, overlapMs: day }).successor.trial;
    expect(rotated(now)).to.deep.equal(trial);
    expect(rotated(trial.until)).to.equal(undefined);
  });

  it('makes it expiring within 30 days of its end, unless another key replaces it', () => {
    const ending = { ...record, expiresAt: now + 30 * day };
    expect(expiresSoon(ending, now)).to.equal(true);
    expect(expiresSoon(ending, now - 1)).to.equal(false);
    expect(expiresSoon({ ...ending, replacedBy: 'other' }, now)).to.equal(false);
    expect(expiresSoon({ ...ending, expiresAt: now }, now)).to.equal(false);
  });

  it('makes it active, suspended, expired or revoked, and revoked rather than expired', () => {
    const organization = buildOrganization();
    expect(stateOf(record, organization, now)).to.equal('active');
    expect(stateOf({ ...record, expiresAt: now + 1 }, organization, now)).to.equal('active');
    expect(stateOf({ ...record, expiresAt: now }, organization, now)).to.equal('expired');
    expect(stateOf({ ...record, expiresAt: now, revokedAt: now }, organization, now)).to.equal(
      'revoked',
    );
    expect(stateOf(record, { ...organization, suspendedAt: now }, now)).to.equal('suspended');
  });
});

describe('sunset of a key', () => {
  const { record } = buildKey({ form: 'variant' });

  it('sets the deprecation when first announced, and removes it when withdrawn', () => {
    const announced = announceSunset(record, '2027-01-01', now);
    expect(announced).to.include({ sunset: '2027-01-01', deprecatedAt: now });
    expect(announceSunset(announced, '2027-02-01', now + day)).to.include({ deprecatedAt: now });
    expect(announceSunset(announced, undefined, now)).to.deep.equal(record);
  });

  it('is not before the deprecation', () => {
    const later = { ...record, deprecatedAt: Date.parse('2027-01-02') };
    expect(sunsetError(later, facts, '2027-01-01', now)).to.match(
      /^2027-01-01 is before the key's deprecation/,
    );
    expect(sunsetError(later, facts, '2027-01-02', now)).to.equal(undefined);
  });
});

describe('moving a key to another form', () => {
  const { record } = buildKey({ id: 'k1', form: 'variant', perHour: undefined });

  it('is refused for expired keys', () => {
    expect(pinError(record, current, now)).to.equal(undefined);
    expect(pinError({ ...record, expiresAt: now }, current, now)).to.match(
      /^Key k1 has been expired since /,
    );
  });

  it('has no warning when every setting of the key applies in the new form', () => {
    expect(pinWarnings(record, current, now)).to.deep.equal([]);
    expect(pinWarnings(record, variant, now)).to.deep.equal([]);
  });

  it('warns that the sunset of the key has passed', () => {
    expect(pinWarnings({ ...record, sunset: '2026-08-23' }, variant, now).join()).to.match(
      /on 2026-08-23\.$/,
    );
    const over = pinWarnings({ ...record, sunset: '2026-08-22' }, variant, now).join();
    expect(over).to.match(
      /which has passed: announce another day with "artist-gateway keys sunset k1 --on DAY"/,
    );
  });
});
