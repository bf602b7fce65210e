import { z } from 'zod';
import { type Form, route } from '../../../adapters/forms/form.ts';
import type { FormContract } from '../../../adapters/forms/form-contract.ts';
import type { ArtistsQuestion } from '../../../src/catalogue/questions.ts';
import type { Artist } from '../../../src/domain/model.ts';
import { Problem } from '../../../src/domain/problem.ts';

/**
 * A third form, as small as a form can be: another envelope, another error shape, another quota, other parameter names. It
 * uses the interface of the product's forms, and no other code knows of it.
 */
const artistWire = z.strictObject({ key: z.string(), name: z.string() });

export const artistListWire = z.strictObject({ artists: z.array(artistWire), at: z.iso.datetime() });

export const errorWire = z.strictObject({ fault: z.strictObject({ kind: z.string(), text: z.string() }) });

const parameters = z.object({ first: z.coerce.number().int().min(1).max(50).default(10) });

const presentArtist = (artist: Artist): z.infer<typeof artistWire> => ({ key: artist.id, name: artist.name });

const parseRoster = (values: readonly string[]): ArtistsQuestion => {
  const parsed = parameters.safeParse({ first: values[0] });
  if (!parsed.success) throw new Problem('invalid-parameter', 'first must be a whole number from 1 to 50.');
  return { filters: {}, limit: parsed.data.first };
};

const contract: FormContract = {
  title: 'Artist Intelligence API, compact form',
  description: 'Names only.',
  tags: { Roster: 'The shortlist' },
  schemas: { Roster: artistListWire, Fault: errorWire },
  error: 'Fault',
  problems: {
    'invalid-parameter': 'The parameter cannot be used.',
    unauthorized: 'The key is not valid.',
    'window-spent': 'The quota of the minute is spent.',
  },
  headers: { counted: {}, read: {}, answered: {}, known: {} },
  limits: { minute: 3 },
  examples: {},
};

export const compactForm: Form = {
  name: 'compact',
  requiredScopes: ['artists:read'],
  announcesSunset: false,
  quotaSubject: 'key',
  artistIdentifier: 'id',
  routes: [
    route({
      path: '/api/v1/roster',
      access: 'artists:read',
      params: (query) => ({ question: parseRoster(query.values('first')), adjusted: [] }),
      ask: (catalogue, question, viewer) => catalogue.artists(question, viewer),
      present: ({ artists }, { generatedAt }) => ({ artists: artists.map(presentArtist), at: generatedAt }),
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
    'invalid-parameter': { status: 422, code: 'unusable' },
    'invalid-cursor': { status: 422, code: 'unusable' },
    unauthorized: { status: 401, code: 'who' },
    'insufficient-scope': { status: 403, code: 'not-yours' },
    'not-found': { status: 404, code: 'nothing-here' },
    'method-not-allowed': { status: 405, code: 'only-get' },
    'window-spent': { status: 420, code: 'slow-down' },
    'day-spent': { status: 420, code: 'slow-down' },
    unavailable: { status: 503, code: 'later' },
    bug: { status: 500, code: 'broken' },
  },
  presentProblem: (kind, text) => ({ fault: { kind, text } }),
  allowances: ({ key }) => [
    { window: 'minute', limit: 3, subject: `key:${key.id}`, header: 'X-RateLimit', refusal: 'window-spent' },
  ],
  conditional: false,
  rateLimitFields: false,
  helpLinks: false,
  refusesLongQueries: true,
  compressed: false,
  notices: () => ({}),
  contract,
};
