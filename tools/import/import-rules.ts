import { z } from 'zod';
import {
  fitsCursor,
  idInPath,
  maxIdBytes,
  maxMetric,
  maxTextLength,
  onlyTexts,
  storedRules,
  withOutput,
} from '../../adapters/stores/documents/stored-rules.ts';
import { artistMetrics, type MemberRules, songMetrics } from '../../src/domain/model.ts';

// What an import expects of members, in words. `meta` says in JSON Schema what a refinement demands
// (document-rules.ts).

const maxShown = 40;

const showValue = (value: unknown): string => {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
};

const expecting = (expected: string) => ({
  error: ({ input }: { readonly input?: unknown }): string =>
    `${input === undefined ? 'missing' : showValue(input)}; expected ${expected}`,
});

const text = (expected = 'a text', maxLength = maxTextLength) =>
  z
    .string(expecting(expected))
    .min(1, { ...onlyTexts, ...expecting(expected) })
    .max(maxLength, { ...onlyTexts, ...expecting(`at most ${maxLength} characters`) });

const aDay = 'a day from 2000 to 2099, such as "2026-08-22"';
const anInstant = 'an instant from 2000 to 2099, such as "2026-08-22T11:00:00Z"';

const ofThisCentury = /^20/;

/** True if a time is in this century in UTC too. */
const isOfThisCentury = (instant: string): boolean => {
  const year = new Date(instant).getUTCFullYear();
  return year >= 2000 && year < 2100;
};

// zod prints no `format` of a text with two patterns
const day = z.iso
  .date(expecting(aDay))
  .regex(ofThisCentury, expecting(aDay))
  .meta({ format: 'date' });
const instant = z.iso
  .datetime({ offset: true, ...expecting(anInstant) })
  .regex(ofThisCentury, expecting(anInstant))
  .refine(isOfThisCentury, expecting(anInstant))
  .meta({ format: 'date-time' });

const aDayOrInstant = `${aDay}, or an instant`;
const dayOrInstant = z.union([day, instant], expecting(aDayOrInstant));

const anId = 'an id that a URL can carry: not "." or "..", and without control characters';

const stableId = text('an id', maxIdBytes)
  .regex(idInPath, expecting(anId))
  .refine(fitsCursor, expecting(`an id of at most ${maxIdBytes} bytes`));

/** A text that a gateway only displays. If it begins like a day, it must be a day or a time. */
const aShownDay = `${aDay}, an instant, or a text that does not begin like a day`;
const shownDay = z.union(
  [dayOrInstant, text(aShownDay).regex(/^(?!\d{4}-\d)/, expecting(aShownDay))],
  expecting(aShownDay),
);

const dayRules: ReadonlySet<unknown> = new Set([day, instant, dayOrInstant, shownDay]);

/** True for rules of days and times. */
export const isDayRule = (rule: unknown): boolean => dayRules.has(rule);

const url = text('an address')
  .refine(
    (value) => storedRules.url.safeParse(value).success,
    expecting('an address that begins with https:// or http://'),
  )
  .meta({ pattern: '^\\s*[Hh][Tt][Tt][Pp][Ss]?://+[^\\s/?#]' });

const withoutControls = /^\P{Cc}*$/u;
const aName = 'a text without control characters, such as a line end or a tab';

const flag = z.boolean(expecting('true or false'));
const aNumber = 'a number from 0 to 2^53';
const aCount = 'a whole number of 0 or more';
export const aMetric = `a metric of an artist (${artistMetrics.join(', ')}) or, with song_id, of a song (${songMetrics.join(', ')})`;

const list = <Item>(item: z.ZodType<Item>, of: string) =>
  z.array(item, expecting(`an array of ${of}`));

const object: MemberRules['object'] = (members, { expected, unread = {} } = {}) => {
  const all = { ...members, ...unread };
  const names = Object.keys(all).join(', ');
  return withOutput(
    z.object(all, expecting(expected ?? `an object with ${names}; {} when nothing is known`)),
  );
};

/**
 * What an import accepts: everything that the gateway can read completely and that the contracts
 * allow. The schemas check stored documents and return them unchanged; their output types are wrong
 * and unused.
 */
export const importRules: MemberRules = {
  text: (maxLength) => text('a text', maxLength),
  name: (maxLength) => text('a text', maxLength).regex(withoutControls, expecting(aName)),
  oneOf: (names) => z.enum(names, expecting(`one of ${names.join(', ')}`)),
  countryCode: z.string(expecting('two letters')).regex(/^[A-Za-z]{2}$/, expecting('two letters')),
  count: z.int(expecting(aCount)).min(0, expecting(aCount)),
  day,
  dayOrInstant,
  documentId: text(),
  flag,
  flagOrFalse: withOutput(flag.nullish()),
  instant: withOutput(instant),
  metric: z
    .number(expecting(aNumber))
    .min(0, expecting(aNumber))
    .max(maxMetric, expecting(aNumber)),
  shownDay,
  stableId,
  url,
  map(names, value, of) {
    const members = Object.fromEntries(names.map((name) => [name, value.optional().nullable()]));
    return withOutput(
      z.object(
        members,
        expecting(`an object of ${of} by name (${names.join(', ')}); {} when none is known`),
      ),
    );
  },
  list,
  object,
  songs: (song) =>
    list(song, 'songs; [] when there are none').superRefine((songs, context) => {
      const ids = new Set<string>();
      for (const [index, { id }] of songs.entries()) {
        if (ids.has(id))
          context.addIssue({
            code: 'custom',
            path: [index, 'id'],
            message: `the song ${id} is listed twice`,
          });
        ids.add(id);
      }
    }),
  seriesMetric: withOutput(z.string(expecting(aMetric))),
  points: (members) =>
    list(object(members, { expected: 'an object with date and value' }), 'points').superRefine(
      (points, context) => {
        const days = points.map(({ date }) => date);
        const index = days.findIndex((date, at) => at > 0 && date <= (days[at - 1] ?? ''));
        if (index === -1) return;
        const message = `${days[index]} after ${days[index - 1]}; expected days in order, one point per day`;
        context.addIssue({ code: 'custom', path: [index, 'date'], message });
      },
    ),
};
