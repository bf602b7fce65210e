import { z } from 'zod';
import {
  artistMetrics,
  freshnessParts,
  linkNames,
  signingStatuses,
  songMetrics,
  statusFlags,
  tiers,
} from '../../src/domain/model.ts';
import { maxIdLength } from '../stores/documents/catalogue-documents.ts';
import { maxMetric, url as storedUrl } from '../stores/documents/field-schemas.ts';
import type { CatalogueCollection } from './input-files.ts';

// What an import accepts: everything that the gateway can read whole and that the contracts allow. A gateway reads documents
// with fewer demands (documents/catalogue-documents.ts), because it has to serve what is stored.

const maxShown = 40;

/** A value as messages show it. */
const showValue = (value: unknown): string => {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
};

/** The message of a mistake: what was found and what is expected. */
const expecting = (expected: string) => ({
  error: ({ input }: { readonly input?: unknown }): string =>
    `${input === undefined ? 'missing' : showValue(input)}; expected ${expected}`,
});

const text = (expected = 'a text', maxLength = 100_000) =>
  z
    .string(expecting(expected))
    .min(1, expecting(expected))
    .max(maxLength, expecting(`at most ${maxLength} characters`));

const optionalText = text().nullish();
const texts = (of: string) => z.array(text(), expecting(`an array of ${of}`)).nullish();

const thisCentury = (day: string): boolean => day >= '2000-01-01' && day < '2100-01-01';
const aDay = 'a day of 2000 to 2099, such as "2026-08-22"';
const anInstant = 'an instant of 2000 to 2099, such as "2026-08-22T11:00:00Z"';

const day = z.iso.date(expecting(aDay)).refine(thisCentury, expecting(aDay));
const instant = z.iso.datetime({ offset: true, ...expecting(anInstant) }).refine(thisCentury, expecting(anInstant));

const isDayOrInstant = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

/** A text that a gateway only shows. One that begins like a day must be a day or an instant. */
const shownDay = text().refine(
  (value) => !/^\d{4}-\d/.test(value) || (isDayOrInstant.safeParse(value).success && thisCentury(value)),
  expecting(`${aDay}, or an instant`),
);

const url = text('an address').refine(
  (value) => storedUrl.safeParse(value).success,
  expecting('an address that begins with https:// or http://'),
);
const flag = z.boolean(expecting('true or false'));

const aNumber = 'a number of 0 to 2^53';
const metric = z.number(expecting(aNumber)).min(0, expecting(aNumber)).max(maxMetric, expecting(aNumber));
const aCount = 'a whole number of 0 or more';

/** An object with these optional members. */
const map = <Schema extends z.ZodType>(names: readonly string[], schema: Schema, of: string) =>
  z.object(
    Object.fromEntries(names.map((name) => [name, schema.nullish()])),
    expecting(`an object of ${of} by name (${names.join(', ')}); {} when none is known`),
  );

const anObject = (members: string) => expecting(`an object with ${members}; {} when nothing is known`);

const song = z.object(
  {
    id: text(),
    name: text(),
    artwork: url.nullish(),
    preview_url: url.nullish(),
    source_url: url.nullish(),
    tiktok_url: url.nullish(),
    added_at: shownDay.nullish(),
    metrics: map(songMetrics, metric, 'numbers'),
    rights: z
      .object({ p_line: optionalText, checked_at: shownDay.nullish() }, anObject('p_line, checked_at'))
      .nullish(),
  },
  expecting('an object, the song'),
);

const withoutRepeatedSongs = (songs: readonly { readonly id: string }[], context: z.RefinementCtx): void => {
  const ids = new Set<string>();
  for (const [index, { id }] of songs.entries()) {
    if (ids.has(id))
      context.addIssue({ code: 'custom', path: [index, 'id'], message: `the song ${id} is there twice` });
    ids.add(id);
  }
};

const artistRules = z.object(
  {
    _id: text(),
    id: text('a text', maxIdLength),
    name: text('a text', 1000),
    photo_url: url.nullish(),
    genres: texts('genres'),
    country_code: z
      .string(expecting('two letters'))
      .regex(/^[A-Za-z]{2}$/, expecting('two letters'))
      .nullish(),
    date_added: day.nullish(),
    tier: z.enum(tiers, expecting(`one of ${tiers.join(', ')}`)).nullish(),
    status: map(statusFlags, flag, 'true or false'),
    signing: z.object(
      {
        status: z.enum(signingStatuses, expecting(`one of ${signingStatuses.join(', ')}`)).nullish(),
        note: optionalText,
        reviewed_at: shownDay.nullish(),
      },
      anObject('status, note, reviewed_at'),
    ),
    links: map(linkNames, url, 'addresses'),
    metrics: map(artistMetrics, metric, 'numbers'),
    songs: z.array(song, expecting('an array of songs; [] when there are none')).superRefine(withoutRepeatedSongs),
    freshness: map(freshnessParts, shownDay, 'days or instants'),
    provenance: z.object({ sources: texts('sources'), method: optionalText }, anObject('sources, method')),
    data_quality: z.object(
      {
        complete: flag.nullish(),
        missing_metrics: texts('names of metrics'),
        estimated_points: z.int(expecting(aCount)).min(0, expecting(aCount)).nullish(),
        warnings: texts('warnings'),
      },
      anObject('complete, missing_metrics, estimated_points, warnings'),
    ),
    editorial: z
      .object(
        { scouting_report: optionalText, highlights: texts('highlights'), updated_at: shownDay.nullish() },
        anObject('scouting_report, highlights, updated_at'),
      )
      .nullish(),
    updated_at: instant,
  },
  expecting('an object, the artist'),
);

const point = z.object(
  { date: day, value: metric, estimated: flag.nullish(), stale: flag.nullish(), terminal: flag.nullish() },
  expecting('an object with date and value'),
);

const ascending = (points: readonly { readonly date: string }[], context: z.RefinementCtx): void => {
  const index = points.findIndex(({ date }, at) => at > 0 && date <= (points[at - 1]?.date ?? ''));
  if (index === -1) return;
  const message = `${points[index]?.date} after ${points[index - 1]?.date}; expected days in order, one point a day`;
  context.addIssue({ code: 'custom', path: [index, 'date'], message });
};

const isMetricOfIts = ({ song_id, metric: name }: { readonly song_id?: unknown; readonly metric: string }): boolean =>
  (song_id === undefined || song_id === null ? artistMetrics : songMetrics).some((one) => one === name);

const aMetric = `a metric of an artist (${artistMetrics.join(', ')}) or, with song_id, of a song (${songMetrics.join(', ')})`;

const seriesRules = z
  .object(
    {
      artist_id: text(),
      song_id: optionalText,
      metric: z.string(expecting(aMetric)),
      points: z.array(point, expecting('an array of points')).superRefine(ascending),
      updated_at: instant.nullish(),
    },
    expecting('an object, the series'),
  )
  .refine(isMetricOfIts, { path: ['metric'], error: `expected ${aMetric}` });

const labelRules = z.object(
  { name: text(), aliases: z.array(text(), expecting('an array of names; [] when there are none')) },
  expecting('an object, the label'),
);

/** What a document of each collection must be. */
export const documentRules: Readonly<Record<CatalogueCollection, z.ZodType>> = {
  artists: artistRules,
  history: seriesRules,
  labels: labelRules,
};
