import { expect } from 'chai';
import {
  limitAfter,
  organizationIdError,
  readCount,
  readDay,
  readDuration,
  readExpiry,
  readKeyId,
  readLimit,
  readName,
  readScopeList,
  readSubjectName,
  readUsageDays,
} from '../../tools/cli/option-parsers.ts';
import { UsageError } from '../../tools/cli/terminal/messages.ts';
import { buildKey } from '../support/builders.ts';

/** Values that a parser refuses, and what it says of each. */
const refused: readonly (readonly [
  read: (text: string) => unknown,
  texts: readonly string[],
  message: string,
])[] = [
  [readDuration, ['', '7', 'd', '7w', '-7d', '1.5d', '7 d', '123456d'], 'It must be a duration'],
  [readUsageDays, ['0', '401'], 'It must be a whole number from 1 to 400: usage is kept that'],
  [
    readExpiry,
    ['', '1y', '2027-02-30', '2027-1-1', 'Never'],
    'It must be a duration like 12h or 365d, a day',
  ],
  [readExpiry, ['0d', '0s', '00000h'], 'It must be more than 0'],
  [readScopeList, ['artists:read,'], 'An empty name is not a scope'],
  [readScopeList, ['ARTISTS:READ'], 'ARTISTS:READ is not a scope'],
  [
    readLimit,
    ['', '-1', '1e3', '5000000000', 'Default'],
    'It must be a whole number from 0 to 1000000000, or default.',
  ],
  [readCount, ['0', 'all', '1000000'], 'It must be a whole number from 1 to 999999.'],
  [readName, ['', ' ', 'a\nb', '\u001b[2J', 'a\u202eb', 'x'.repeat(201)], 'one line'],
  [readDay, ['2027-02-30', 'none', '30.6.2027', ''], 'It must be a day'],
  [readKeyId, ['a-b'], 'It must be the id of a key'],
];

describe('option parsers', () => {
  it('reject other values, and name what is allowed', () => {
    for (const [read, texts, message] of refused)
      for (const text of texts) expect(() => read(text), text).to.throw(message);
  });

  it('read durations, limits, counts, names, days and scopes', () => {
    const read = ['90s', '30m', '12h', '7d', '0s'].map(readDuration);
    expect(read).to.deep.equal([90_000, 1_800_000, 43_200_000, 604_800_000, 0]);
    expect(['0', '1000000000', 'default'].map(readLimit)).to.deep.equal([0, 1e9, 'default']);
    expect([readUsageDays('1'), readUsageDays('400')]).to.deep.equal([1, 400]);
    expect(['1', '999999'].map(readCount)).to.deep.equal([1, 999_999]);
    expect(readName(' Acme ')).to.equal('Acme');
    expect(readDay('2027-06-30')).to.equal('2027-06-30');
    const scopes = readScopeList('spikes:read, artists:read,spikes:read');
    expect(scopes).to.deep.equal(['artists:read', 'spikes:read']);
    const limits = [
      limitAfter(5, 3),
      limitAfter(0, 3),
      limitAfter('default', 3),
      limitAfter(undefined, 3),
    ];
    expect(limits).to.deep.equal([5, 0, undefined, 3]);
  });

  it('read an expiry: a duration, a day in UTC until 2099, or never', () => {
    const at = Date.parse('2026-08-22T12:00:00Z');
    const read = ['never', '12h', '2026-08-23'].map((text) => readExpiry(text)(at));
    expect(read).to.deep.equal([undefined, at + 43_200_000, at + 43_200_000]);
    expect(() => readExpiry('2026-08-22')(at)).to.throw(UsageError, '2026-08-22 has already begun');
    expect(readExpiry('2099-12-31')(at)).to.equal(Date.parse('2099-12-31'));
    for (const late of ['2100-01-01', '99999d'])
      expect(() => readExpiry(late)(at)).to.throw(
        UsageError,
        `${late} is too late: a key expires in 2099 at the latest, or never.`,
      );
  });

  it('read ids, and reject a key without repeating it', () => {
    const { text } = buildKey({ id: 'abc123' });
    expect(readKeyId('abc123')).to.equal('abc123');
    for (const read of [readKeyId, readSubjectName]) {
      expect(() => read(text)).to.throw('Refer to the key by its id, abc123.');
      expect(() => read(text)).not.to.throw(text);
    }
    for (const stored of [text, `see ${text}.`, `key=${text.slice(0, 20)}`, `x${text}`]) {
      expect(() => readName(stored), stored).to.throw(
        'Never store the text of a key: refer to it by its id, abc123.',
      );
    }
    expect(organizationIdError('acme-2.eu')).to.equal(undefined);
    for (const id of ['', '-a', 'a b', 'a}b', 'x'.repeat(65)])
      expect(organizationIdError(id), id).to.include('begin with a letter or digit');
  });
});
