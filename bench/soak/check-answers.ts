import { gunzipSync } from 'node:zlib';
import type { RawReply } from '../../test/support/raw.ts';
import { type ArtistDocument, mostListeners } from '../catalogue/artists.ts';
import type { Form } from '../catalogue/keys.ts';

/** An outage of a store, in milliseconds of `performance.now()`. `to` is infinite until it ends. */
export interface Outage {
  readonly from: number;
  to: number;
}

/** A key, and when it was issued and revoked. */
export interface SoakKey {
  readonly id: string;
  readonly text: string;
  readonly form: Form;
  readonly organization: string;
  readonly issuedAt?: number;
  revokedAt?: number;
}

/** What responses are checked against. The soak adds to it. */
export interface Events {
  readonly mongodb: Outage[];
  readonly redis: Outage[];
  /** Each change of every hundredth artist. */
  readonly changes: number[];
}

/** One artist in this number changes at a time. */
export const changeEvery = 100;

/** Time until the gateway must show changed keys or artists, doubled for a busy machine. */
const [keysMs, artistsMs] = [10_000, 40_000];
/** Time until it uses Redis or MongoDB after an outage. */
const [redisMs, mongodbMs] = [2_500, 10_000];

/** The time by which the gateway must show a change in MongoDB, later after an outage. */
const seenBy = (at: number, withinMs: number, { mongodb }: Events): number =>
  mongodb.reduce(
    (by, { from, to }) => (from <= by && to + mongodbMs >= at ? to + mongodbMs + withinMs : by),
    at + withinMs,
  );

interface Seen {
  readonly etag: string | undefined;
  readonly answeredAt: number;
  /** The number of the latest change of each artist. */
  readonly versions: readonly number[];
}

interface Body {
  readonly data: unknown;
  readonly meta?: { readonly generated_at: string };
  readonly _meta?: { readonly timestamp: string };
}

const isArtist = (
  item: unknown,
): item is { readonly id: string; readonly metrics: { readonly monthly_listeners: number } } =>
  typeof item === 'object' && item !== null && 'metrics' in item && 'date_added' in item;

/** What may differ in two correct responses to the same query on one day. */
const varying = /"(?:generated_at|timestamp|request_id)":"[^"]*"|"monthly_listeners":\d+/g;

export interface Asked {
  readonly key: SoakKey;
  readonly path: string;
  readonly sentAt: number;
  readonly answeredAt: number;
  /** The response whose ETag the client sent. */
  readonly had: Seen | undefined;
}

/**
 * Creates a function that returns the errors in a response, and a function that returns the last
 * response to a query. Equal queries must have equal bodies except for changed artists. Artists
 * must be up to date, and an ETag must stand for one version.
 */
export const createAnswerCheck = (artists: readonly ArtistDocument[], events: Events) => {
  const indexes = new Map(
    artists.flatMap(({ id, _id }, index) => [
      [id, index],
      [_id, index],
    ]),
  );
  const bodies = new Map<string, string>();
  const tags = new Map<string, string>();
  const latest = new Map<string, Seen>();
  const queryOf = ({ form }: SoakKey, path: string): string => `${form} ${path}`;

  const checkStatus = ({ key, path, sentAt, answeredAt }: Asked, status: number): boolean => {
    const { form, issuedAt, revokedAt } = key;
    const isKnown = (at: number): boolean => sentAt > seenBy(at, keysMs, events);
    if (revokedAt !== undefined && isKnown(revokedAt)) return status === 401;
    if (status === 401)
      return (revokedAt ?? Number.POSITIVE_INFINITY) < answeredAt || !isKnown(issuedAt ?? 0);
    // a history is read from MongoDB, eight at a time
    if (status === (form === 'current' ? 503 : 500))
      return (
        events.redis.some(({ from, to }) => from <= answeredAt && sentAt <= to + redisMs) ||
        (form === 'current' && path.includes('/artists/'))
      );
    return [200, 304, 429].includes(status);
  };

  /** True if one of the artists has missed a change that the gateway must know. */
  const isStale = (versions: readonly number[], sentAt: number): boolean => {
    const known = events.changes.filter((at) => seenBy(at, artistsMs, events) < sentAt).length;
    return versions.some((version) => version < known);
  };

  const checkBody = (asked: Asked, etag: string | undefined, text: string): string[] => {
    const { key, path, sentAt, answeredAt, had } = asked;
    const body: Body = JSON.parse(text);
    const wrong: string[] = [];
    const versions: number[] = [];
    for (const { id, metrics } of [body.data].flat().filter(isArtist)) {
      const index = indexes.get(id) ?? -1;
      const version = metrics.monthly_listeners - mostListeners;
      const original = artists[index]?.metrics['monthly_listeners'];
      if (version <= 0 && metrics.monthly_listeners !== original) wrong.push('an unknown artist');
      if (index % changeEvery === 0) versions.push(Math.max(version, 0));
      else if (version > 0) wrong.push('an artist that never changed');
    }
    const query = queryOf(key, path);
    const day = (body.meta?.generated_at ?? body._meta?.timestamp ?? '').slice(0, 10);
    const masked = text.replaceAll(varying, '');
    if ((bodies.get(`${day} ${query}`) ?? masked) !== masked) wrong.push('another body');
    bodies.set(`${day} ${query}`, masked);
    if ((etag === undefined) === (key.form === 'current')) wrong.push(`the tag ${etag}`);
    if (had !== undefined && had.etag === etag) wrong.push('200 for the tag that was sent');
    const shown = `${versions}`;
    if ((tags.get(`${query} ${etag}`) ?? shown) !== shown)
      wrong.push('the same tag for other data');
    if (etag !== undefined) tags.set(`${query} ${etag}`, shown);
    const before = latest.get(query);
    if (before !== undefined && sentAt > before.answeredAt)
      if (versions.some((version, place) => version < (before.versions[place] ?? 0)))
        wrong.push('older than an answer before');
    if (isStale(versions, sentAt)) wrong.push('an artist as it was before a change');
    latest.set(query, { etag, answeredAt, versions });
    return wrong;
  };

  return {
    latest: (key: SoakKey, path: string): Seen | undefined => latest.get(queryOf(key, path)),
    check(asked: Asked, { status, headers, body, text }: RawReply): readonly string[] {
      const { had, sentAt } = asked;
      if (!checkStatus(asked, status)) return [`status ${status}`];
      if (status >= 500 && headers['retry-after'] === undefined) return ['5xx without Retry-After'];
      const etag = headers['etag'];
      if (status === 304) {
        if (had?.etag !== etag || had === undefined) return ['304 with another tag'];
        return isStale(had.versions, sentAt) ? ['304 for an artist before a change'] : [];
      }
      if (status !== 200) return [];
      const isZipped = headers['content-encoding'] === 'gzip';
      return checkBody(asked, etag, isZipped ? String(gunzipSync(body)) : text);
    },
  };
};
