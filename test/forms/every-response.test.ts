import { expect } from 'chai';
import type { ProblemEntry } from '../../adapters/forms/form.ts';
import { forms } from '../../adapters/forms/forms.ts';
import type { Scope } from '../../src/domain/caller.ts';
import type { Artist } from '../../src/domain/model.ts';
import type { UsageEvent } from '../../src/usage/counter.ts';
import type { ComparedForm } from '../../tools/migration/mapping/forms.ts';
import { buildArtist, buildKey, keySourceOf, type TestKey } from '../support/builders.ts';
import { requestId } from '../support/exchanges.ts';
import { deadCatalogue, deadHistory, deadKeys, deadQuotas } from '../support/forms/dead-stores.ts';
import { type ErrorName, formExpectations } from '../support/forms/form-expectations.ts';
import { keys, unissuedKey } from '../support/forms/form-keys.ts';
import {
  createTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from '../support/gateway.ts';
import type { LogEntry } from '../support/log.ts';
import type { RawReply, RawRequest } from '../support/raw.ts';
import { createTestSource } from '../support/source.ts';
import { until } from '../support/wait.ts';

/** A request, and what is expected of its response. */
interface ExpectedRequest extends RawRequest {
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
const clientText = '11111111-1111-4111-8111-111111111111';

/** An artist that no form can present. */
const brokenArtist: Artist = {
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
const situationsOf = (form: ComparedForm): readonly Situation[] => {
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

/** A response, and its traces in the gateway. */
interface CollectedReply extends ExpectedRequest {
  readonly name: string;
  readonly reply: RawReply;
  readonly log: readonly LogEntry[];
  readonly usage: readonly UsageEvent[];
  /** Units of each window of the key's form, shortest first. */
  readonly units: readonly number[];
}

/** The used units of each window; 0 if the quota store is down. */
const unitsUsed = (
  { gateway }: TestGateway,
  served: ComparedForm,
  { key = keys[served].full }: ExpectedRequest,
) => {
  const { id, organizationId, form } = key.record;
  const windows = form === 'current' ? (['minute', 'day'] as const) : (['hour'] as const);
  const subject = form === 'current' ? `organization:${organizationId}` : `key:${id}`;
  const limit = Number.MAX_SAFE_INTEGER;
  return Promise.all(
    windows.map((window) =>
      gateway.quotas.read({ window, limit, subject }, Number.POSITIVE_INFINITY).then(
        ({ used }) => used,
        () => 0,
      ),
    ),
  );
};

/** Sends the requests of every situation of a form. */
const collectReplies = async (form: ComparedForm): Promise<readonly CollectedReply[]> => {
  const collected: CollectedReply[] = [];
  for (const { open, requests } of situationsOf(form)) {
    const usage: UsageEvent[] = [];
    const gateway = await open({
      usage: { count: (event) => void usage.push(event) },
    });
    const { entries } = gateway.log;
    for (const request of requests) {
      const { method, path, key, text = key?.text, outcome } = request;
      const before = {
        units: await unitsUsed(gateway, form, request),
        lines: entries.length,
        events: usage.length,
      };
      const headers = {
        ...request.headers,
        'X-Request-Id': clientText,
        'User-Agent': clientText,
        Origin: 'https://a.test',
      };
      const reply = await gateway.send(path, text === '' ? undefined : text, { method, headers });
      await until('it is logged', () =>
        entries.slice(before.lines).some(({ event }) => event === 'request'),
      );
      collected.push({
        ...request,
        name: `${method ?? 'GET'} ${path.slice(0, 60)}: ${outcome}`,
        reply,
        log: entries.slice(before.lines),
        usage: usage.slice(before.events),
        units: (await unitsUsed(gateway, form, request)).map(
          (used, index) => used - (before.units[index] ?? 0),
        ),
      });
    }
    await gateway.close();
  }
  return collected;
};

/** The template of the path, unless the query is too long for the form to look. */
const routeOf = ({ served, outcome, path }: CollectedReply): string | undefined => {
  const template = path.replace(/\?.*/, '').replace(/(artists)\/.+/, '$1/:id');
  return outcome === 'too long'
    ? undefined
    : formExpectations[served].routes.find((route) => route === template);
};

const isData = ({ outcome }: CollectedReply): boolean =>
  outcome === 'success' || outcome === 'not modified';

/** What a form tells of a known key; all keys with notices have these. */
const noticesOf = ({ served, key }: CollectedReply): Readonly<Record<string, string>> => {
  if (key?.record.sunset === undefined) return {};
  if (served === 'current') return { 'x-key-expires': 'Wed, 30 Jun 2027 12:00:00 GMT' };
  const link = '</docs/migration>; rel="deprecation", </docs/migration>; rel="sunset"';
  return { deprecation: '@1782820800', sunset: 'Wed, 30 Jun 2027 00:00:00 GMT', link };
};

/**
 * The test gateway holds each to the contract of its form: which headers it has and no other, and
 * which members may be null.
 */
for (const form of forms) {
  describe(`every response of the ${form.name} form`, () => {
    const { readError } = formExpectations[form.name];
    let replies: readonly CollectedReply[];
    before(async () => {
      replies = await collectReplies(form.name);
    });

    it('has the status, body and code of the form’s table', () => {
      for (const { name, path, served, outcome, reply } of replies) {
        expect(reply.text === '', name).to.equal(outcome === 'not modified');
        if (outcome === 'success' || outcome === 'not modified') {
          expect(reply.status, name).to.equal(outcome === 'success' ? 200 : 304);
          continue;
        }
        const { code, message } = formExpectations[served].readError(reply.text);
        expect(message, name).to.match(/^[A-Za-z].*\.$/);
        const invalid = {
          status: 400,
          code: path.includes('cursor') ? 'invalid_cursor' : 'invalid_parameter',
        };
        const tooLong = { status: 431, code: 'request_header_fields_too_large' };
        const table = { ...formExpectations[served].errors, invalid, 'too long': tooLong };
        expect({ status: reply.status, code }, name).to.deep.equal(table[outcome]);
        if (outcome === 'scope')
          expect(message, name).to.include(
            `${/spikes|signings/.exec(path)?.[0] ?? 'artists'}:read`,
          );
      }
    });

    it('has a request for each documented status and code', () => {
      const sent = replies
        .filter((request) => request.served === form.name && !isData(request))
        .map(({ reply }) => `${reply.status} ${readError(reply.text).code}`);
      const documented = Object.values<ProblemEntry>(form.problems)
        .filter(({ text }) => text !== undefined)
        .map(({ status, code }) => `${status} ${code}`);
      expect(sent).to.include.members(documented);
    });

    it('has headers for its form, caching and the notices of its key', () => {
      for (const request of replies) {
        const { name, served, quota, reply } = request;
        const isAnswer = quota !== undefined && isData(request);
        expect(reply.headers, name).to.deep.include({
          'x-envelope-served': served,
          ...noticesOf(request),
          vary: `Authorization, X-Envelope${isAnswer && served === 'current' ? ', Accept-Encoding' : ''}`,
          'cache-control': isAnswer ? 'private, no-cache' : 'no-store',
          ...(reply.status === 304 ? {} : { 'content-type': 'application/json; charset=utf-8' }),
        });
        expect(reply.headers['retry-after'] ?? '1', name).to.match(/^[1-9]\d*$/);
      }
    });

    it('has a new UUID in X-Request-Id, repeated in request_id, never the client’s', () => {
      const ids = replies.map(({ reply }) => reply.headers['x-request-id']);
      for (const id of ids) expect(id).to.match(requestId).and.not.equal(clientText);
      expect(new Set(ids).size).to.equal(ids.length);
      for (const { name, served, path, outcome, reply } of replies.filter(
        ({ reply }) => reply.text !== '',
      )) {
        const isShown =
          served === 'current' && !(outcome === 'success' && path.startsWith('/api/v1/health'));
        const [, shown] = /"request_id":"([^"]*)"/.exec(reply.text) ?? [];
        expect(shown, name).to.equal(isShown ? reply.headers['x-request-id'] : undefined);
      }
    });

    it('reveals no cause, stack or key in an error', () => {
      for (const { name, reply } of replies.filter((request) => !isData(request)))
        expect(reply.text, name).not.to.match(/store is down|links are broken|:\d+:\d+|aik_|Error/);
    });

    it('uses one unit of every window of its key’s form if it is counted', () => {
      for (const { name, quota, units } of replies)
        expect(units, name).to.deep.equal(units.map(() => (quota === 'granted' ? 1 : 0)));
    });

    it('logs one line, with its X-Request-Id and without input of the client', () => {
      for (const request of replies) {
        const { name, key, served: servedForm, reply, isAdjusted = false, log, usage } = request;
        const lines = log.filter(({ event }) => event === 'request');
        expect(lines, name).to.have.length(1);
        expect(lines[0]?.facts, name).to.deep.include({
          requestId: reply.headers['x-request-id'],
          key: key?.record.id,
          organization: key?.record.organizationId,
          form: servedForm,
          route: routeOf(request),
          status: reply.status,
          adjusted: isAdjusted,
        });
        expect(lines[0]?.facts).to.have.property('ms').that.is.a('number');
        expect(JSON.stringify([log, usage]), name).not.to.match(
          new RegExp(`${clientText}|aik_|Bearer`),
        );
      }
    });

    it('is counted as usage of its key if the key is known', () => {
      for (const request of replies) {
        const { name, key, served: servedForm, reply, quota, usage } = request;
        const { id: keyId, organizationId } = key?.record ?? {};
        const event = {
          keyId,
          organizationId,
          form: servedForm,
          route: routeOf(request),
          status: reply.status,
          quota,
        };
        const counted = usage.map(({ ms: _ms, uses: _uses, ...rest }) => rest);
        expect(counted, name).to.deep.equal(key === undefined ? [] : [event]);
      }
    });
  });
}
