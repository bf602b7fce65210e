import type { Day } from '../../../src/domain/day.ts';
import type { Artist, Series } from '../../../src/domain/model.ts';
import type { ListedArtist } from '../../../src/ports.ts';
import { decodeSeries, type SeriesCells } from './series-cells.ts';

/**
 * An artist of a copy. Its recent points are decoded when they are first read: the points of 10,000 artists take longer than
 * everything else of a start, and a first page shows none.
 */
export class RecalledArtist implements ListedArtist {
  readonly artist: Artist;
  declare readonly content?: string; // absent, not undefined, without one
  #text: string;
  #lists: readonly (readonly Day[])[];
  #recent: readonly Series[] | undefined;

  /**
   * @param text JSON of the cells of its series
   * @param lists lists of days of the copy
   */
  constructor(artist: Artist, content: string | undefined, text: string, lists: readonly (readonly Day[])[]) {
    this.artist = artist;
    if (content !== undefined) this.content = content;
    this.#text = text;
    this.#lists = lists;
  }

  get recent(): readonly Series[] {
    if (this.#recent === undefined) {
      const cells: SeriesCells[] = JSON.parse(this.#text); // the checksum and the format's version say that they are
      this.#recent = cells.map((one) => decodeSeries(one, this.#lists));
      this.#text = '';
      this.#lists = [];
    }
    return this.#recent;
  }
}
