import { z } from 'zod';
import { parseArtist } from '../../adapters/stores/documents/catalogue-documents.ts';
import { membersOf } from '../../adapters/stores/documents/collection-reader.ts';
import { formatIssue } from '../../adapters/stores/documents/parse-result.ts';
import type { Artist, ArtistMetric, SigningStatus, Tier } from '../../src/domain/model.ts';
import type { LabelDetector, Spike } from '../../src/domain/signals.ts';

// The inverse of adapters/forms/current/present.ts. Other fields are ignored.

/** The current form has no time of change, and the variant form needs none. */
const unknownInstant = '1970-01-01T00:00:00.000Z';

/** Values that may be newer than this version. */
const open = z.object({
  tier: z.string().optional(),
  signing: z.object({ status: z.string().optional() }),
});

/**
 * Reads an artist of the current form, whose fields have the names of stored documents.
 *
 * @param documentIds variant identifiers by current ones; a missing artist keeps its current one
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
  // unknown tiers and statuses are passed on
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
      // an unknown metric is passed on
      metric: item.metric as ArtistMetric,
      previous: item.previous,
      current: item.current,
      delta: item.delta,
      percentChange: item.percent_change,
      window: item.window,
      tiktok: item.links.tiktok,
    }),
  );

/** The items without invalid ones. */
const readable = <Item>(schema: z.ZodType<Item>, items: readonly unknown[]): readonly Item[] =>
  items.flatMap((item) => {
    const { data } = schema.safeParse(item);
    return data === undefined ? [] : [data];
  });

export const spikesOf = (items: readonly unknown[]): readonly Spike[] => readable(spikeItem, items);

const signingItem = z.object({
  label_songs: z.array(z.object({ p_line: z.string(), label_detected: z.string() })),
});

/** Finds labels by the P-lines of signings: only the service has the aliases of labels. */
export const detectorOf = (signings: readonly unknown[]): LabelDetector => {
  const songs = readable(signingItem, signings).flatMap(({ label_songs }) => label_songs);
  const byPLine = new Map(songs.map((song) => [song.p_line, song.label_detected]));
  return (pLine) => byPLine.get(pLine);
};
