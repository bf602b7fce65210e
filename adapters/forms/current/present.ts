import type {
  ArtistResult,
  ArtistsResult,
  ArtistWithHistory,
  SigningsResult,
  SpikesResult,
} from '../../../src/catalogue/catalogue.ts';
import type { Artist, History, HistoryPoint, Series, Song } from '../../../src/domain/model.ts';
import { engine, type Signing, type Spike } from '../../../src/domain/signals.ts';
import { detail, type EnvelopeOf, list, ownList, streamedList } from '../envelope.ts';
import type { ResponseMeta } from '../form.ts';
import type {
  ArtistDetailWire,
  ArtistListWire,
  ArtistWire,
  ErrorWire,
  HealthWire,
  HistoryPointWire,
  ListMetaWire,
  MetaWire,
  SigningListWire,
  SigningWire,
  SongWire,
  SpikeListWire,
  SpikeWire,
} from './wire.ts';

// Every function here lists each field that it sends. Other fields are never sent.

type HistoryWire = Record<string, HistoryPointWire[]>;

const presentPoint = (point: HistoryPoint): HistoryPointWire => ({
  date: point.date,
  value: point.value,
  estimated: point.estimated || undefined,
  stale: point.stale || undefined,
  terminal: point.terminal || undefined,
});

const presentHistory = (series: readonly Series[]): HistoryWire =>
  Object.fromEntries(series.map(({ metric, points }) => [metric, points.map(presentPoint)]));

const presentSong = (song: Song, history?: HistoryWire): SongWire => ({
  id: song.id,
  name: song.name,
  artwork: song.artwork,
  preview_url: song.previewUrl,
  source_url: song.sourceUrl,
  tiktok_url: song.tiktokUrl,
  added_at: song.addedAt,
  metrics: song.metrics,
  history,
  rights: song.rights && { p_line: song.rights.pLine, checked_at: song.rights.checkedAt },
});

const presentArtistParts = (
  artist: Artist,
  songs: SongWire[],
  history?: HistoryWire,
): ArtistWire => ({
  id: artist.id,
  name: artist.name,
  photo_url: artist.photoUrl,
  genres: artist.genres && [...artist.genres],
  country_code: artist.countryCode,
  date_added: artist.dateAdded,
  tier: artist.tier,
  status: artist.status,
  signing: { status: artist.signing.status, note: artist.signing.note },
  links: artist.links,
  metrics: artist.metrics,
  songs,
  history,
  freshness: artist.freshness,
  provenance: {
    sources: artist.provenance.sources && [...artist.provenance.sources],
    method: artist.provenance.method,
  },
  data_quality: {
    complete: artist.dataQuality.complete,
    missing_metrics: artist.dataQuality.missingMetrics && [...artist.dataQuality.missingMetrics],
    estimated_points: artist.dataQuality.estimatedPoints,
    warnings: artist.dataQuality.warnings && [...artist.dataQuality.warnings],
  },
  editorial: artist.editorial && {
    scouting_report: artist.editorial.scoutingReport,
    highlights: artist.editorial.highlights && [...artist.editorial.highlights],
    updated_at: artist.editorial.updatedAt,
  },
});

const presentArtist = (artist: Artist): ArtistWire =>
  presentArtistParts(
    artist,
    artist.songs.map((song) => presentSong(song)),
  );

const presentArtistWithHistory = (artist: Artist, history: History): ArtistWire => {
  const seriesOf = (songId?: string) => history.series.filter((series) => series.songId === songId);
  return presentArtistParts(
    artist,
    artist.songs.map((song) => presentSong(song, presentHistory(seriesOf(song.id)))),
    presentHistory(seriesOf()),
  );
};

const presentSpike = (spike: Spike): SpikeWire => ({
  artist_id: spike.artistId,
  artist_name: spike.artistName,
  metric: spike.metric,
  previous: spike.previous,
  current: spike.current,
  delta: spike.delta,
  percent_change: spike.percentChange,
  window: { days: spike.window.days, from: spike.window.from, to: spike.window.to },
  engine: { name: engine.name, version: engine.version },
  links: { tiktok: spike.tiktok },
});

const presentSigning = (signing: Signing): SigningWire => ({
  artist_id: signing.artistId,
  artist_name: signing.artistName,
  signing: { status: signing.status, note: signing.note },
  label_songs: signing.labelSongs.map((song) => ({
    song_id: song.songId,
    song_name: song.songName,
    p_line: song.pLine,
    label_detected: song.labelDetected,
    checked_at: song.checkedAt,
  })),
  total_label_songs: signing.labelSongs.length,
  basis: [...signing.basis],
});

const presentMeta = (meta: ResponseMeta): MetaWire => ({
  api_version: 'v1',
  generated_at: meta.generatedAt,
  request_id: meta.requestId,
});

const presentListMeta = (meta: ResponseMeta, count: number, nextCursor?: string): ListMetaWire => ({
  api_version: 'v1',
  count,
  next_cursor: nextCursor ?? null,
  generated_at: meta.generatedAt,
  request_id: meta.requestId,
});

const deferHistory = ({ artist, readHistory }: ArtistWithHistory) => ({
  item: artist,
  load: readHistory,
});

export const presentArtists = (
  result: ArtistsResult,
  meta: ResponseMeta,
): EnvelopeOf<ArtistListWire> => ({
  data: result.withHistory
    ? streamedList(result.withHistory.map(deferHistory), presentArtistWithHistory)
    : list(result.artists, presentArtist),
  meta: presentListMeta(meta, result.artists.length, result.nextCursor),
});

export const presentArtistDetail = (
  result: ArtistResult,
  meta: ResponseMeta,
): EnvelopeOf<ArtistDetailWire> => ({
  data: detail(deferHistory(result), presentArtistWithHistory),
  meta: presentMeta(meta),
});

export const presentSpikes = (
  result: SpikesResult,
  meta: ResponseMeta,
): EnvelopeOf<SpikeListWire> => {
  const { spikes } = result;
  return {
    data: ownList(spikes, presentSpike),
    meta: {
      ...presentListMeta(meta, spikes.length),
      window: { days: result.days },
      engine: { name: engine.name, version: engine.version },
    },
  };
};

export const presentSignings = (
  result: SigningsResult,
  meta: ResponseMeta,
): EnvelopeOf<SigningListWire> => ({
  data: list(result.signings, presentSigning),
  meta: presentListMeta(meta, result.signings.length),
});

export const presentHealth = (meta: ResponseMeta): HealthWire => ({
  status: 'ok',
  api_version: 'v1',
  generated_at: meta.generatedAt,
});

export const presentProblem = (code: string, message: string, requestId: string): ErrorWire => ({
  error: { code, message, request_id: requestId },
});
