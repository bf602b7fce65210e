/** Stored documents as the data format describes them, before any code of the gateway has read them. */
export interface StoredPoint {
  readonly date: string;
  readonly value: number;
  readonly estimated?: boolean;
  readonly stale?: boolean;
  readonly terminal?: boolean;
}

export interface StoredSeries {
  readonly artist_id: string;
  readonly song_id?: string;
  readonly metric: string;
  readonly points: readonly StoredPoint[];
}

export interface StoredSong {
  readonly id: string;
  readonly name: string;
  readonly artwork?: string;
  readonly tiktok_url?: string;
  readonly added_at?: string;
  readonly metrics: Readonly<Record<string, number>>;
  readonly rights?: { readonly p_line?: string; readonly checked_at?: string };
}

export interface StoredArtist {
  readonly _id: string;
  readonly id: string;
  readonly name: string;
  readonly photo_url?: string;
  readonly genres?: readonly string[];
  readonly country_code?: string;
  readonly date_added?: string;
  readonly tier?: string;
  readonly status: Readonly<Record<string, boolean>>;
  readonly signing: { readonly status?: string; readonly note?: string; readonly reviewed_at?: string };
  readonly links: Readonly<Record<string, string>>;
  readonly metrics: Readonly<Record<string, number>>;
  readonly songs: readonly StoredSong[];
  readonly freshness: Readonly<Record<string, string>>;
  readonly provenance: { readonly sources?: readonly string[]; readonly method?: string };
  readonly data_quality: { readonly complete?: boolean; readonly warnings?: readonly string[] };
  readonly editorial?: { readonly scouting_report?: string; readonly highlights?: readonly string[] };
  readonly internal_notes: string;
  readonly updated_at: string;
}

export interface StoredLabel {
  readonly name: string;
  readonly aliases: readonly string[];
}

export interface Shortlist {
  readonly artists: readonly StoredArtist[];
  readonly history: readonly StoredSeries[];
  readonly labels: readonly StoredLabel[];
}

/** An artist with its series, as one unit of change. */
export interface StoredUnit {
  readonly artist: StoredArtist;
  readonly series: readonly StoredSeries[];
}

/** The day so many days before another; negative for later days. */
export const daysBefore = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - days * 86_400_000).toISOString().slice(0, 10);
