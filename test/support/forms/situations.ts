import type { Scope } from '../../../src/domain/caller.ts';
import type { Artist } from '../../../src/domain/model.ts';
import type { ComparedForm } from '../../../tools/migration/mapping/forms.ts';
import { buildArtist, buildKey, keySourceOf, type TestKey } from '../builders.ts';
import { createTestGateway, type TestGateway, type TestGatewayOptions } from '../gateway.ts';
import type { RawRequest } from '../raw.ts';
import { createTestSource } from '../source.ts';
import { deadCatalogue, deadHistory, deadKeys, deadQuotas } from './dead-stores.ts';
import { type ErrorName, formExpectations } from './form-expectations.ts';
import { keys, unissuedKey } from './form-keys.ts';

/** A request, and what is expected of its response. */
export interface ExpectedRequest extends RawRequest {
  readonly outcome: ErrorName | 'success' | 'not modified' | 'invalid' | 'too long';
  /** The form of the answer. */
  readonly served: ComparedForm;
  /** The key that is sent; `undefined` if the gateway cannot know its owner. */
  readonly key: TestKey | undefined;
  readonly text?: string;
  /** `undefined` if it uses no quota. */
  readonly quota?: 'granted' | 'refused' | undefined;
  readonly isAdjusted?: boolean;
}

/** A gateway in some state, and requests to it in their order. */
interface Situation {
  readonly open: (options: TestGatewayOptions) => Promise<TestGateway>;
  readonly requests: readonly ExpectedRequest[];
}

/** Input of a client that no log line may repeat; a possible `X-Request-Id`. */
export const clientText = '11111111-1111-4111-8111-111111111111';

/** An artist that no form can present. */
export const brokenArtist: Artist = {
  ...buildArtist(),
  get links(): never {
    throw new TypeError('links are broken');
  },
};

/** Opens a gateway whose sources are this old (milliseconds), except the refreshed one. */
const openAfter =
  (milliseconds: number, refreshed: 'keys' | 'catalogue') =>
  async (options: TestGatewayOptions) => {
    const opened = await createTestGateway(options);
    opened.clock.advance(milliseconds);
    await opened.gateway[refreshed].refresh();
    return opened;
  };

const openWith =
  (given: TestGatewayOptions) =>
  (options: TestGatewayOptions): Promise<TestGateway> =>
    createTestGateway({ ...options, ...given });

const tooLong = `/api/v1/artists?${clientText}=${'a'.repeat(2049)}`;
const granted = 'granted';
const kept = { quota: granted } as const;
const stranger = { key: undefined, served: 'current' } as const;

/** Responses that need the store of histories. */
const hasHistory = /include=history|artists\/art_/;

/** At least one for each route of a form. A HEAD has no body to check. */
const methods = 'OPTIONS POST PUT PATCH DELETE PROPFIND TRACE QUERY PURGE'.split(' ');

const asking =
  (form: ComparedForm) =>
  (
    path: string,
    outcome: ExpectedRequest['outcome'],
    given: Partial<ExpectedRequest> = {},
  ): ExpectedRequest => ({
    ...{ path: `/api/v1${path}`, outcome, served: form, key: keys[form].full },
    ...given,
  });

/** A 403 uses quota; the 401 of the variant form does not. */
const keptIn = (served: ComparedForm) =>
  ({ served, quota: served === 'current' ? granted : undefined }) as const;

/**
 * Requests that fail several checks. The checks run in the order path, method, key, freshness of
 * the data, quota, scope, parameters, record; the first that fails decides the answer.
 */
const failingTwice = (form: ComparedForm): readonly Situation[] => {
  const ask = asking(form);
  const { full, revoked, noSpikes, noArtists } = keys[form];
  const key = buildKey({ form, scopes: [], perHour: 0 });
  const spent = { keys: keySourceOf([key], { perMinute: 0, perDay: 9 }) };
  const inTurn = (given: TestGatewayOptions, ...requests: readonly ExpectedRequest[]) => ({
    ...{ open: openWith(given), requests },
  });
  return [
    inTurn(
      {},
      ask('/labels', 'notFound', { ...stranger, text: '', method: 'POST' }),
      ask('/spikes', 'method', { key: revoked, method: 'POST' }),
      ask('/spikes?days=no', 'scope', { ...keptIn(form), key: noSpikes }),
      ask('/artists?id=nobody', 'scope', { ...keptIn(form), key: noArtists }),
    ),
    inTurn({ keys: deadKeys }, ask('/labels', 'notFound', { ...stranger, text: full.text })),
    inTurn(
      { source: deadCatalogue, quotas: deadQuotas },
      ask('/spikes', 'method', { method: 'PUT' }),
      ask('/spikes', 'unauthorized', { key: revoked }),
    ),
    inTurn({ quotas: deadQuotas }, ask('/spikes', 'unavailable', { key: noSpikes })),
    inTurn({ ...spent, source: deadCatalogue }, ask('/spikes', 'unavailable', { key })),
    inTurn(spent, ask('/spikes?days=no', 'windowSpent', { key, quota: 'refused' })),
  ];
};

/** Requests of every kind of response that a form can give, on every route that can give it. */
export const situationsOf = (form: ComparedForm): readonly Situation[] => {
  const { full, noticed, revoked, expired, suspended, noArtists, noSpikes, noSignings } =
    keys[form];
  const { routes, successes } = formExpectations[form];
  const other = form === 'current' ? 'variant' : 'current';
  const toOther = { headers: { 'X-Envelope': other } };
  const ask = asking(form);
  const everywhere = (
    outcome: ExpectedRequest['outcome'],
    given: Partial<ExpectedRequest> = {},
  ): ExpectedRequest[] => [
    ...successes.map(({ path }) => ({ ...ask('', outcome, given), path })),
    ask('/health?limit=0&%ff', 'success', { ...given, quota: undefined }),
  ];
  const keyWithout: Partial<Record<Scope, TestKey>> = {
    'artists:read': noArtists,
    'spikes:read': noSpikes,
  };
  const ofForm: Readonly<Record<ComparedForm, readonly ExpectedRequest[]>> = {
    current: [
      ask('', 'too long', { path: tooLong }),
      ask(`/artists?name=${clientText}`, 'success', kept),
      ask(`/artists/${clientText}`, 'notFound', kept),
      ...['limit', 'cursor'].map((name) => ask(`/artists?${name}=${clientText}`, 'invalid', kept)),
      ask(`/artists?api_key=${full.text}`, 'invalid', kept),
      ask('/artists', 'not modified', { ...kept, headers: { 'If-None-Match': '*' } }),
    ],
    variant: [
      ask('', 'success', { ...kept, path: tooLong, isAdjusted: true }),
      ask(`/spikes?days=0&${clientText}`, 'success', { ...kept, isAdjusted: true }),
      ask(`/artists?id=${clientText}`, 'notFound', kept),
      ask('/added?days=3', 'notFound'),
    ],
  };
  const { expiresAt, sunset, deprecatedAt } = noticed.record;
  /** Two requests with a key that may send one. */
  const spent = (
    outcome: 'windowSpent' | 'daySpent',
    quotas: { readonly perMinute: number; readonly perDay: number },
    pinned = form,
  ): Situation => {
    const isChosen = pinned !== form;
    const notices = { expiresAt, sunset, deprecatedAt };
    const key = buildKey({ form: pinned, perHour: 1, allowEnvelopeOverride: isChosen, ...notices });
    const sent = { key, ...(isChosen && { headers: { 'X-Envelope': form } }) };
    return {
      open: openWith({ keys: keySourceOf([key], quotas) }),
      requests: [
        ask('/signings', 'success', { ...kept, ...sent }),
        ask('/signings', outcome, { quota: 'refused', ...sent }),
      ],
    };
  };

  return [
    ...failingTwice(form),
    {
      open: createTestGateway,
      requests: [
        ...everywhere('success', kept),
        ...everywhere('success', { ...kept, key: noticed }),
        ask('/artists', 'success', { ...kept, ...toOther, key: noticed, served: other }),
        ask('/nothing', 'notFound', { key: noticed }),
        ...ofForm[form],
        ask(`/${clientText}`, 'notFound'),
        ...methods.map((method, index) => {
          const path = routes[index % routes.length]?.replace(':id', 'art_7rf1ly') ?? '';
          return ask('', 'method', { path, method });
        }),
        ...['', 'aik_bad', unissuedKey].flatMap((text) =>
          everywhere('unauthorized', { ...stranger, text }),
        ),
        ...[revoked, expired, suspended].flatMap((key) => everywhere('unauthorized', { key })),
        ...successes.map(({ path, scope }) => ({
          ...ask('', 'scope', { ...keptIn(form), key: keyWithout[scope] ?? noSignings }),
          path,
        })),
        ask('/spikes', 'scope', { ...keptIn(other), ...toOther, key: noSpikes }),
      ],
    },
    ...[
      openWith({ quotas: deadQuotas }),
      openWith({ source: deadCatalogue }),
      openAfter(900_001, 'keys'),
      openAfter(300_001, 'catalogue'),
    ].map((open) => ({ open, requests: everywhere('unavailable') })),
    {
      open: openWith({ keys: deadKeys }),
      requests: everywhere('unavailable', { ...stranger, text: full.text }),
    },
    spent('windowSpent', { perMinute: 1, perDay: 9 }),
    // Only the current form has a daily quota.
    spent('daySpent', { perMinute: 9, perDay: 1 }, 'current'),
    {
      open: openWith({ histories: deadHistory }),
      requests: everywhere('success', kept).map((request) =>
        hasHistory.test(request.path)
          ? { ...request, outcome: 'unavailable', quota: undefined }
          : request,
      ),
    },
    {
      open: openWith({ source: createTestSource({ artists: [brokenArtist] }) }),
      requests: [ask('/artists', 'bug')],
    },
  ];
};
