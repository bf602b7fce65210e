import type { Caller, KeyEnds } from '../../../src/domain/caller.ts';
import { type Form, type QuotaPolicy, route } from '../form.ts';
import { contract, limits, routes } from './contract.ts';
import { parseAdded, parseArtistId, parseArtists, parseSignings, parseSpikes } from './params.ts';
import {
  presentArtistDetail,
  presentArtists,
  presentHealth,
  presentProblem,
  presentSignings,
  presentSpikes,
} from './present.ts';
import { problems } from './problems.ts';

const allowances = ({ organization }: Caller): readonly QuotaPolicy[] => {
  const subject = `organization:${organization.id}`;
  return [
    {
      window: 'minute',
      limit: organization.perMinute ?? limits.minute,
      subject,
      header: 'X-RateLimit',
      refusal: 'window-spent',
    },
    {
      window: 'day',
      limit: organization.perDay ?? limits.day,
      subject,
      header: 'X-RateLimit-Day',
      refusal: 'day-spent',
    },
  ];
};

/** When an accepted key expires, in the format of `Sunset`. */
const notices = ({ expiresAt }: KeyEnds, isAccepted: boolean): Record<string, string> =>
  expiresAt === undefined || !isAccepted
    ? {}
    : { 'X-Key-Expires': new Date(expiresAt).toUTCString() };

/** The current form, for new partners. */
export const currentForm: Form<'current'> = {
  name: 'current',
  requiredScopes: [],
  defaultScopes: ['artists:read', 'spikes:read', 'signings:read'],
  announcesSunset: false,
  quotaSubject: 'organization',
  artistIdentifier: 'id',
  routes: [
    { path: '/api/v1/health', access: 'public', present: presentHealth, contract: routes.health },
    route({
      path: '/api/v1/artists',
      access: 'artists:read',
      params: parseArtists,
      run: (catalogue, query, viewer) => catalogue.artists(query, viewer),
      present: presentArtists,
      contract: routes.artists,
    }),
    route({
      path: '/api/v1/artists/:id',
      access: 'artists:read',
      params: parseArtistId,
      run: (catalogue, query, viewer) => catalogue.artist(query, viewer),
      present: presentArtistDetail,
      contract: routes.artist,
    }),
    route({
      path: '/api/v1/added',
      access: 'artists:read',
      params: parseAdded,
      run: (catalogue, query, viewer) => catalogue.added(query, viewer),
      present: presentArtists,
      contract: routes.added,
    }),
    route({
      path: '/api/v1/spikes',
      access: 'spikes:read',
      params: parseSpikes,
      run: (catalogue, query, viewer) => catalogue.spikes(query, viewer),
      present: presentSpikes,
      contract: routes.spikes,
    }),
    route({
      path: '/api/v1/signings',
      access: 'signings:read',
      params: parseSignings,
      run: (catalogue, _query, viewer) => catalogue.signings(viewer),
      present: presentSignings,
      contract: routes.signings,
    }),
  ],
  problems,
  presentProblem,
  allowances,
  conditional: true,
  rateLimitFields: true,
  helpLinks: true,
  refusesLongQueries: true,
  compressed: true,
  notices,
  contract,
};
