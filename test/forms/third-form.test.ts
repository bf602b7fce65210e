import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { z } from 'zod';
import { type Form, route } from '../../adapters/forms/form.ts';
import type { FormContract } from '../../adapters/forms/form-contract.ts';
import { formNames, forms } from '../../adapters/forms/forms.ts';
import { createReference } from '../../adapters/reference/handler.ts';
import type { ArtistsQuestion } from '../../src/catalogue/questions.ts';
import type { Artist } from '../../src/domain/model.ts';
import { openApiPath } from '../../src/domain/path-template.ts';
import { Problem } from '../../src/domain/problem.ts';
import { buildKey, keySourceOf } from '../support/builders.ts';
import { createTestGateway, getDecoded } from '../support/gateway.ts';
import { referenceOptions } from '../support/reference.ts';

/**
 * A third form, as small as a form can be: another envelope, another error shape, another quota,
 * other parameter names. It uses the interface of the product's forms, and no other code knows of
 * it.
 */
const artistWire = z.strictObject({ key: z.string(), name: z.string() });

const artistListWire = z.strictObject({ artists: z.array(artistWire), at: z.iso.datetime() });

const errorWire = z.strictObject({ fault: z.strictObject({ kind: z.string(), text: z.string() }) });

const parameters = z.object({ first: z.coerce.number().int().min(1).max(50).default(10) });

const presentArtist = (artist: Artist): z.infer<typeof artistWire> => ({
  key: artist.id,
  name: artist.name,
});

const parseRoster = (values: readonly string[]): ArtistsQuestion => {
  const parsed = parameters.safeParse({ first: values[0] });
  if (!parsed.success)
    throw new Problem('invalid-parameter', 'first must be a whole number from 1 to 50.');
  return { filters: {}, limit: parsed.data.first };
};

const contract: FormContract = {
  title: 'Artist Intelligence API, compact form',
  description: 'Names only.',
  tags: { Roster: 'The shortlist' },
  schemas: { Roster: artistListWire, Fault: errorWire },
  errors: ['Fault'],
  headers: { counted: {}, read: {}, answered: {}, known: {} },
  limits: { minute: 3 },
  examples: {},
};

const compactForm: Form = {
  name: 'compact',
  requiredScopes: ['artists:read'],
  defaultScopes: ['artists:read'],
  announcesSunset: false,
  quotaSubject: 'key',
  artistIdentifier: 'id',
  routes: [
    route({
      path: '/api/v1/roster',
      access: 'artists:read',
      params: (query) => ({ question: parseRoster(query.values('first')), adjusted: [] }),
      ask: (catalogue, question, viewer) => catalogue.artists(question, viewer),
      present: ({ artists }, { generatedAt }) => ({
        artists: artists.map(presentArtist),
        at: generatedAt,
      }),
      contract: {
        operationId: 'listRoster',
        tag: 'Roster',
        summary: 'List names',
        description: 'The artists added last.',
        query: parameters,
        success: ['Roster', 'The names.'],
        raises: ['invalid-parameter'],
        examples: {},
      },
    }),
  ],
  problems: {
    'invalid-parameter': { status: 422, code: 'unusable', text: 'The parameter cannot be used.' },
    'invalid-cursor': { status: 422, code: 'unusable' },
    unauthorized: { status: 401, code: 'who', text: 'The key is not valid.' },
    'insufficient-scope': { status: 403, code: 'not-yours' },
    'not-found': { status: 404, code: 'nothing-here' },
    'method-not-allowed': { status: 405, code: 'only-get' },
    'window-spent': {
      status: 420,
      code: 'slow-down',
      text: 'The quota of the minute is spent.',
      retryAfter: true,
    },
    'day-spent': { status: 420, code: 'slow-down' },
    unavailable: { status: 503, code: 'later', retryAfter: true },
    bug: { status: 500, code: 'broken' },
  },
  presentProblem: (kind, text) => ({ fault: { kind, text } }),
  allowances: ({ key }) => [
    {
      window: 'minute',
      limit: 3,
      subject: `key:${key.id}`,
      header: 'X-RateLimit',
      refusal: 'window-spent',
    },
  ],
  conditional: false,
  rateLimitFields: false,
  helpLinks: false,
  refusesLongQueries: true,
  compressed: false,
  notices: () => ({}),
  contract,
};

const key = buildKey({ id: 'cmp', form: 'compact' });

/** A gateway that serves a third form beside the two of the product; no other code knows of it. */
const openThreeForms = async () => {
  const all = [...forms, compactForm] as const;
  const { handle: reference } = createReference(all, referenceOptions);
  const keys = keySourceOf([key]);
  const { port, log } = await createTestGateway({ forms: all, reference, keys });
  const ask = (path: string, text?: string) => getDecoded(port, path, text);
  return { ask, log, get: (path: string, text = key.text) => ask(path, text) };
};

describe('a third form', () => {
  it('is served when it is in the list: each folder of forms is', () => {
    const folders = readdirSync('adapters/forms', { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    const names = folders.map(({ name }) => name);
    expect(names, 'adapters/forms/forms.ts').to.have.members([...formNames]);
  });

  it('answers in its own envelope, and names itself in X-Envelope-Served', async () => {
    const { get, log } = await openThreeForms();
    const { status, headers, body } = await get('/api/v1/roster?first=2');
    expect([status, headers['x-envelope-served']]).to.deep.equal([200, 'compact']);
    expect(artistListWire.parse(body).artists.map(({ name }) => name)).to.have.lengthOf(2);
    expect(log.entries.at(-1)?.facts).to.include({
      form: 'compact',
      route: '/api/v1/roster',
      status: 200,
    });
  });

  for (const [what, path, status, code] of [
    ['a bad parameter', '/api/v1/roster?first=many', 422, 'unusable'],
    ['a path of another form', '/api/v1/artists', 404, 'nothing-here'],
  ] as const) {
    it(`answers ${status} in its own error shape to ${what}`, async () => {
      const { get } = await openThreeForms();
      const response = await get(path);
      expect(response.status).to.equal(status);
      expect(errorWire.parse(response.body).fault.kind).to.equal(code);
    });
  }

  it('counts its own quota: three a minute for each key, then 420 until the minute ends', async () => {
    const { get } = await openThreeForms();
    const statuses: number[] = [];
    for (let request = 0; request < 4; request += 1)
      statuses.push((await get('/api/v1/roster')).status);
    expect(statuses).to.deep.equal([200, 200, 200, 420]);
    const refused = await get('/api/v1/roster');
    expect(refused.headers).to.include({ 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': '0' });
    expect(Number(refused.headers['retry-after'])).to.be.within(1, 60);
    expect(errorWire.parse(refused.body).fault.kind).to.equal('slow-down');
  });

  it('has a contract made from its declaration, and a place on the page', async () => {
    const { ask } = await openThreeForms();
    const contract = await ask('/openapi.compact.json');
    expect(contract.status).to.equal(200);
    expect(Object.keys(contract.body.paths)).to.deep.equal(
      compactForm.routes.map(({ path }) => openApiPath(path)),
    );
    expect(Object.keys(contract.body.paths['/api/v1/roster'].get.responses)).to.include.members([
      '200',
      '422',
      '420',
    ]);
    expect(contract.body.components.headers['X-Envelope-Served'].schema.enum).to.deep.equal([
      'compact',
    ]);
    const page = await ask('/docs');
    expect(page.text).to.include('id="compact"').and.include('/openapi.compact.json');
  });
});
