import { z } from 'zod';
import {
  artistMetrics,
  type HistoryPoint,
  type Known,
  type MemberRules,
  type ModelOf,
  type Shape,
  songMetrics,
} from '../../../src/domain/model.ts';
import { compareSongs } from '../../../src/domain/order.ts';
import { isObjectId, type ObjectId } from './document-id.ts';

/** Characters. */
export const maxTextLength = 100_000;

/**
 * Seam: zod compares the `length` of any value. A stored object may have a `length` whose comparison
 * throws, which would fail the load of a whole collection. zod's types lack this option.
 */
export const onlyTexts = {
  abort: false,
  when: ({ value }: { readonly value: unknown }) => typeof value === 'string',
};

/** Maximum UTF-8 bytes of a stable id: a cursor with the id must fit in a query with a name. */
export const maxIdBytes = 200;

/** Programs resolve dots in a path, and the gateway has no path with control characters. */
export const idInPath = /^(?!\.{1,2}$)\P{Cc}*$/u;

export const fitsCursor = (id: string): boolean => Buffer.byteLength(id) <= maxIdBytes;

/** The largest number in the contracts: whole numbers up to it are exact. */
export const maxMetric = 2 ** 53;

/** Seam: a schema with this output, because TypeScript cannot follow the field names. */
export const withOutput = <Model>(schema: z.ZodType): z.ZodType<Model> =>
  schema as z.ZodType<Model>;

const text = (maxLength = maxTextLength) => z.string().min(1, onlyTexts).max(maxLength, onlyTexts);

const wholeInstant = z.iso.datetime({ offset: true });

/** A time that may lack seconds, and the colon or the minutes of its offset. */
const shortInstant = /^(.{10}T\d\d:\d\d)(:\d\d(?:\.\d+)?)?(?:(Z)|([+-]\d\d):?(\d\d)?)$/;

/** Completes an ISO 8601 time to RFC 3339. */
const toWhole = (value: string): string =>
  value.replace(
    shortInstant,
    (_, minute: string, seconds = ':00', utc = '', hours = '', minutes = '00') =>
      `${minute}${seconds}${utc || `${hours}:${minutes}`}`,
  );

const instantText = z.union([wholeInstant, z.string().transform(toWhole).pipe(wholeInstant)]);
const normalLength = '2026-08-22T11:00:00.000Z'.length;

/**
 * Normalises a time to UTC with milliseconds. Most are stored in this format, and no other format
 * has its length; formatting costs more than all other checks.
 */
const normalise = (value: string): string =>
  value.length === normalLength ? value : new Date(value).toISOString();

/** A day or time that the gateway only displays, with times normalised to UTC with milliseconds. */
const shownDay = z.union([
  z.date().transform((date) => date.toISOString()),
  instantText.transform(normalise),
  text(),
]);

const strayPercent = /%(?![\da-f]{2})/gi;

/**
 * Characters that RFC 3986 does not allow after the authority of a URI, in addition to a second
 * `#`.
 */
const notInPath = /[^\w\-.~:/?#@!$&'()*+,;=%]|%(?![\da-f]{2})/gi;

/**
 * Encodes an address as a URI, as the contracts promise. Browsers accept blanks, `|` or letters
 * outside ASCII, but partners' programs reject a whole list for one of them.
 */
const toUri = (value: string): string => {
  if (value.search(notInPath) === -1 && !/#.*#/s.test(value)) return value;
  const { href } = new URL(value);
  const start = href.indexOf('/', href.indexOf('//') + 2);
  const authority = href.slice(0, start).replaceAll(strayPercent, '%25');
  const escaped = href.slice(start).replaceAll(notInPath, encodeURIComponent);
  const [path, ...fragment] = escaped.split('#');
  return `${authority}${path}${fragment.length === 0 ? '' : `#${fragment.join('%23')}`}`;
};

/**
 * The first schema checks the scheme with a pattern, because zod's option `protocol` parses every
 * address as a `URL`, which takes three times as long. The second schema parses rejected addresses,
 * because an optimised `URL.canParse` of Node 20 and 22 rejects valid addresses that are not ASCII.
 */
const url = z
  .union(
    [
      z
        .url()
        .regex(/^https?:\/\//i)
        .max(maxTextLength, onlyTexts),
      z.url({ protocol: /^https?$/ }).max(maxTextLength, onlyTexts),
    ],
    { error: 'Invalid URL' },
  )
  .transform(toUri);

/** The members of a map with these names that have a value, in this order. */
const presentMembers =
  (names: readonly string[]) =>
  (map: Readonly<Record<string, unknown>>): Record<string, unknown> => {
    const picked: Record<string, unknown> = {};
    for (const name of names) if ((map[name] ?? null) !== null) picked[name] = map[name];
    return picked;
  };

/** The model's name of a stored field. */
export const camelCase = (name: string): string =>
  name === '_id'
    ? 'documentId'
    : name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Parses an object with these members into its model. */
const toModel = <Members extends Shape>(members: Members): z.ZodType<ModelOf<Members>> => {
  const names = Object.keys(members).map((name) => [name, camelCase(name)] as const);
  const convert = (document: Readonly<Record<string, unknown>>): Record<string, unknown> => {
    const model: Record<string, unknown> = {};
    for (const [name, key] of names) model[key] = document[name] ?? undefined;
    return model;
  };
  return withOutput(z.object(members).transform(convert));
};

/**
 * Written out: startup makes millions, and an object that gets its members one by one uses a third
 * more memory.
 */
const toPoint = ({ date, value, estimated, stale, terminal }: HistoryPoint): HistoryPoint => ({
  date,
  value,
  estimated,
  stale,
  terminal,
});

/**
 * What a gateway accepts, as models: more than an import accepts, because it must serve stored
 * data.
 */
export const storedRules: MemberRules = {
  text,
  name: text,
  oneOf: z.enum,
  countryCode: z.string().regex(/^[A-Za-z]{2}$/, 'must be two letters'),
  count: z.int(),
  day: z.iso.date(),
  /** As text; MongoDB may have generated it as an ObjectId. */
  documentId: z.union([text(), z.custom<ObjectId>(isObjectId).transform((id) => id.toHexString())]),
  flag: z.boolean(),
  flagOrFalse: z
    .boolean()
    .nullish()
    .transform((stored) => stored ?? false),
  /** From an ISO 8601 text or a BSON date. */
  instant: z.union([z.date(), instantText]).transform((stored) => new Date(stored).getTime()),
  metric: z.number().min(-maxMetric).max(maxMetric),
  shownDay,
  dayOrInstant: shownDay,
  stableId: z
    .string()
    .min(1, onlyTexts)
    .regex(idInPath, 'cannot stand in a URL')
    .refine(fitsCursor, `must have at most ${maxIdBytes} bytes`),
  url,
  map: <Name extends string, Value>(names: readonly Name[], value: z.ZodType<Value>) =>
    withOutput<Known<Name, Value>>(
      z
        .record(z.string(), z.unknown())
        .transform(presentMembers(names))
        .pipe(z.object(Object.fromEntries(names.map((name) => [name, value.exactOptional()])))),
    ),
  list: (item) => z.array(item),
  object: toModel,
  songs: (song) => z.array(song).transform((songs) => songs.sort(compareSongs)),
  seriesMetric: z.enum([...artistMetrics, ...songMetrics]),
  points: (members) =>
    z
      .array(z.object(members).transform(toPoint))
      .refine(
        (points) =>
          points.every(({ date }, index) => index === 0 || date > (points[index - 1]?.date ?? '')),
        'must ascend by date, one point a day',
      ),
};
