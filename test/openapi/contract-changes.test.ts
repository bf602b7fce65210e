import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { contractOf } from '../support/contract.ts';
import { type Change, compareContracts } from '../support/contract-changes.ts';

/** A part of a JSON document that a test changes. */
type Part = Record<string, unknown>;

const part = (document: unknown, ...path: readonly string[]): Part =>
  path.reduce((inner, name) => (inner as Record<string, Part>)[name] ?? {}, document as Part); // a document that this test wrote

const artists = ['paths', '/api/v1/artists', 'get'];
const artist = ['components', 'schemas', 'Artist'];

/** The changes that are found after `change` edits the current form's contract. */
const changesOf = (change: (contract: unknown) => void): readonly Change[] => {
  const before: unknown = JSON.parse(JSON.stringify(contractOf(forms[0])));
  const after: unknown = structuredClone(before);
  change(after);
  return compareContracts(before, after);
};

const parameter = (contract: unknown, index: number): Part => {
  const { parameters } = part(contract, ...artists);
  return (parameters as Part[])[index] ?? {}; // a list in every contract
};

const cases: readonly (readonly [string, boolean, (contract: unknown) => void])[] = [
  ['a removed path', true, (contract) => delete part(contract, 'paths')['/api/v1/added']],
  ['an added path', false, (contract) => Object.assign(part(contract, 'paths'), { '/api/v1/labels': { get: {} } })],
  ['a removed parameter', true, (contract) => (part(contract, ...artists)['parameters'] as Part[]).splice(0, 1)],
  [
    'an added optional parameter',
    false,
    (contract) => (part(contract, ...artists)['parameters'] as Part[]).push({ name: 'genre', in: 'query' }),
  ],
  ['a parameter that became required', true, (contract) => Object.assign(parameter(contract, 0), { required: true })],
  ['a narrower range', true, (contract) => Object.assign(part(parameter(contract, 5), 'schema'), { maximum: 50 })],
  ['a wider range', false, (contract) => Object.assign(part(parameter(contract, 5), 'schema'), { maximum: 500 })],
  ['another default', true, (contract) => Object.assign(part(parameter(contract, 5), 'schema'), { default: 20 })],
  ['a removed member', true, (contract) => delete part(contract, ...artist, 'properties')['name']],
  [
    'an added member',
    false,
    (contract) => Object.assign(part(contract, ...artist, 'properties'), { age: { type: 'integer' } }),
  ],
  ['a member that became optional', true, (contract) => Object.assign(part(contract, ...artist), { required: ['id'] })],
  [
    'a member of another type',
    true,
    (contract) => Object.assign(part(contract, ...artist, 'properties', 'name'), { type: 'number' }),
  ],
  [
    'a member that became nullable',
    true,
    (contract) => Object.assign(part(contract, ...artist, 'properties', 'name'), { type: ['string', 'null'] }),
  ],
  ['a removed status', true, (contract) => delete part(contract, ...artists, 'responses')['304']],
  ['an added status', true, (contract) => Object.assign(part(contract, ...artists, 'responses'), { '410': {} })],
  ['a removed header', true, (contract) => delete part(contract, ...artists, 'responses', '200', 'headers')['ETag']],
  ['another operationId', true, (contract) => Object.assign(part(contract, ...artists), { operationId: 'artists' })],
];

describe('contract changes', () => {
  it('are none between equal contracts, and for a changed summary', () => {
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
