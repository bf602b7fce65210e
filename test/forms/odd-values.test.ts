import fc from 'fast-check';
import { createEmbeddedCatalogue } from '../../adapters/stores/embedded/catalogue.ts';
import { useStarted } from '../support/cleanup.ts';
import { createManualClock } from '../support/clock.ts';
import { today } from '../support/forms/numbered-artists.ts';
import { oddValues, type Parameter, texts } from '../support/forms/odd-values.ts';
import type { Pair, Route } from '../support/forms/random-questions.ts';
import {
  askCurrent,
  askVariant,
  naming,
  openRun,
  questionKeySource,
  type Run,
} from '../support/forms/random-run.ts';
import { daysBefore, type Shortlist, units } from '../support/forms/random-shortlist.ts';
import { createTestGateway } from '../support/gateway.ts';
import { type Adapters, openAdapters } from '../support/partners/adapter.ts';
import { createDocumentFolder } from '../support/stores/document-folder.ts';

const names = texts(
  'A b|Be\u0301a|100%|x.*y|(a+)+$|back\\slash|[braces]|{"$gt":""}|ΧΑΛΚΙΝΕΣ ΝΥΧΤΕΣ|ΟΔΥΣΣΕΥΣ|Straße|🎹🎸|zero\u200bwidth|月見坂ラジオ|STRAẞE|ΐ|tab\tbed|two  blanks|nul\0l|line\nbreak|\u03b1\u0345\u0301',
);

/**
 * More than any limit: one of tomorrow, one of today, and one of each day before, with every member
 * or none.
 */
const artists = fc
  .sample(units(today, fc.constant('')), { seed: 7, numRuns: 250 })
  .map((unit, index) => ({
    ...unit(0).artist,
    _id: `doc_${index}`,
    id: `art_${index}`,
    name: names[index % names.length] ?? '',
    date_added: daysBefore(today, index - 1),
  }));

/** Doubles every day, so that every window of comparison finds a spike. */
const points = Array.from({ length: 34 }, (_, index) => ({
  date: daysBefore(today, 33 - index),
  value: 1000 * 2 ** index,
}));
const shortlist: Shortlist = {
  artists,
  history: [{ artist_id: 'art_1', metric: 'monthly_listeners', points }],
  labels: [{ name: 'Korvane', aliases: [] }],
};

const unknown = texts(
  'LIMIT|lmit|limit[]|name[]|name[$ne]|name[$regex]|tier[]|__proto__|__proto__[limit]|constructor|toString|_method|api_key',
);

/** The parameters that a route is asked with; some are those of other routes. */
const parameters: Readonly<Record<Exclude<Route, 'artist'>, readonly Parameter[]>> = {
  artists: [
    'limit',
    'new',
    'added_since',
    'tier',
    'id',
    'signed',
    'fields',
    'include',
    'name',
    'cursor',
  ],
  added: ['days', 'limit', 'tier', 'cursor', 'include'],
  spikes: ['days', 'limit'],
  signings: ['days'],
};

/** Queries as they are sent, and the parameters that they have. */
const spellings: readonly (readonly [
  query: string,
  ...pairs: readonly (readonly [string, string])[],
])[] = [
  ['&'],
  ['limit', ['limit', '']],
  ['limit=%35', ['limit', '5']],
  ['%6cimit=5', ['limit', '5']],
  ['limit=+5', ['limit', ' 5']],
  ['name=x+y', ['name', 'x y']],
  ['limit=1;name=x', ['limit', '1;name=x']],
  ['?limit=5', ['?limit', '5']],
  ['&&&=&', ['', '']],
  ['a=1&b=2&a=3', ['a', '1'], ['b', '2'], ['a', '3']],
  ['x%0d%0aSet-Cookie:%20a=b', ['x\r\nSet-Cookie: a', 'b']],
  ['%zz=1', ['%zz', '1']],
  ['id=doc_7&id=%ff', ['id', 'doc_7'], ['id', '%ff']],
  ['id=%ff&id=doc_7', ['id', '%ff'], ['id', 'doc_7']],
  ['%69d=doc_7&id=%ff', ['id', 'doc_7'], ['id', '%ff']],
  ['x=%zz&id=100%', ['x', '%zz'], ['id', '100%']],
];

/**
 * Each value by itself; then the first and the last before and after another one, beside a tier,
 * and malformed.
 */
const queriesOf = (name: string, given: readonly string[]): readonly (readonly Pair[])[] => {
  const pair = (value: string): Pair => ({ name, value });
  const [first = '', second = first] = given;
  return [
    ...given.map((value) => [pair(value)]),
    ...[first, given.at(-1) ?? ''].flatMap((odd) => [
      [pair(odd), pair(second)],
      [pair(second), pair(odd)],
      [pair(odd), { name: 'tier', value: 'watch' }],
    ]),
    ...texts('%ff|%ff%fe|%ED%A0%80|%C0%AE|%|%zz').map((value) => [
      { name, value, isMalformed: true },
    ]),
  ];
};

describe('odd values of parameters', () => {
  let run: Run;
  let adapters: Adapters;
  const folder = useStarted(createDocumentFolder, ({ close }) => close());
  before(async () => {
    await folder.write({ ...shortlist });
    const clock = createManualClock();
    adapters = openAdapters(clock);
    const source = createEmbeddedCatalogue({ folder: folder.path, clock, rebaseToToday: false });
    run = openRun(await createTestGateway({ clock, source, keys: questionKeySource }));
  });
  after(async () => {
    await adapters.close();
    await run.gateway.close();
  });

  /** Asks both forms, and names the parameters when an answer is wrong. */
  const askBoth = async (
    route: Exclude<Route, 'artist'>,
    pairs: readonly Pair[],
    spelling?: string,
  ): Promise<void> => {
    const given = { route, id: '', pairs, scopes: 'reads', after: undefined } as const;
    const question = spelling === undefined ? given : { ...given, spelling };
    const ask = async (): Promise<void> => {
      await askCurrent(run, question, [shortlist], false);
      if (route !== 'added') await askVariant(run, adapters, question, shortlist);
    };
    await naming('odd values', question, ask());
  };

  for (const route of ['artists', 'added', 'spikes', 'signings'] as const) {
    for (const name of parameters[route]) {
      it(`of ${name} at /${route} are answered as the oracles say`, async () => {
        for (const pairs of queriesOf(name, oddValues[name])) await askBoth(route, pairs);
      });
    }
  }

  it('of names that no form has are answered as the oracles say', async () => {
    for (const name of unknown)
      for (const value of ['', '5']) await askBoth('artists', [{ name, value }]);
  });

  it('in odd spellings are answered as the oracles say', async () => {
    for (const [spelling, ...pairs] of spellings) {
      const isMalformed = (text: string): boolean => /%/.test(text);
      const read = pairs.map(([name, value]) => ({
        name,
        value,
        isMalformed: isMalformed(name + value),
      }));
      await askBoth('artists', read, spelling);
    }
  });

  it('in great number are answered as the oracles say', () =>
    askBoth(
      'artists',
      Array.from({ length: 300 }, (_, index) => ({ name: `p${index}`, value: '' })),
    ));

  for (const bytes of [2_048, 2_049]) {
    it(`in a query of ${bytes} bytes are answered as the oracles say`, async () => {
      const pairs = [{ name: 'x'.repeat(bytes - '='.length), value: '' }];
      for (const route of ['artists', 'spikes', 'signings'] as const) await askBoth(route, pairs);
    });
  }
});
