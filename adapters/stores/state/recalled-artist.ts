import type { Artist, Series } from '../../../src/domain/model.ts';
import type { ListedArtist } from '../../../src/ports.ts';
import { decodeRecent } from './series-cells.ts';

/**
 * An artist of a copy. Its recent points are decoded when they are first read: the points of 10,000 artists take longer than
 * everything else of a start, and a first page shows none.
 */
export class RecalledArtist implements ListedArtist {
  readonly artist: Artist;
  declare readonly content?: string; // absent, not undefined, without one
  #recent: string | readonly Series[];

  /** @param recent the text of its series */
  constructor(artist: Artist, content: string | undefined, recent: string) {
    this.artist = artist;
    if (content !== undefined) this.content = content;
    this.#recent = recent;
  }

  get recent(): readonly Series[] {
    if (typeof this.#recent === 'string') this.#recent = decodeRecent(this.#recent);
    return this.#recent;
  }
}
