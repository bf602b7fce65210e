import type { Caller, KeyEnds } from '../../../src/domain/caller.ts';
import { type Form, type QuotaPolicy, route } from '../form.ts';
import { contract, limits, routes } from './contract.ts';
import { parseArtists, parseSignings, parseSpikes } from './params.ts';
import {
  presentArtists,
  presentBasicArtists,
  presentHealth,
  presentProblem,
  presentSignings,
  presentSpikes,
} from './present.ts';
import { problems } from './problems.ts';

const allowances = ({ key }: Caller): readonly QuotaPolicy[] => [
  {
    window: 'hour',
    limit: key.perHour ?? limits.hour,
    subject: `key:${key.id}`,
    header: 'X-RateLimit',
    refusal: 'window-spent',
  },
];

/**
 * For a key with a deprecation or a sunset: when this form is deprecated (RFC 9745) and when it
 * ends (RFC 8594). The deprecation is never after the end, even if the stored deprecation is.
 */
const notices = ({ sunset, deprecatedAt }: KeyEnds): Record<string, string> => {
  if (sunset === undefined && deprecatedAt === undefined) return {};
  const end = sunset === undefined ? Number.POSITIVE_INFINITY : Date.parse(sunset);
  return {
    ...(deprecatedAt === undefined
      ? {}
      : { Deprecation: `@${Math.floor(Math.min(deprecatedAt, end) / 1000)}` }),
    Link: ['deprecation', ...(sunset === undefined ? [] : ['sunset'])]
      .map((relation) => `</docs/migration>; rel="${relation}"`)
      .join(', '),
    ...(sunset === undefined ? {} : { Sunset: new Date(end).toUTCString() }),
  };
};

/** The variant form, for partners pinned to it by their key. */
export const variantForm: Form<'variant'> = {
  name: 'variant',
  // All three read scopes: this form has no error for a missing scope.
  requiredScopes: ['artists:read', 'spikes:read', 'signings:read'],
  defaultScopes: ['artists:read', 'spikes:read', 'signings:read', 'editorial:read'],
  announcesSunset: true,
  quotaSubject: 'key',
  artistIdentifier: 'documentId',
  counterparts: new Map([['/api/v1/added', '/api/v1/artists?new=']]),
  routes: [
    { path: '/api/v1/health', access: 'public', present: presentHealth, contract: routes.health },
    route({
      path: '/api/v1/artists',
      access: 'artists:read',
      params: parseArtists,
      run: (catalogue, query, viewer) => ({
        fields: query.fields,
        ...catalogue.artists(query, viewer),
      }),
      present: (result, meta) =>
        result.fields === 'basic'
          ? presentBasicArtists(result, meta)
          : presentArtists(result, meta),
      contract: routes.artists,
    }),
    route({
      path: '/api/v1/spikes',
      access: 'spikes:read',
      params: parseSpikes,
      async run(catalogue, { days, nothing }, viewer) {
        const result = await catalogue.spikes({ days }, viewer);
        return nothing ? { ...result, spikes: [] } : result;
      },
      present: presentSpikes,
      contract: routes.spikes,
    }),
    route({
      path: '/api/v1/signings',
      access: 'signings:read',
      params: parseSignings,
      run: (catalogue, { nothing }, viewer) => {
        const result = catalogue.signings(viewer);
        return nothing ? { ...result, signings: [] } : result;
      },
      present: presentSignings,
      contract: routes.signings,
    }),
  ],
  problems,
  presentProblem,
  allowances,
  conditional: false,
  rateLimitFields: false,
  helpLinks: false,
  refusesLongQueries: false,
  compressed: false,
  notices,
  contract,
};
