import type { Scope } from '../domain/caller.ts';
import type { Artist } from '../domain/model.ts';
import type { Signing } from '../domain/signals.ts';
import { weakMemo } from '../runtime/memo.ts';

/**
 * Hides the fields that a caller may not see. Returns the same object for the same artist and
 * visibility, so that rendering can cache JSON by object.
 */
export interface Redaction {
  /**
   * The artist without the fields that the scopes hide (contract, `Artist.editorial`,
   * `Signing.note`).
   */
  artist(artist: Artist, scopes: ReadonlySet<Scope>): Artist;
  /** The signing without the fields that the scopes hide. */
  signing(signing: Signing, scopes: ReadonlySet<Scope>): Signing;
}

/** The scopes that affect visibility, as a text. Callers with the same text see the same fields. */
export const visibility = (scopes: ReadonlySet<Scope>): string =>
  `${scopes.has('editorial:read') ? 'editorial' : ''}+${scopes.has('signing-notes:read') ? 'notes' : ''}`;

export const createRedaction = (): Redaction => {
  // Without the cache, every uncached result copies the artists with hidden fields.
  // Bound: three for each artist with a note or editorial; key: artist, visibility; lifetime: the
  // artist.
  const artists = weakMemo<Artist, Artist, string>();
  // Bound: one for each signing with a note; key: signing; lifetime: the signing.
  const signings = weakMemo<Signing, Signing>();

  return {
    artist(artist, scopes) {
      const hidesNote = artist.signing.note !== undefined && !scopes.has('signing-notes:read');
      const hidesEditorial = artist.editorial !== undefined && !scopes.has('editorial:read');
      if (!hidesNote && !hidesEditorial) return artist;
      const redact = (): Artist => ({
        ...artist,
        signing: {
          status: artist.signing.status,
          note: hidesNote ? undefined : artist.signing.note,
        },
        editorial: hidesEditorial ? undefined : artist.editorial,
      });
      return artists(artist, redact, visibility(scopes));
    },

    signing(signing, scopes) {
      if (signing.note === undefined || scopes.has('signing-notes:read')) return signing;
      return signings(signing, () => ({ ...signing, note: undefined }));
    },
  };
};
