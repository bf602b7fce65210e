import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../../src/ports.ts';
import { type DeferredMember, type Envelope, isDeferredMember } from '../../forms/envelope.ts';

/** What of an answer a comparison needs. */
interface WantedParts {
  readonly text: boolean;
  /** Whether the items are artists, and wanted as JSON. */
  readonly artists: boolean;
}

/** In characters or bytes: a longer answer is not compared, because it would hold memory and processor for too long. */
export const maxAnswerLength = 8_000_000;

/** Raised when an answer is longer than `maxAnswerLength`. */
export class AnswerTooLarge extends Error {}

/** The longest that requests wait for a slice of the work, beside one item, and the pause after it; in milliseconds. */
const sliceMs = 0.25;
const pauseMs = 2;

/** Counts work, and lets requests go first after each slice of it. */
const createSlices = (clock: Clock) => {
  let startedAt = clock.elapsed();
  let ms = 0;
  const stop = (): number => {
    ms += clock.elapsed() - startedAt;
    return ms;
  };
  return {
    stop,
    async pause(): Promise<void> {
      if (clock.elapsed() - startedAt < sliceMs) return;
      stop();
      await wait(pauseMs, undefined, { ref: false });
      startedAt = clock.elapsed();
    },
  };
};

type Slices = ReturnType<typeof createSlices>;

/** Items of a list that are read together: making a spike takes a microsecond. */
const itemsAtOnce = 50;

/** The items of a deferred member, each with the data that it is presented with. */
const loadedItems = async function* (member: DeferredMember) {
  if (member.kind === 'list') {
    for (let from = 0; from < member.items.length; from += itemsAtOnce)
      for (const item of member.items.slice(from, from + itemsAtOnce))
        yield { item, more: undefined, wire: () => member.present(item) };
    return;
  }
  for (const { item, load } of member.kind === 'detail' ? [member] : member.items) {
    const more = await load();
    yield { item, more, wire: () => member.present(item, more) };
  }
};

const renderItems = async (member: DeferredMember, wanted: WantedParts, slices: Slices) => {
  const [texts, artists]: [string[], string[]] = [[], []];
  let length = 0;
  for await (const { item, more, wire } of loadedItems(member)) {
    const text = wanted.text ? JSON.stringify(wire()) : '';
    const artist = wanted.artists ? JSON.stringify({ artist: item, ...Object(more) }) : '';
    length += Math.max(text.length, artist.length);
    if (length > maxAnswerLength) throw new AnswerTooLarge();
    texts.push(text);
    if (wanted.artists) artists.push(artist);
    await slices.pause();
  }
  const text = texts.join(',');
  return { text: member.kind === 'detail' ? text : `[${text}]`, artists };
};

/**
 * Renders an answer without any cache of the request path, a quarter of a millisecond at a time, so that requests are not held up:
 * its text, `{artist, series?}` of each item, and the milliseconds of work in this thread. Rejects when a history cannot be loaded,
 * with `AnswerTooLarge` when it is too long.
 */
export const renderInSlices = async (envelope: Envelope, wanted: WantedParts, clock: Clock) => {
  const slices = createSlices(clock);
  const members: string[] = [];
  const all: string[] = [];
  for (const [name, value] of Object.entries(envelope)) {
    if (value === undefined) continue;
    const { text, artists } = isDeferredMember(value)
      ? await renderItems(value, wanted, slices)
      : { text: JSON.stringify(value), artists: [] };
    members.push(`${JSON.stringify(name)}:${text}`);
    all.push(...artists);
  }
  return { text: wanted.text ? `{${members.join(',')}}` : '', artists: all, ms: slices.stop() };
};
