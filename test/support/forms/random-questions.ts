import { expect } from 'chai';
import fc from 'fast-check';
import { tiers } from '../../../src/domain/model.ts';
import { byForm, type ComparedForm } from '../../../tools/migration/mapping/forms.ts';
import { buildKey, keySourceOf } from '../builders.ts';
import { decodedText, type TestGateway } from '../gateway.ts';
import { artistIds, daysBefore, nameParts, oddNameParts } from './random-shortlist.ts';

/** Texts between bars. */
const texts = (joined: string): readonly string[] => joined.split('|');

const oddNumbers = texts(
  `1|7|30|31|90|91|100|101|200|201|0||010|07|0x10|0b11|1e2|5.0| 5 |+5|50\n|5\0|-0|-1|NaN|Infinity|true|1_0|٥|５|no|${'9'.repeat(20)}|${'9'.repeat(400)}`,
);
const days = texts('2026-08-15|2026-08-22|2026-08-23|9999-12-31|1970-01-01|2024-02-29|0001-01-01');
const notDays = texts(
  '0000-01-01|0000-12-31|10000-01-01|2026-02-30|2023-02-29|2026-13-01|2026-1-1|20260101|x||2026-01-01T00:00:00Z|2026-01-01 |2026-01-01\n| 2026-01-01|+2026-01-01|12026-01-01',
);
const sought = texts(
  'a b|A B|b\u00e9a|be\u0301a|.*|(a+)+$|100%|\\|[|{"$gt":""}|χαλκινες|STRASSE|straße|🎸|\u200b|\u202e|見坂|\t|  |L\0l|e\nb|\x7f|ι|\u03b1\u0301\u0345|οδυσσευς|',
);
const limitsOfName = ['y', '🎸'].flatMap((letter) => [letter.repeat(120), letter.repeat(121)]);
/**
 * Values of parameters, most of them odd.
 */
export const oddValues = {
  limit: oddNumbers,
  days: oddNumbers,
  new: [...texts('0|1|abc|1.5| 1|9007199254740991|9007199254740992'), ...oddNumbers],
  added_since: [...days, ...notDays],
  tier: texts('watch|nope|WATCH|'),
  id: texts('art_7|doc_7|nobody|__proto__|a\0b|'),
  signed: texts('true|TRUE|false|False|maybe|1|'),
  fields: texts('basic|all|BASIC|name|'),
  include: texts('history|History|history,x|'),
  name: [...sought, ...limitsOfName],
  cursor: texts('|x|eyJfX3Byb3RvX18iOnt9fQ|W10'),
} as const satisfies Readonly<Record<string, readonly string[]>>;

type Parameter = keyof typeof oddValues;

/** One parameter of a query. A malformed one is no UTF-8 once its percent escapes are decoded. */
export interface Pair {
  readonly name: string;
  readonly value: string;
  readonly isMalformed?: boolean;
}

export const scopeSets = {
  full: ['artists:read', 'spikes:read', 'signings:read', 'editorial:read', 'signing-notes:read'],
  noEditorial: ['artists:read', 'spikes:read', 'signings:read', 'signing-notes:read'],
  noNotes: ['artists:read', 'spikes:read', 'signings:read', 'editorial:read'],
  reads: ['artists:read', 'spikes:read', 'signings:read'],
  noArtists: ['spikes:read', 'signings:read'],
  noSpikes: ['artists:read', 'signings:read'],
  noSignings: ['artists:read', 'spikes:read'],
} as const;

type ScopeSet = keyof typeof scopeSets;

type Route = 'artists' | 'artist' | 'added' | 'spikes' | 'signings';

export interface Question {
  readonly route: Route;
  /** The identifier in the path of `artist`. */
  readonly id: string;
  readonly pairs: readonly Pair[];
  readonly scopes: ScopeSet;
  /** The form of the key, which overrides it where it is not the form of the question. */
  readonly pinned?: ComparedForm;
  /**
   * Which earlier page to go on from, counted back from the last; with its filters or with these
   * ones.
   */
  readonly after: { readonly page: number; readonly withItsFilters: boolean } | undefined;
}

/** A parameter that has one of its usual values three times as often as an odd one. */
const pairsOf = (name: Parameter, usual: string | fc.Arbitrary<string>): fc.Arbitrary<Pair> =>
  fc
    .oneof(
      { weight: 3, arbitrary: typeof usual === 'string' ? fc.constant(usual) : usual },
      fc.constantFrom(...oddValues[name]),
    )
    .map((value) => ({ name, value }));

/** Mostly small numbers, so that pages end before their list does. */
const numbers = (name: Parameter, max: number) =>
  pairsOf(
    name,
    fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: max + 1 })).map(String),
  );

const tier = pairsOf('tier', fc.constantFrom(...tiers));

const malformed = (...names: readonly string[]): fc.Arbitrary<Pair> =>
  fc.constantFrom(...names).map((name) => ({ name, value: '%ff', isMalformed: true }));

const anyName = fc
  .array(fc.constantFrom(...nameParts, ...oddNameParts, 'a', 's', 'ς', 'ss', 'ι', ' '), {
    maxLength: 2,
  })
  .map((parts) => parts.join(''));

const foreign = fc
  .constantFrom(...texts('x|LIMIT|limit[]|name[$ne]|__proto__|constructor|api_key'))
  .map((name) => ({ name, value: '5' }));

/** Usual parameters, with four times the weight of unknown or malformed parameters. */
const mostly = (
  usual: readonly fc.Arbitrary<Pair>[],
  ...rare: readonly fc.Arbitrary<Pair>[]
): fc.Arbitrary<Pair> => fc.oneof(...usual.map((arbitrary) => ({ weight: 4, arbitrary })), ...rare);

/** Up to three parameters. Most of the time each has another name. */
const some = (pair: fc.Arbitrary<Pair>): fc.Arbitrary<readonly Pair[]> =>
  fc.oneof(
    { weight: 16, arbitrary: fc.uniqueArray(pair, { selector: ({ name }) => name, maxLength: 3 }) },
    { weight: 3, arbitrary: fc.array(pair, { maxLength: 3 }) },
    fc.constantFrom(2_046, 2_047).map((length) => [{ name: 'x', value: 'y'.repeat(length) }]),
  );

const currentPairs = (today: string): Readonly<Record<Route, fc.Arbitrary<readonly Pair[]>>> => {
  const artists = mostly(
    [
      pairsOf('name', anyName),
      pairsOf('id', fc.constantFrom(...artistIds, 'doc-art_a')),
      pairsOf(
        'added_since',
        fc.integer({ min: -3, max: 100 }).map((days) => daysBefore(today, days)),
      ),
      tier,
      pairsOf('include', 'history'),
      ...[1, 2, 3].map(() => numbers('limit', 100)), // short pages, to go on from
    ],
    fc.constantFrom(...oddValues.cursor).map((value) => ({ name: 'cursor', value })),
    foreign,
    pairsOf('new', '7'),
    malformed('name', 'tier', 'x'),
  );
  return {
    artists: some(artists),
    artist: some(mostly([foreign], malformed('x'))),
    added: some(mostly([numbers('days', 90), numbers('limit', 100)], foreign, malformed('days'))),
    spikes: some(mostly([numbers('days', 30)], foreign, malformed('days'))),
    signings: some(mostly([foreign, numbers('limit', 100)], malformed('x'))),
  };
};

const variantPairs: Readonly<
  Record<'artists' | 'spikes' | 'signings', fc.Arbitrary<readonly Pair[]>>
> = {
  artists: some(
    mostly(
      [
        pairsOf('id', fc.constantFrom(...artistIds.map((id) => `doc-${id}`), 'art_a')),
        pairsOf('new', fc.integer({ min: 0, max: 100 }).map(String)),
        tier,
        pairsOf('signed', fc.constantFrom('true', 'false')),
        pairsOf('fields', 'basic'),
        numbers('limit', 200),
      ],
      foreign,
      pairsOf('name', 'nova'),
      malformed('id', 'tier', 'new', 'fields', 'limit', 'x'),
    ),
  ),
  spikes: some(mostly([numbers('days', 30)], foreign, malformed('days'))),
  signings: some(mostly([foreign, numbers('limit', 200)], malformed('x'))),
};

const after = fc.oneof(
  fc.constant(undefined),
  fc.record({
    page: fc.integer({ min: 0, max: 3 }),
    withItsFilters: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
  }),
);

const question = (
  route: Route,
  pairs: fc.Arbitrary<readonly Pair[]>,
  scopes: fc.Arbitrary<ScopeSet>,
): fc.Arbitrary<Question> =>
  fc.record({
    route: fc.constant(route),
    id: fc.constantFrom(...artistIds, 'nobody', 'doc-art_a'),
    pairs,
    scopes,
    pinned: fc.constantFrom('current', 'variant'),
    after: route === 'artists' ? after : fc.constant(undefined),
  });

const withReads = fc.constantFrom<ScopeSet>('full', 'noEditorial', 'noNotes', 'reads');

/** Questions as a partner of the current form might ask them, right and wrong. */
export const currentQuestions = (today: string): fc.Arbitrary<Question> => {
  const pairs = currentPairs(today);
  const scopes = fc.oneof(
    { weight: 6, arbitrary: withReads },
    fc.constantFrom<ScopeSet>('noArtists', 'noSpikes', 'noSignings'),
  );
  return fc.oneof(
    { weight: 8, arbitrary: question('artists', pairs.artists, scopes) },
    { weight: 2, arbitrary: question('artist', pairs.artist, scopes) },
    { weight: 2, arbitrary: question('added', pairs.added, scopes) },
    { weight: 3, arbitrary: question('spikes', pairs.spikes, scopes) },
    { weight: 1, arbitrary: question('signings', pairs.signings, scopes) },
  );
};

/** The same of the variant form. A key of it always has the scopes to read. */
export const variantQuestions: fc.Arbitrary<Question> = fc.oneof(
  { weight: 8, arbitrary: question('artists', variantPairs.artists, withReads) },
  { weight: 3, arbitrary: question('spikes', variantPairs.spikes, withReads) },
  { weight: 1, arbitrary: question('signings', variantPairs.signings, withReads) },
);

/** The query of a question, percent-encoded. */
export const queryOf = (pairs: readonly Pair[]): string =>
  pairs
    .map(
      ({ name, value, isMalformed }) =>
        `${name}=${isMalformed ? value : encodeURIComponent(value)}`,
    )
    .join('&');

/** The path and query of a question, percent-encoded. */
export const targetOf = ({ route, id, pairs }: Question): string => {
  const path = route === 'artist' ? `/artists/${encodeURIComponent(id)}` : `/${route}`;
  const query = queryOf(pairs);
  return `/api/v1${path}${query === '' ? '' : `?${query}`}`;
};

/** The keys that questions are asked with: one for each form and set of scopes. */
export const questionKeys = byForm((form) =>
  Object.fromEntries(
    Object.entries(scopeSets).map(([name, scopes]) => [
      name,
      buildKey({ form, id: form + name, scopes, partner: name, allowEnvelopeOverride: true }),
    ]),
  ),
);

export const questionKeySource = keySourceOf(
  Object.values(questionKeys).flatMap((ofForm) => Object.values(ofForm)),
);

/** Sends a question and returns the decoded answer, held against the contract of its form. */
export const askQuestion = async (
  gateway: TestGateway,
  form: ComparedForm,
  question: Question,
  headers: Readonly<Record<string, string>>,
) => {
  const { scopes, pinned = form } = question;
  const key = questionKeys[pinned][scopes]?.text;
  const envelope = pinned === form ? {} : { 'X-Envelope': form };
  const reply = await gateway.send(targetOf(question), key, {
    headers: { ...headers, ...envelope },
  });
  expect(reply.headers['x-envelope-served']).to.equal(form);
  return { ...reply, text: decodedText(reply) };
};

/** Names the question in the failure of an answer. */
export const naming = async (
  which: string,
  question: Question,
  answered: Promise<void>,
): Promise<void> => {
  await answered.catch((difference: Error) => {
    const after = JSON.stringify(question.after ?? '');
    difference.message = `${which}: ${question.scopes} ${targetOf(question)} ${after}: ${difference.message}`;
    throw difference;
  });
};
