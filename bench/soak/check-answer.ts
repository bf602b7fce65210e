import { createHash } from 'node:crypto';
import type { ArtistDocument } from '../catalogue/artists.ts';
import type { Form } from '../catalogue/keys.ts';
import { type Outage, seenBy } from './outages.ts';

/** A change of every hundredth artist, from the one at `first` on. */
export interface Change {
  readonly at: number;
  readonly first: number;
  /** What `monthly_listeners` is since. */
  readonly listeners: number;
}

/** One artist in this many changes at a time. */
export const changeEvery = 100;

/** The catalogue is followed every 15 s, and a load of it may take five. */
const catalogueBoundMs = 20_000;

/** What one answer showed. */
export interface Seen {
  readonly etag: string | undefined;
  /** The index of each artist, and how often it had changed. */
  readonly artists: readonly (readonly [index: number, version: number])[];
  readonly answeredAt: number;
}

/** A 200 or 304 to a request that was sent at `sentAt`, in milliseconds of `performance.now()`. */
export interface Answered {
  readonly form: Form;
  /** Equal for requests with equal answers. */
  readonly question: string;
  readonly sentAt: number;
  readonly answeredAt: number;
  /** What the client had, and whose tag it sent. */
  readonly had: Seen | undefined;
  readonly etag: string | undefined;
}

/** A 200 with its body. */
interface AnsweredBody extends Answered {
  readonly text: string;
}

interface Body {
  readonly data: unknown;
  readonly meta?: { readonly generated_at: string };
  readonly _meta?: { readonly timestamp: string };
}

interface Item {
  readonly id: string;
  readonly name: string;
  readonly metrics: { readonly monthly_listeners: number };
}

const isArtist = (item: unknown): item is Item =>
  typeof item === 'object' && item !== null && 'metrics' in item && 'date_added' in item;

/** What differs between two right answers to a question on one day. */
const varying = /"(?:generated_at|timestamp|request_id)":"[^"]*"|"monthly_listeners":\d+/g;

const hashOf = (text: string): string =>
  createHash('sha1').update(text.replaceAll(varying, '')).digest('base64');

/**
 * Checks answers against the catalogue and its changes: an answer has the same bytes as every other
 * one to its question on that day, but for the changes; each artist has a version that the gateway
 * had to know, and no older one than an earlier answer; a tag stands for exactly these versions.
 */
export const createAnswerCheck = (
  artists: readonly ArtistDocument[],
  changes: readonly Change[],
  outages: readonly Outage[],
  starvedSince: (instant: number) => number,
) => {
  const indexes = new Map(
    artists.flatMap((artist, index) => [
      [artist.id, index],
      [artist._id, index],
    ]),
  );
  const hashes = new Map<string, string>();
  const latest = new Map<string, Seen>();

  const changesOf = (index: number): readonly Change[] =>
    changes.filter(({ first }) => index % changeEvery === first);

  /** How often an artist has changed when it shows this number of listeners; -1 if it never did. */
  const versionOf = (index: number, listeners: number): number => {
    if (artists[index]?.metrics['monthly_listeners'] === listeners) return 0;
    const found = changesOf(index).findIndex((change) => change.listeners === listeners);
    return found === -1 ? -1 : found + 1;
  };

  const findStale = ({ artists: shown }: Seen, sentAt: number): string[] =>
    shown.flatMap(([index, version]) => {
      const next = changesOf(index)[version];
      if (next === undefined || seenBy(next.at, catalogueBoundMs, outages) >= sentAt) return [];
      const boundMs = catalogueBoundMs + starvedSince(next.at);
      if (seenBy(next.at, boundMs, outages) >= sentAt) return [];
      return [`artist ${index} as it was before a change ${Math.round(sentAt - next.at)} ms ago`];
    });

  /** The tag, the versions, and what is no artist of the catalogue. */
  const read = ({ text, etag, answeredAt }: AnsweredBody) => {
    const body: Body = JSON.parse(text);
    const day = (body.meta?.generated_at ?? body._meta?.timestamp ?? '').slice(0, 10);
    const problems: string[] = [];
    const shown = [body.data].flat().filter(isArtist);
    const versions = shown.map(({ id, name, metrics }) => {
      const index = indexes.get(id) ?? -1;
      const version = versionOf(index, metrics.monthly_listeners);
      if (artists[index]?.name !== name) problems.push(`${id} is no artist of this name`);
      else if (version === -1) problems.push(`artist ${index} as it never was`);
      return [index, version] as const;
    });
    return { day, problems, seen: { etag, artists: versions, answeredAt } };
  };

  const compareWithLatest = (seen: Seen, before: Seen, sentAt: number): string[] => {
    const areEqual = before.artists.join() === seen.artists.join();
    const isOlder =
      sentAt > before.answeredAt &&
      before.artists.some(([, version], place) => version > (seen.artists[place]?.[1] ?? -1));
    const problems = isOlder ? ['older than an answer before'] : [];
    // Spikes and signings change their tag with artists whose versions they do not show.
    if (seen.etag === undefined || seen.artists.length === 0) return problems;
    if (areEqual && before.etag !== seen.etag) problems.push('another tag for the same data');
    if (!areEqual && before.etag === seen.etag) problems.push('the same tag for other data');
    return problems;
  };

  /** What is wrong with a 200, a line each. */
  const checkBody = (answered: AnsweredBody): readonly string[] => {
    const { form, question, sentAt, had, etag, text } = answered;
    const { day, problems, seen } = read(answered);
    if ((etag === undefined) === (form === 'current')) problems.push(`the tag ${etag}`);
    if (had !== undefined && had.etag === etag) problems.push('200 for the tag that was sent');
    const asked = `${day} ${form} ${question}`;
    const hash = hashOf(text);
    const before = latest.get(asked);
    if ((hashes.get(asked) ?? hash) !== hash) problems.push('another body than before');
    hashes.set(asked, hash);
    if (before !== undefined) problems.push(...compareWithLatest(seen, before, sentAt));
    latest.set(asked, seen);
    return [...problems, ...findStale(seen, sentAt)];
  };

  /** What is wrong with a 304. */
  const checkUnchanged = ({ had, sentAt, etag }: Answered): readonly string[] => {
    if (had === undefined) return ['304 without a tag'];
    return [...(had.etag === etag ? [] : ['304 with another tag']), ...findStale(had, sentAt)];
  };

  return {
    checkBody,
    checkUnchanged,
    /** The last answer to a question on the day of `instant`. */
    latest: (form: Form, question: string, instant: Date): Seen | undefined =>
      latest.get(`${instant.toISOString().slice(0, 10)} ${form} ${question}`),
  };
};

export type AnswerCheck = ReturnType<typeof createAnswerCheck>;
