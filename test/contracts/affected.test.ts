import { expect } from 'chai';
import fc from 'fast-check';
import { forms } from '../../adapters/forms/forms.ts';
import { createParameterUses } from '../../adapters/forms/parameter-usage.ts';
import { readQuery, splitTarget } from '../../adapters/http/request-target.ts';
import { openApiPath } from '../../src/domain/path-template.ts';
import { sum } from '../../src/domain/quantities.ts';
import type { UsageCount } from '../../src/domain/usage.ts';
import { findAffectedKeys } from '../../tools/contracts/affected.ts';
import { at, type Change, compareContracts, fieldName } from '../../tools/contracts/changes.ts';
import { contractOf } from '../support/contract.ts';
import { buildUsageCount } from '../support/usage.ts';

/** A JSON object that a test changes. */
type Part = Record<string, unknown>;
const part = (document: unknown, ...path: readonly string[]): Part =>
  // a document that this test copied
  at(document, ...path) as Part;

/** A call that a program makes, and the status that it gets. */
interface Call {
  readonly path: string;
  readonly query: string;
  readonly status: number;
  readonly times: number;
}

interface Program {
  readonly calls: readonly Call[];
  readonly reads: ReadonlySet<string> | undefined;
}

const [, variant] = forms;
const contract: unknown = JSON.parse(JSON.stringify(contractOf(variant)));
const usesOf = createParameterUses(forms);
const artists = ['paths', '/api/v1/artists', 'get'];
const parameter = (document: unknown, name: string): Part => {
  const all = part(document, ...artists)['parameters'];
  if (!Array.isArray(all)) throw new Error('The contract lists no parameters.');
  return all.find((one) => at(one, 'name') === name);
};
const sends = (call: Call, name: string): boolean =>
  call.path === '/api/v1/artists' && new URLSearchParams(call.query).has(name);
const valueIn = (call: Call, name: string): string | null =>
  new URLSearchParams(call.query).get(name);
const onArtists = ({ path }: { readonly path?: string }): boolean => path === '/api/v1/artists';

/** A kind of change: how it is made, and which calls of a program notice it. */
interface Kind {
  readonly make: (document: unknown) => unknown;
  readonly notices: (call: Call, program: Program, change: Change) => boolean;
}

const fieldOf =
  (name: string) =>
  (call: Call, { reads }: Program) =>
    [200, 304].includes(call.status) && onArtists(call) && (reads?.has(name) ?? true);

const kinds: Readonly<Record<string, Kind>> = {
  'a removed path': {
    make: (document) => delete part(document, 'paths')['/api/v1/spikes'],
    notices: ({ path }) => path === '/api/v1/spikes',
  },
  'a removed parameter': {
    make: (document) =>
      Object.assign(part(document, ...artists), {
        parameters: [parameter(document, 'limit'), parameter(document, 'new')],
      }),
    notices: (call, _program, { parameter: name = '' }) => sends(call, name),
  },
  'a required parameter': {
    make: (document) => Object.assign(parameter(document, 'limit'), { required: true }),
    notices: (call) => onArtists(call) && !sends(call, 'limit'),
  },
  'another default': {
    make: (document) => Object.assign(part(parameter(document, 'limit'), 'schema'), { default: 3 }),
    notices: (call) => onArtists(call) && !sends(call, 'limit'),
  },
  'a smaller maximum': {
    make: (document) =>
      Object.assign(part(parameter(document, 'limit'), 'schema'), { maximum: 60 }),
    notices: (call) => sends(call, 'limit') && Number(valueIn(call, 'limit')) > 60,
  },
  'a larger minimum': {
    make: (document) => Object.assign(part(parameter(document, 'new'), 'schema'), { minimum: 5 }),
    notices: (call) => sends(call, 'new') && Number(valueIn(call, 'new')) < 5,
  },
  'a text of another pattern': {
    make: (document) =>
      Object.assign(part(parameter(document, 'id'), 'schema'), { pattern: '^[0-9]+$' }),
    notices: (call) => sends(call, 'id') && !/^[0-9]+$/.test(valueIn(call, 'id') ?? ''),
  },
  'a removed status': {
    make: (document) => delete part(document, ...artists, 'responses')['404'],
    notices: (call) => onArtists(call) && call.status === 404,
  },
  'an added status': {
    make: (document) => Object.assign(part(document, ...artists, 'responses'), { '410': {} }),
    notices: () => false,
  },
  'a removed header': {
    make: (document) =>
      delete part(document, ...artists, 'responses', '200', 'headers')['X-Params-Adjusted'],
    notices: () => false,
  },
  'a removed field': {
    make: (document) =>
      delete part(document, 'components', 'schemas', 'Artist', 'properties')['photo'],
    notices: fieldOf('artists.photo'),
  },
  'a field of another type': {
    make: (document) =>
      Object.assign(part(document, 'components', 'schemas', 'Artist', 'properties', 'tier'), {
        type: 'integer',
      }),
    notices: fieldOf('artists.tier'),
  },
};

const isOf = ({ path, query }: Call, other: Call): boolean =>
  path === other.path && query === other.query;

/** Usage as the gateway counts it. `calls` counts only some queries, as a busy day does. */
const usageOf = ({ calls }: Program, keepsCalls: boolean): readonly UsageCount[] =>
  calls.map(({ path, query, status, times }) => {
    const route = variant.routes.find((one) => openApiPath(one.path) === path);
    if (route === undefined) throw new Error(`${path} is no path of the variant form.`);
    const uses = usesOf(route, readQuery(splitTarget(`${path}?${query}`)), []);
    const kept = keepsCalls ? uses : uses.map((use) => (use.startsWith('?') ? '?…' : use));
    return buildUsageCount({
      route: route.path,
      status,
      requests: times,
      uses: Object.fromEntries(kept.map((use) => [use, times])),
    });
  });

const value = {
  limit: fc.integer({ min: 1, max: 200 }),
  new: fc.integer({ min: 1, max: 30 }),
  id: fc.constantFrom('66e0', '42'),
  tier: fc.constantFrom('watch', 'breaking'),
  fields: fc.constant('basic'),
};
const call: fc.Arbitrary<Call> = fc
  .record({
    path: fc.constantFrom(
      '/api/v1/artists',
      '/api/v1/artists',
      '/api/v1/spikes',
      '/api/v1/signings',
    ),
    query: fc.record(value, { requiredKeys: [] }),
    status: fc.constantFrom(200, 304, 404),
    times: fc.integer({ min: 1, max: 9 }),
  })
  .map(({ path, query, ...rest }) => ({
    ...rest,
    path,
    query: Object.entries(path === '/api/v1/artists' ? query : {})
      .map(([name, one]) => `${name}=${one}`)
      .join('&'),
  }));
const program: fc.Arbitrary<Program> = fc.record({
  calls: fc.uniqueArray(call, { maxLength: 5, comparator: isOf }),
  reads: fc.option(
    fc
      .subarray(['artists.photo', 'artists.tier', 'artists.name', 'count'])
      .map((names) => new Set(names)),
    { nil: undefined },
  ),
});

describe('keys that a changed contract affects', () => {
  for (const [name, { make, notices }] of Object.entries(kinds))
    it(`are told as a model of their programs has it: ${name}`, () => {
      const after: unknown = structuredClone(contract);
      make(after);
      const changes = compareContracts(contract, after).filter(({ breaks }) => breaks);
      const own = changes.filter(
        ({ path, field }) =>
          path === undefined || field === undefined || onArtists({ path: path ?? '' }),
      );
      expect(own).to.not.be.empty;
      fc.assert(
        fc.property(fc.array(program, { maxLength: 4 }), fc.boolean(), (programs, keepsCalls) => {
          const clients = programs.map((one, index) => ({
            key: `${index}`,
            counts: usageOf(one, keepsCalls),
            reads: one.reads,
          }));
          const found = own.flatMap((change) =>
            findAffectedKeys([change], clients).flatMap(({ keys }) =>
              keys.map((key) => ({ change, ...key })),
            ),
          );
          for (const { change, key, effect, requests } of found) {
            const one = programs[Number(key)] ?? { calls: [], reads: undefined };
            const isCalled = one.calls.some(({ path }) => path === change.path);
            const noticing = one.calls.filter((each) => notices(each, one, change));
            const isNoticed = noticing.length > 0;
            if (!isCalled) expect(effect).to.equal('not used');
            if (isNoticed) expect(effect).to.not.equal('not used');
            if (effect !== 'breaks') continue;
            expect(isNoticed, JSON.stringify(change)).to.equal(true);
            expect(requests).to.equal(sum(noticing.map(({ times }) => times)));
          }
        }),
        { numRuns: 40 },
      );
    });

  it('name a field as lists of fields do', () => {
    const named = (path: string, field: string): string => fieldName({ path, field });
    expect(named('/api/v1/artists', 'data[].songs[].name')).to.equal('artists.songs.name');
    expect(named('/api/v1/artists/{id}', 'data.name')).to.equal('artists.name');
    expect(named('/api/v1/signings', '_meta.labels_tracked')).to.equal('_meta.labels_tracked');
  });
});
