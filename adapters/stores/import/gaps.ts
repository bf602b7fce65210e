import { type Day, daysBetween } from '../../../src/domain/day.ts';
import type { Series } from '../../../src/domain/model.ts';

/** Days between two points of a series for which there is none. */
export interface Gap {
  readonly artist_id: string;
  readonly song_id: string | undefined;
  readonly metric: string;
  /** The points before and after it. */
  readonly from: Day;
  readonly to: Day;
  readonly days: number;
}

/** The gaps in a series of one point a day, in order. */
export const gapsIn = ({ artistId, songId, metric, points }: Series): Gap[] =>
  points.flatMap(({ date: to }, place) => {
    const from = points[place - 1]?.date;
    const days = from === undefined ? 0 : daysBetween(from, to) - 1;
    return from === undefined || days === 0 ? [] : [{ artist_id: artistId, song_id: songId, metric, from, to, days }];
  });
