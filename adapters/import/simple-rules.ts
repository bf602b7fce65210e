import { z } from 'zod';
import { artistMetrics, songMetrics } from '../../src/domain/model.ts';
import {
  fitsCursor,
  idInPath,
  maxIdBytes,
  maxMetric,
  maxTextLength,
  onlyTexts,
  url as storedUrl,
} from '../stores/documents/simple-types.ts';

// What an import expects of members without parts.

const maxShown = 40;

/** A value as messages show it. */
const showValue = (value: unknown): string => {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
};

/** The message of a mistake: what was found and what is expected. */
export const expecting = (expected: string) => ({
  error: ({ input }: { readonly input?: unknown }): string =>
    `${input === undefined ? 'missing' : showValue(input)}; expected ${expected}`,
});

export const text = (expected = 'a text', maxLength = maxTextLength) =>
  z
    .string(expecting(expected))
    .min(1, { ...onlyTexts, ...expecting(expected) })
    .max(maxLength, { ...onlyTexts, ...expecting(`at most ${maxLength} characters`) });

const isInCentury = (day: string): boolean => day >= '2000-01-01' && day < '2100-01-01';

/** Whether a day or an instant is one of 2000 to 2099, as it is written and in UTC. */
const thisCentury = (value: string): boolean => {
  const ms = Date.parse(value);
  return isInCentury(value) && !Number.isNaN(ms) && isInCentury(new Date(ms).toISOString());
};
const aDay = 'a day of 2000 to 2099, such as "2026-08-22"';
const anInstant = 'an instant of 2000 to 2099, such as "2026-08-22T11:00:00Z"';

const ofThisCentury = { allOf: [{ pattern: '^20' }] };

const day = z.iso.date(expecting(aDay)).refine(thisCentury, expecting(aDay)).meta(ofThisCentury);
const instant = z.iso
  .datetime({ offset: true, ...expecting(anInstant) })
  .refine(thisCentury, expecting(anInstant))
  .meta(ofThisCentury);

const isDayOrInstant = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

const dayOrInstant = z
  .string(expecting(`${aDay}, or an instant`))
  .refine((value) => isDayOrInstant.safeParse(value).success && thisCentury(value), expecting(`${aDay}, or an instant`))
  .meta({ ...ofThisCentury, anyOf: z.toJSONSchema(isDayOrInstant).anyOf });

const anId = 'an id that a URL can carry: not "." or "..", and without control characters';

const stableId = text('an id', maxIdBytes)
  .regex(idInPath, expecting(anId))
  .refine(fitsCursor, expecting(`an id of at most ${maxIdBytes} bytes`));

const likeADay = /^\d{4}-\d/;

/** A text that a gateway only shows. One that begins like a day must be a day or an instant. */
const shownDay = text()
  .refine(
    (value) => !likeADay.test(value) || (isDayOrInstant.safeParse(value).success && thisCentury(value)),
    expecting(`${aDay}, or an instant`),
  )
  .meta({
    if: { pattern: likeADay.source },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { ...ofThisCentury, anyOf: z.toJSONSchema(isDayOrInstant).anyOf },
  });

const url = text('an address')
  .refine(
    (value) => storedUrl.schema.safeParse(value).success,
    expecting('an address that begins with https:// or http://'),
  )
  .meta({ pattern: '^\\s*[Hh][Tt][Tt][Pp][Ss]?://+[^\\s/?#]' });

const aNumber = 'a number of 0 to 2^53';
const aCount = 'a whole number of 0 or more';
export const aMetric = `a metric of an artist (${artistMetrics.join(', ')}) or, with song_id, of a song (${songMetrics.join(', ')})`;

/** The rules of values without parts. */
export const simpleRules = {
  countryCode: z.string(expecting('two letters')).regex(/^[A-Za-z]{2}$/, expecting('two letters')),
  count: z.int(expecting(aCount)).min(0, expecting(aCount)),
  day,
  documentId: text(),
  flag: z.boolean(expecting('true or false')),
  instant,
  metric: z.number(expecting(aNumber)).min(0, expecting(aNumber)).max(maxMetric, expecting(aNumber)),
  dayOrInstant,
  seriesMetric: z.string(expecting(aMetric)),
  shownDay,
  stableId,
  url,
};
