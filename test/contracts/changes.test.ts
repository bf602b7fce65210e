import { expect } from 'chai';
import fc from 'fast-check';
import { forms } from '../../adapters/forms/forms.ts';
import { createParameterUses } from '../../adapters/forms/parameter-usage.ts';
import { readQuery, splitTarget } from '../../adapters/http/request-target.ts';
import { openApiPath } from '../../src/domain/path-template.ts';
import { sum } from '../../src/domain/quantities.ts';
import { findAffectedKeys } from '../../tools/contracts/affected.ts';
import {
  at,
  type Change,
  compareContracts,
  describeChanges,
  fieldName,
} from '../../tools/contracts/changes.ts';
import { contractOf } from '../support/contract.ts';
import { buildUsageCount } from '../support/usage.ts';

type Part = Record<string, unknown>;
type Edit = (document: unknown) => unknown;

/** A part of a contract. Parameters have their names as keys. */
const part = (document: unknown, path: readonly string[]): Part => {
  const found = path.reduce<unknown>(
    (inner, key) =>
      Array.isArray(inner) ? inner.find((one) => at(one, 'name') === key) : at(inner, key),
    document,
  );
  return found as Part; // an object that this test copied
};
const assign =
  (path: readonly string[], values: unknown): Edit =>
  (document) =>
    Object.assign(part(document, path), values);
const remove =
  (path: readonly string[], key: string): Edit =>
  (document) =>
    delete part(document, path)[key];
const parametersOf = (document: unknown): unknown[] => {
  const all = at(document, ...artists, 'parameters');
  if (!Array.isArray(all)) throw new Error('The contract lists no parameters.');
  return all;
};

const path = '/api/v1/artists';
const artists = ['paths', path, 'get'];
const responses = [...artists, 'responses'];
const parameters = [...artists, 'parameters'];
const schemaOf = (name: string) => [...parameters, name, 'schema'];
const artist = ['components', 'schemas', 'Artist'];
const fields = [...artist, 'properties'];

/** A request that a program sends, and the status that it gets. */
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

/** True if a program notices a breaking change by a call. */
type Notices = (call: Call, program: Program, change: Change) => boolean;

const onArtists = (call: Call): boolean => call.path === path;
const valueIn = (call: Call, name: string): string | null =>
  onArtists(call) ? new URLSearchParams(call.query).get(name) : null;
const without =
  (name: string): Notices =>
  (call) =>
    onArtists(call) && valueIn(call, name) === null;
const withValue =
  (name: string, isNoticed: (value: string) => boolean): Notices =>
  (call) =>
    isNoticed(valueIn(call, name) ?? '') && valueIn(call, name) !== null;
const reading =
  (name: string): Notices =>
  (call, { reads }) =>
    [200, 304].includes(call.status) && onArtists(call) && (reads?.has(name) ?? true);
const never: Notices = () => false;

const breaking: readonly (readonly [change: string, Edit, Notices?])[] = [
  ['a removed path', remove(['paths'], '/api/v1/spikes'), (call) => call.path === '/api/v1/spikes'],
  [
    'removed parameters',
    (document) =>
      assign(artists, {
        parameters: [
          part(document, [...parameters, 'limit']),
          part(document, [...parameters, 'new']),
        ],
      })(document),
    (call, _program, { parameter = '' }) => valueIn(call, parameter) !== null,
  ],
  ['a required parameter', assign([...parameters, 'limit'], { required: true }), without('limit')],
  [
    'an added required parameter',
    (document) => parametersOf(document).push({ name: 'genre', in: 'query', required: true }),
  ],
  ['another default', assign(schemaOf('limit'), { default: 3 }), without('limit')],
  [
    'a smaller maximum',
    assign(schemaOf('limit'), { maximum: 60 }),
    withValue('limit', (limit) => Number(limit) > 60),
  ],
  [
    'a larger minimum',
    assign(schemaOf('new'), { minimum: 5 }),
    withValue('new', (days) => Number(days) < 5),
  ],
  [
    'another pattern',
    assign(schemaOf('id'), { pattern: '^[0-9]+$' }),
    withValue('id', (id) => !/^[0-9]+$/.test(id)),
  ],
  ['a removed status', remove(responses, '404'), (call) => onArtists(call) && call.status === 404],
  ['an added status', assign(responses, { '410': {} }), never],
  ['a removed header', remove([...responses, '200', 'headers'], 'X-Params-Adjusted'), never],
  ['a removed field', remove(fields, 'photo'), reading('artists.photo')],
  [
    'a field of another type',
    assign([...fields, 'tier'], { type: 'integer' }),
    reading('artists.tier'),
  ],
  ['a field that became optional', assign(artist, { required: ['id'] })],
  ['a field that became nullable', assign([...fields, 'name'], { type: ['string', 'null'] })],
  ['another operationId', assign(artists, { operationId: 'artists' })],
];

const compatible: readonly (readonly [change: string, Edit])[] = [
  ['an added path', assign(['paths'], { '/api/v1/labels': { get: {} } })],
  [
    'an added optional parameter',
    (document) => parametersOf(document).push({ name: 'genre', in: 'query' }),
  ],
  ['another tag', assign(artists, { tags: ['Music'] })],
  ['a wider range', assign(schemaOf('limit'), { maximum: 500 })],
  ['an added field', assign(fields, { age: { type: 'integer' } })],
];

const [, variant] = forms;
const contract: unknown = JSON.parse(JSON.stringify(contractOf(variant)));
const usesOf = createParameterUses(forms);

const changesOf = (edit: Edit): readonly Change[] => {
  const after: unknown = structuredClone(contract);
  edit(after);
  return compareContracts(contract, after);
};

/** Usage as the gateway counts it. `keepsCalls` is false on a day with too many queries. */
const usageOf = ({ calls }: Program, keepsCalls: boolean) =>
  calls.map((call) => {
    const route = variant.routes.find((one) => openApiPath(one.path) === call.path);
    if (route === undefined) throw new Error(`${call.path} is no path of the variant form.`);
    const uses = usesOf(route, readQuery(splitTarget(`${call.path}?${call.query}`)), []);
    const kept = keepsCalls ? uses : uses.map((use) => (use.startsWith('?') ? '?…' : use));
    return buildUsageCount({
      route: route.path,
      status: call.status,
      requests: call.times,
      uses: Object.fromEntries(kept.map((use) => [use, call.times])),
    });
  });

const query = fc.record(
  {
    limit: fc.integer({ min: 1, max: 200 }),
    new: fc.integer({ min: 1, max: 30 }),
    id: fc.constantFrom('66e0', '42'),
    tier: fc.constantFrom('watch', 'breaking'),
    fields: fc.constant('basic'),
  },
  { requiredKeys: [] },
);
const call: fc.Arbitrary<Call> = fc
  .record({
    path: fc.constantFrom(path, path, '/api/v1/spikes', '/api/v1/signings'),
    query,
    status: fc.constantFrom(200, 304, 404),
    times: fc.integer({ min: 1, max: 9 }),
  })
  .map((one) => ({
    ...one,
    query: Object.entries(one.path === path ? one.query : {})
      .map((entry) => entry.join('='))
      .join('&'),
  }));
const program: fc.Arbitrary<Program> = fc.record({
  calls: fc.uniqueArray(call, { maxLength: 5, selector: (one) => `${one.path}?${one.query}` }),
  reads: fc.option(
    fc
      .subarray(['artists.photo', 'artists.tier', 'artists.name', 'count'])
      .map((names) => new Set(names)),
    { nil: undefined },
  ),
});

describe('contract changes', () => {
  for (const [isBreaking, rows] of [
    [true, breaking],
    [false, compatible],
  ] as const)
    for (const [change, edit] of rows)
      it(`${isBreaking ? 'break clients' : 'are compatible'}: ${change}`, () => {
        const changes = changesOf(edit);
        expect(changes).to.not.be.empty;
        expect(changes.some(({ breaks }) => breaks)).to.equal(isBreaking);
      });

  for (const [change, edit, notices] of breaking)
    if (notices !== undefined)
      it(`name the affected keys as a model of their programs does: ${change}`, () => {
        const own = changesOf(edit).filter(
          (one) =>
            one.breaks && (one.path === undefined || one.field === undefined || one.path === path),
        );
        expect(own).to.not.be.empty;
        fc.assert(
          fc.property(fc.array(program, { maxLength: 4 }), fc.boolean(), (programs, keepsCalls) => {
            const clients = programs.map((one, index) => ({
              key: `${index}`,
              counts: usageOf(one, keepsCalls),
              reads: one.reads,
            }));
            for (const one of own)
              for (const { key, effect, requests } of findAffectedKeys([one], clients).flatMap(
                ({ keys }) => keys,
              )) {
                const client = programs[Number(key)] ?? { calls: [], reads: undefined };
                const noticing = client.calls.filter((each) => notices(each, client, one));
                const isNoticed = noticing.length > 0;
                if (!client.calls.some((each) => each.path === one.path))
                  expect(effect).to.equal('not used');
                if (isNoticed) expect(effect).to.not.equal('not used');
                if (effect !== 'breaks') continue;
                expect(isNoticed, JSON.stringify(one)).to.equal(true);
                expect(requests).to.equal(sum(noticing.map(({ times }) => times)));
              }
          }),
          { numRuns: 40 },
        );
      });

  it('name a field as lists of fields do', () => {
    for (const [where, field, name] of [
      [path, 'data[].songs[].name', 'artists.songs.name'],
      [`${path}/{id}`, 'data.name', 'artists.name'],
      ['/api/v1/signings', '_meta.labels_tracked', '_meta.labels_tracked'],
    ] as const)
      expect(fieldName({ path: where, field })).to.equal(name);
  });

  it('ignore summaries', () => {
    expect(changesOf(assign(artists, { summary: 'Others' }))).to.deep.equal([]);
  });

  it('list the old name of a renamed schema, and nothing inside of it', () => {
    const current = contractOf(forms[0]);
    const renamed = JSON.stringify(current).replaceAll(
      /"((?:[^"]*\/)?)Engine"/g,
      '"$1SignalEngine"',
    );
    expect(compareContracts(current, JSON.parse(renamed))).to.deep.equal([
      { where: 'schema Engine', what: 'was removed', breaks: true },
    ]);
  });

  it('are one line for a new code of many operations', () => {
    const errors = (codes: readonly string[]) => {
      const schema = { properties: { code: { type: 'string', enum: codes } } };
      const get = { responses: { 403: { content: { 'application/json': { schema } } } } };
      return { paths: { [path]: { get }, '/api/v1/added': { get } } };
    };
    const changes = compareContracts(errors(['a', 'b']), errors(['a', 'b', 'new']));
    expect(describeChanges(changes)).to.deep.equal([
      'BREAKS CLIENTS: GET /api/v1/artists 403.code and 1 more place: enum gained new',
    ]);
  });
});
