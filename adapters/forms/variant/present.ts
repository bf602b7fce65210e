import type {
  ArtistsResult,
  SigningsResult,
  SpikesResult,
} from '../../../src/catalogue/catalogue.ts';
import type { Artist, SigningStatus, Song } from '../../../src/domain/model.ts';
import type { Signing, Spike } from '../../../src/domain/signals.ts';
import { type EnvelopeOf, list, ownList } from '../envelope.ts';
import type { PartnerResponseMeta, ResponseMeta } from '../form.ts';
import type {
  ArtistListWire,
  ArtistWire,
  ErrorWire,
  HealthWire,
  MetaWire,
  SigningListWire,
  SigningWire,
  SongWire,
  SpikeListWire,
  SpikeWire,
} from './wire.ts';

// Every function here lists each field that it sends. Other fields are never sent.

const presentSong = (song: Song): SongWire => ({
  id: song.id,
  name: song.name,
  streams: song.metrics.streams,
  ugc_tiktok: song.metrics.ugc_tiktok,
  ugc_instagram: song.metrics.ugc_instagram,
  artwork: song.artwork,
});

const presentSignedStatus = (status: SigningStatus | undefined): string => status ?? 'unknown';

const presentArtistParts = (
  artist: Artist,
  songs?: SongWire[],
  scoutingReport?: string,
): ArtistWire => ({
  id: artist.documentId,
  name: artist.name,
  photo: artist.photoUrl,
  date_added: artist.dateAdded,
  signed_status: presentSignedStatus(artist.signing.status),
  tier: artist.tier,
  links: artist.links,
  metrics: artist.metrics,
  songs,
  scouting_report: scoutingReport,
  total_songs: artist.songs.length,
});

const presentArtist = (artist: Artist): ArtistWire =>
  presentArtistParts(artist, artist.songs.map(presentSong), artist.editorial?.scoutingReport);

/** For `fields=basic`: no songs and no scouting report. */
const presentBasicArtist = (artist: Artist): ArtistWire => presentArtistParts(artist);

const presentSpike = (spike: Spike): SpikeWire => ({
  artist_name: spike.artistName,
  metric: spike.metric,
  previous: spike.previous,
  current: spike.current,
  delta: spike.delta,
  percent_change: spike.percentChange,
  period_days: spike.window.days,
  tiktok: spike.tiktok,
});

const presentSigning = (signing: Signing): SigningWire => ({
  artist_name: signing.artistName,
  signed_status: presentSignedStatus(signing.status),
  label_songs: signing.labelSongs.map((song) => ({
    song_name: song.songName,
    pline: song.pLine,
    label_detected: song.labelDetected,
  })),
  total_label_songs: signing.labelSongs.length,
});

const presentMeta = (meta: PartnerResponseMeta): MetaWire => ({
  api_version: 'v1',
  authenticated_as: meta.partner,
  timestamp: meta.generatedAt,
});

const presentArtistsAs =
  (present: (artist: Artist) => ArtistWire) =>
  (result: ArtistsResult, meta: PartnerResponseMeta): EnvelopeOf<ArtistListWire> => ({
    success: true,
    count: result.artists.length,
    data: list(result.artists, present),
    _meta: presentMeta(meta),
  });

export const presentArtists = presentArtistsAs(presentArtist);

export const presentBasicArtists = presentArtistsAs(presentBasicArtist);

export const presentSpikes = (
  result: SpikesResult,
  meta: PartnerResponseMeta,
): EnvelopeOf<SpikeListWire> => {
  const { spikes } = result;
  return {
    success: true,
    count: spikes.length,
    period_days: result.days,
    data: ownList(spikes, presentSpike),
    _meta: presentMeta(meta),
  };
};

export const presentSignings = (
  result: SigningsResult,
  meta: PartnerResponseMeta,
): EnvelopeOf<SigningListWire> => ({
  success: true,
  count: result.signings.length,
  data: list(result.signings, presentSigning),
  _meta: { ...presentMeta(meta), labels_tracked: [...result.labels] },
});

export const presentHealth = (meta: ResponseMeta): HealthWire => ({
  status: 'ok',
  api_version: 'v1',
  generated_at: meta.generatedAt,
});

export const presentProblem = (code: string, message: string): ErrorWire => ({
  error: code,
  message,
});
