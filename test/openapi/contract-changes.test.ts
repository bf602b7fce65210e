import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { contractOf } from '../support/contract.ts';
import { type Change, compareContracts } from '../support/contract-changes.ts';

/** A part of a JSON document that a test changes. */
type Part = Record<string, unknown>;

const part = (document: unknown, ...path: readonly string[]): Part =>
  path.reduce((inner, name) => (inner as Record<string, Part>)[name] ?? {}, document as Part); // a test's own document

const artists = ['paths', '/api/v1/artists', 'get'];
const artist = ['components', 'schemas', 'Artist'];

/** What changing the current form's contract is called. */
const changesOf = (change: (contract: unknown) => void): readonly Change[] => {
  const before: unknown = JSON.parse(JSON.stringify(contractOf(forms[0])));
  const after: unknown = structuredClone(before);
  change(after);
  return compareContracts(before, after);
};

const parameter = (contract: unknown, place: number): Part => {
  const { parameters } = part(contract, ...artists);
  return (parameters as Part[])[place] ?? {}; // a list in every contract
};

const cases: readonly (readonly [string, boolean, (contract: unknown) => void])[] = [
  ['a path that is gone', true, (contract) => delete part(contract, 'paths')['/api/v1/added']],
  [
    'a path that is added',
    false,
    (contract) => Object.assign(part(contract, 'paths'), { '/api/v1/labels': { get: {} } }),
  ],
  ['a parameter that is gone', true, (contract) => (part(contract, ...artists)['parameters'] as Part[]).splice(0, 1)],
  [
    'an optional parameter that is added',
    false,
    (contract) => (part(contract, ...artists)['parameters'] as Part[]).push({ name: 'genre', in: 'query' }),
  ],
  ['a parameter that is needed now', true, (contract) => Object.assign(parameter(contract, 0), { required: true })],
  [
    'a range that is narrower',
    true,
    (contract) => Object.assign(part(parameter(contract, 5), 'schema'), { maximum: 50 }),
  ],
  [
    'a range that is wider',
    false,
    (contract) => Object.assign(part(parameter(contract, 5), 'schema'), { maximum: 500 }),
  ],
  ['another default', true, (contract) => Object.assign(part(parameter(contract, 5), 'schema'), { default: 20 })],
  ['a member that is gone', true, (contract) => delete part(contract, ...artist, 'properties')['name']],
  [
    'a member that is added',
    false,
    (contract) => Object.assign(part(contract, ...artist, 'properties'), { age: { type: 'integer' } }),
  ],
  [
    'a member that may be missing now',
    true,
    (contract) => Object.assign(part(contract, ...artist), { required: ['id'] }),
  ],
  [
    'a member of another type',
    true,
    (contract) => Object.assign(part(contract, ...artist, 'properties', 'name'), { type: 'number' }),
  ],
  [
    'a member that may be null now',
    true,
    (contract) => Object.assign(part(contract, ...artist, 'properties', 'name'), { type: ['string', 'null'] }),
  ],
  ['a status that is gone', true, (contract) => delete part(contract, ...artists, 'responses')['304']],
  ['a status that is added', true, (contract) => Object.assign(part(contract, ...artists, 'responses'), { '410': {} })],
  [
    'a header that is gone',
    true,
    (contract) => delete part(contract, ...artists, 'responses', '200', 'headers')['ETag'],
  ],
  [
    'another name of an operation',
    true,
    (contract) => Object.assign(part(contract, ...artists), { operationId: 'artists' }),
  ],
];

describe('changes of a contract', () => {
  it('are none between equal contracts, or when only words change', () => {
    expect(changesOf(() => {})).to.deep.equal([]);
    expect(changesOf((contract) => Object.assign(part(contract, ...artists), { summary: 'Others' }))).to.deep.equal([]);
  });

  for (const [name, breaks, change] of cases) {
    it(`${breaks ? 'break clients' : 'are compatible'}: ${name}`, () => {
      const changes = changesOf(change);
      expect(changes).to.not.deep.equal([]);
      expect(changes.some((found) => found.breaks)).to.equal(breaks);
    });
  }
});
