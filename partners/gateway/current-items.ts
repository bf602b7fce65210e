import { z } from 'zod';
import { parseArtist } from '../../adapters/stores/documents/catalogue-documents.ts';
import { membersOf } from '../../adapters/stores/documents/collection-reader.ts';
import { formatIssue } from '../../adapters/stores/documents/parse-result.ts';
import type { Artist, ArtistMetric, SigningStatus, Tier } from '../../src/domain/model.ts';
import type { LabelDetector, Spike } from '../../src/domain/signals.ts';

// The inverse of adapters/forms/current/present.ts. Other fields are ignored: the service may add
// some at any time.

/** The current form has no time of change. Nothing of the variant form needs one. */
const unknownInstant = '1970-01-01T00:00:00.000Z';

/** Values that a later service may have: the variant form sends them as texts. */
const open = z.object({
  tier: z.string().optional(),
  signing: z.object({ status: z.string().optional() }),
});

/**
 * Reads an artist of the current form by the rules of stored documents, whose names its fields
 * have.
 *
 * @param documentIds identifiers in the variant form by those in the current form; an artist that
 * is missing keeps its own
 */
export const artistOf = (
  item: unknown,
  documentIds: ReadonlyMap<string, string>,
): { readonly artist?: Artist; readonly reason: string } => {
  const id = String(membersOf(item)['id']);
  const rest = { _id: documentIds.get(id) ?? id, updated_at: unknownInstant };
  const parsed = parseArtist({ ...membersOf(item), ...rest });
  if (!('model' in parsed)) return { reason: formatIssue(parsed.issue) };
  const { tier, signing } = open.safeParse(item).data ?? { signing: {} };
  // a tier and a status that this version does not know are passed on as texts
  const unknown = { tier: tier as Tier | undefined, status: signing.status as SigningStatus };
  return {
    reason: '',
    artist: {
      ...parsed.model,
      tier: parsed.model.tier ?? unknown.tier,
      signing: { ...parsed.model.signing, status: parsed.model.signing.status ?? unknown.status },
    },
  };
};

const spikeItem = z
  .object({
    artist_id: z.string(),
    artist_name: z.string(),
    metric: z.string(),
    previous: z.number(),
    current: z.number(),
    delta: z.number(),
    percent_change: z.number(),
    window: z.object({ days: z.int(), from: z.iso.date(), to: z.iso.date() }),
    links: z.object({ tiktok: z.string().optional() }),
  })
  .transform(
    (item): Spike => ({
      artistId: item.artist_id,
      artistName: item.artist_name,
      // a metric that this version does not know is passed on as a text
      metric: item.metric as ArtistMetric,
      previous: item.previous,
      current: item.current,
      delta: item.delta,
      percentChange: item.percent_change,
      window: item.window,
      tiktok: item.links.tiktok,
    }),
  );

/** The items that can be read: one that cannot is no reason to drop the list. */
const readable = <Item>(schema: z.ZodType<Item>, items: readonly unknown[]): readonly Item[] =>
  items.flatMap((item) => {
    const { data } = schema.safeParse(item);
    return data === undefined ? [] : [data];
  });

/** The spikes in a list of the current form, in its order. */
export const spikesOf = (items: readonly unknown[]): readonly Spike[] => readable(spikeItem, items);

const signingItem = z.object({
  label_songs: z.array(z.object({ p_line: z.string(), label_detected: z.string() })),
});

/** Finds labels as the service does, which alone has their aliases: by the P-lines of its signings. */
export const detectorOf = (signings: readonly unknown[]): LabelDetector => {
  const songs = readable(signingItem, signings).flatMap(({ label_songs }) => label_songs);
  const byPLine = new Map(songs.map((song) => [song.p_line, song.label_detected]));
  return (pLine) => byPLine.get(pLine);
};
