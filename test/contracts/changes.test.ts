import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { type Change, compareContracts } from '../../tools/contracts/changes.ts';
import { contractOf } from '../support/contract.ts';

/** A part of a JSON document that a test changes. */
type Part = Record<string, unknown>;

const part = (document: unknown, ...path: readonly string[]): Part =>
  // a document that this test wrote
  path.reduce((inner, name) => (inner as Record<string, Part>)[name] ?? {}, document as Part);

const artists = ['paths', '/api/v1/artists', 'get'];
const artist = ['components', 'schemas', 'Artist'];

const current: unknown = JSON.parse(JSON.stringify(contractOf(forms[0])));

/** The changes that are found after `change` edits the current form's contract. */
const changesOf = (change: (contract: unknown) => void): readonly Change[] => {
  const after: unknown = structuredClone(current);
  change(after);
  return compareContracts(current, after);
};

const parameters = (contract: unknown): Part[] =>
  part(contract, ...artists)['parameters'] as Part[]; // a list in every contract

const setLimit = (keywords: Part) => (contract: unknown) => {
  const limit = parameters(contract).find(({ name }) => name === 'limit');
  Object.assign(part(limit, 'schema'), keywords);
};

const setName = (keywords: Part) => (contract: unknown) =>
  Object.assign(part(contract, ...artist, 'properties', 'name'), keywords);

const breaking: Readonly<Record<string, (contract: unknown) => unknown>> = {
  'a removed path': (contract) => delete part(contract, 'paths')['/api/v1/added'],
  'a removed parameter': (contract) => parameters(contract).splice(0, 1),
  'a parameter that became required': (contract) =>
    Object.assign(parameters(contract)[0] ?? {}, { required: true }),
  'an added required parameter': (contract) =>
    parameters(contract).push({ name: 'genre', in: 'query', required: true }),
  'a narrower range': setLimit({ maximum: 50 }),
  'another default': setLimit({ default: 20 }),
  'a removed member': (contract) => delete part(contract, ...artist, 'properties')['name'],
  'a member that became optional': (contract) =>
    Object.assign(part(contract, ...artist), { required: ['id'] }),
  'a member of another type': setName({ type: 'number' }),
  'a member that became nullable': setName({ type: ['string', 'null'] }),
  'a removed status': (contract) => delete part(contract, ...artists, 'responses')['304'],
  'an added status': (contract) =>
    Object.assign(part(contract, ...artists, 'responses'), { '410': {} }),
  'a removed header': (contract) =>
    delete part(contract, ...artists, 'responses', '200', 'headers')['ETag'],
  'another choice of values': setName({ anyOf: [{ type: 'string' }, { type: 'number' }] }),
  'another operationId': (contract) =>
    Object.assign(part(contract, ...artists), { operationId: 'artists' }),
};

const compatible: typeof breaking = {
  'an added path': (contract) =>
    Object.assign(part(contract, 'paths'), { '/api/v1/labels': { get: {} } }),
  'an added optional parameter': (contract) =>
    parameters(contract).push({ name: 'genre', in: 'query' }),
  'another tag': (contract) => Object.assign(part(contract, ...artists), { tags: ['Music'] }),
  'a wider range': setLimit({ maximum: 500 }),
  'an added member': (contract) =>
    Object.assign(part(contract, ...artist, 'properties'), { age: { type: 'integer' } }),
};

describe('contract changes', () => {
  it('are none for a changed summary', () => {
    expect(
      changesOf((contract) => Object.assign(part(contract, ...artists), { summary: 'Others' })),
    ).to.deep.equal([]);
  });

  it('see another name of a schema, and none in a schema that is new', () => {
    const renamed = JSON.parse(
      JSON.stringify(current).replaceAll(/"((?:[^"]*\/)?)Engine"/g, '"$1SignalEngine"'),
    );
    expect(compareContracts(current, renamed)).to.deep.equal([
      { where: 'schema Engine', what: 'was removed', breaks: true },
    ]);
  });

  for (const [isBreaking, cases] of [
    [true, breaking],
    [false, compatible],
  ] as const)
    for (const [name, change] of Object.entries(cases))
      it(`${isBreaking ? 'break clients' : 'are compatible'}: ${name}`, () => {
        const changes = changesOf(change);
        expect(changes).to.not.deep.equal([]);
        expect(changes.some(({ breaks }) => breaks)).to.equal(isBreaking);
      });

  it('see what a schema that is only one of a choice no longer has', () => {
    const variant = contractOf(forms[1]);
    const after: unknown = structuredClone(variant);
    delete part(after, 'components', 'schemas', 'CurrentErrorDetail', 'properties')['code'];
    expect(compareContracts(variant, after).some(({ breaks }) => breaks)).to.equal(true);
  });
});
