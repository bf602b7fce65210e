import type { Scope } from '../domain/caller.ts';
import type { Artist, Signing } from '../domain/model.ts';

/**
 * Which members a caller may see. The same artist, seen with the same eyes, is the same object every time: rendering
 * remembers its bytes by that identity.
 */
export interface Disclosure {
  /** The artist without what the scopes do not show (specification, "Authentication", 5). */
  artist(artist: Artist, scopes: ReadonlySet<Scope>): Artist;
  /** The signing without what the scopes do not show. */
  signing(signing: Signing, scopes: ReadonlySet<Scope>): Signing;
}

/** The scopes that change what is seen, as a text: two callers with the same one see the same. */
export const visibility = (scopes: ReadonlySet<Scope>): string =>
  `${scopes.has('editorial:read') ? 'editorial' : ''}+${scopes.has('signing-notes:read') ? 'notes' : ''}`;

const remembered = <Value extends object>(
  memo: WeakMap<object, Map<string, Value>>,
  owner: object,
  key: string,
  make: () => Value,
) => {
  const made = memo.get(owner) ?? new Map<string, Value>();
  memo.set(owner, made);
  const value = made.get(key) ?? make();
  made.set(key, value);
  return value;
};

/** A disclosure with its own memory, which lasts as long as the artists do. */
export const createDisclosure = (): Disclosure => {
  const artists = new WeakMap<object, Map<string, Artist>>();
  const signings = new WeakMap<object, Map<string, Signing>>();

  return {
    artist(artist, scopes) {
      const hidesNote = artist.signing.note !== undefined && !scopes.has('signing-notes:read');
      const hidesEditorial = artist.editorial !== undefined && !scopes.has('editorial:read');
      if (!hidesNote && !hidesEditorial) return artist;
      return remembered(artists, artist, visibility(scopes), () => ({
        ...artist,
        signing: { status: artist.signing.status, note: hidesNote ? undefined : artist.signing.note },
        editorial: hidesEditorial ? undefined : artist.editorial,
      }));
    },

    signing(signing, scopes) {
      if (signing.note === undefined || scopes.has('signing-notes:read')) return signing;
      return remembered(signings, signing, '', () => ({ ...signing, note: undefined }));
    },
  };
};
