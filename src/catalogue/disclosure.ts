import type { Scope } from '../domain/caller.ts';
import type { Artist } from '../domain/model.ts';
import type { Signing } from '../domain/signals.ts';
import { weakMemo } from '../runtime/memo.ts';

/**
 * Hides the members that a caller may not see. Callers with the same visibility get the same object
 * for an artist every time, so that rendering can cache its JSON by that object.
 */
export interface Disclosure {
  /**
   * The artist without what the scopes do not show (contract, `Artist.editorial`, `Signing.note`).
   */
  artist(artist: Artist, scopes: ReadonlySet<Scope>): Artist;
  /** The signing without what the scopes do not show. */
  signing(signing: Signing, scopes: ReadonlySet<Scope>): Signing;
}

/**
 * The scopes that decide what is visible, as a text: two callers with the same text see the same
 * members.
 */
export const visibility = (scopes: ReadonlySet<Scope>): string =>
  `${scopes.has('editorial:read') ? 'editorial' : ''}+${scopes.has('signing-notes:read') ? 'notes' : ''}`;

/** A disclosure with caches of its own. */
export const createDisclosure = (): Disclosure => {
  // Without it every answer that is not cached copies the artists of which it hides something.
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
      const disclose = (): Artist => ({
        ...artist,
        signing: {
          status: artist.signing.status,
          note: hidesNote ? undefined : artist.signing.note,
        },
        editorial: hidesEditorial ? undefined : artist.editorial,
      });
      return artists(artist, disclose, visibility(scopes));
    },

    signing(signing, scopes) {
      if (signing.note === undefined || scopes.has('signing-notes:read')) return signing;
      return signings(signing, () => ({ ...signing, note: undefined }));
    },
  };
};
