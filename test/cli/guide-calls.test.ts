import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { addDays } from '../../src/domain/day.ts';
import { signingStatuses, tiers } from '../../src/domain/model.ts';
import { createUsageCounter } from '../../src/usage/counter.ts';
import { writeGuideOf } from '../../tools/cli/migration/guide.ts';
import { allowances } from '../../tools/cli/policy.ts';
import { assessMove } from '../../tools/migration/assess.ts';
import { mapping } from '../../tools/migration/mapping/mapping.ts';
import { buildArtist, buildOrganization, buildPoint, buildSeries } from '../support/builders.ts';
import { createManualClock } from '../support/clock.ts';
import { keys } from '../support/forms/form-keys.ts';
import { createTestGateway, useGateway } from '../support/gateway.ts';
import { runCheck } from '../support/partners/adapter.ts';
import { createTestSource } from '../support/source.ts';
import { unwrittenTotals } from '../support/usage.ts';

/** A response that a guide promises; without items if it is not a list. */
interface Promised {
  readonly path: string;
  readonly status: number;
  readonly items: number | undefined;
}

const promisedBy = (path: string, text: string): Promised | undefined => {
  const [, status, items] = /^(\d+)(?:, (\d+) items?)?$/.exec(text) ?? [];
  return status === undefined
    ? undefined
    : { path, status: Number(status), items: items === undefined ? undefined : Number(items) };
};

/** A row of a guide's table of calls. */
const readRow = (line: string) => {
  const [first = '', second = '', instead = '', has = '', requests] = line.slice(2).split(' | ');
  const [, path = '', response = ''] = /^`GET (\S+)` → (.*)$/.exec(first) ?? [];
  const [today, after] = [promisedBy(path, response), promisedBy(path, has)];
  if (today === undefined || after === undefined) throw new Error(`No call: ${line}`);
  /** `unchanged`: the same call after the move, if its response differs. */
  const unchanged = promisedBy(path, second);
  return { today, unchanged, instead, items: after.items, requests: Number(requests) };
};
type GuideRow = ReturnType<typeof readRow>;

const valueAt = (item: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => Object(value)[name], item);

const tests: Readonly<Record<string, (found: unknown, value: string) => boolean>> = {
  'equal to': (found, value) => found === value,
  'not equal to': (found, value) => found !== value,
  'not before': (found, value) => typeof found === 'string' && found >= value,
  'not after': (found, value) => typeof found === 'string' && found <= value,
};
const condition = /`(\S+)` (equal to|not equal to|not before|not after) `(\S+)`/g;

/** A response of the current form. */
interface Answered {
  readonly status: number;
  readonly body: { readonly data?: unknown; readonly meta?: { readonly next_cursor?: unknown } };
}

/** Does what a row says instead of its call, knowing only the words of the guide. */
const carryOut = async (
  { instead, today: { path: same } }: GuideRow,
  get: (path: string) => Promise<Answered>,
): Promise<{ readonly items: readonly object[] | undefined; readonly requests: number }> => {
  if (instead === 'nothing: use an empty list') return { items: [], requests: 0 };
  const path = instead === 'the same call' ? same : /^`GET (\S+)`/.exec(instead)?.[1];
  if (path === undefined) throw new Error(`This cannot be carried out: ${instead}`);
  const hasPages = instead.includes('`meta.next_cursor`');
  const stop = Number(/stop at (\d+) items/.exec(instead)?.[1] ?? Infinity);
  const conditions = [...instead.matchAll(condition)];
  const passes = (item: object): boolean =>
    conditions.every(([, member = '', is = '', value = '']) =>
      tests[is]?.(valueAt(item, member), value),
    );
  let items: readonly object[] | undefined;
  let cursor: string | undefined = '';
  let requests = 0;
  for (; cursor !== undefined && (items?.length ?? 0) < stop; requests += 1) {
    const { status, body } = await get(`${path}${cursor}`);
    if (status !== 200) throw new Error(`${path}${cursor}: ${status}`);
    if (Array.isArray(body.data))
      items = [...(items ?? []), ...body.data.filter(passes)].slice(0, stop);
    const next = hasPages ? body.meta?.next_cursor : undefined;
    cursor = typeof next === 'string' ? `&cursor=${next}` : undefined;
  }
  return { items, requests };
};

const today = '2026-08-22';

/** 300 artists, two a day from tomorrow back, of every tier and status and of none. */
const manyArtists = Array.from({ length: 300 }, (_, index) => {
  const number = String(index).padStart(3, '0');
  return buildArtist({
    id: `art_${number}`,
    documentId: `doc_${number}`,
    name: `Artist ${number}`,
    dateAdded: index < 290 ? addDays(today, 1 - Math.floor(index / 2)) : undefined,
    tier: [...tiers, undefined][index % 5],
    signing: { status: [...signingStatuses, undefined][index % 7], note: undefined },
  });
});
const growing = buildSeries({
  artistId: 'art_003',
  metric: 'monthly_listeners',
  points: Array.from({ length: 34 }, (_, index) =>
    buildPoint(addDays(today, index - 33), 1000 * 2 ** index),
  ),
});

/** The queries of one program. A gateway keeps 40 different ones of a key, route and day. */
const artistsCalls = `|limit=20|limit=100|limit=101|limit=150|limit=200|limit=500|limit=0|limit=ten
limit=|limit=99999|limit=5&limit=150|tier=watch|tier=watch&limit=30|tier=breaking&limit=150
tier=Watch|tier=|tier=established&tier=x|signed=true|signed=FALSE|signed=true&limit=5|signed=maybe
tier=watch&signed=true|fields=basic|fields=basic&limit=200|new=0|new=14|new=90|new=91|new=99999
new=abc|new=14&limit=150|new=30&tier=watch|new=60&signed=false&limit=20|id=ID|id=ID&new=30
id=ID&signed=false|id=ID&tier=breaking|id=|name=x`.split(/[|\n]/);
const paths = [
  ...artistsCalls.map((query) => `artists?${query}`),
  ...['artists?id=nobody', 'artists?id=nobody&fields=basic', 'health'],
  ...['', 'days=1', 'days=30', 'days=45', 'days=x', 'days=99999', 'x=1'].map(
    (query) => `spikes?${query}`,
  ),
  ...['signings', 'signings?x=1'],
];
/** Every request but health, which is the same in both forms and no call of a guide. */
const calls = paths.filter((path) => path !== 'health');

const catalogues = {
  'the example catalogue': {},
  '300 artists': { source: createTestSource({ artists: manyArtists, series: [growing] }) },
};

for (const [name, options] of Object.entries(catalogues))
  describe(`the calls of a guide, over ${name}`, () => {
    const clock = createManualClock();
    const usage = createUsageCounter({ clock, instance: 'test' });
    const opened = useGateway(() => createTestGateway({ ...options, clock, usage }));
    const key = keys.variant.override;
    let guide = '';
    let rows: readonly GuideRow[] = [];
    /** The identifier of an artist in the current form, by that in the variant form. */
    const stableIds = new Map<string, string>();

    const get = async (path: string, headers: Record<string, string> = {}) => {
      const { status, body } = await opened.get(path, key.text, headers);
      return { status, body };
    };
    const asCurrent = (path: string) => get(path, { 'X-Envelope': 'current' });

    /** What both forms name an item by. */
    const nameOf = (item: object): unknown => {
      const members = new Map(Object.entries(item));
      const id = members.get('id');
      return id === undefined
        ? [members.get('artist_name'), members.get('metric'), members.get('current')]
        : (stableIds.get(id) ?? id);
    };
    const namesOf = (items: readonly object[] | undefined) => items?.map(nameOf);

    before(async () => {
      const catalogue = opened.gateway.catalogue.value();
      if (catalogue === undefined) throw new Error('There is no catalogue.');
      for (const { artist } of catalogue.snapshot.listed)
        stableIds.set(artist.documentId, artist.id);
      const sample = catalogue.snapshot.listed.find(
        ({ artist: { tier, signing, dateAdded = '' } }) =>
          tier === 'breaking' &&
          signing.status !== 'signed' &&
          dateAdded <= today &&
          dateAdded > addDays(today, -30),
      );
      for (const path of paths)
        await opened.get(
          `/api/v1/${path.replace('id=ID', `id=${sample?.artist.documentId}`)}`,
          key.text,
        );
      const counts = unwrittenTotals(usage).days;
      const now = clock.now();
      const move = assessMove({
        ...{ organization: buildOrganization(), keys: [key.record], days: 30, now, counts },
        ...{ minutes: [], artists: catalogue.snapshot.listed.length, forms },
        allowances,
      });
      const [report] = move.keys;
      if (report === undefined) throw new Error('There is no report.');
      expect(report).to.include({ requests: paths.length, unnamed: 0 });
      const settings = { catalogue, now, baseUrl: 'http://127.0.0.1:1', supportContact: undefined };
      guide = await writeGuideOf(key.record, report, move, settings);
      rows = guide
        .split('\n')
        .filter((line) => line.startsWith('| `GET '))
        .map(readRow);
    });

    it('include every parameter of the variant form', () => {
      for (const { variant } of mapping.parameters) {
        if (variant === undefined) continue;
        const sends = new RegExp(`^${variant.path.slice(1)}\\?(.*&)?${variant.name}=`);
        expect(
          calls.some((call) => sends.test(call)),
          `a call here with ${sends}`,
        ).to.equal(true);
      }
    });

    it('are a row for each call that was made', () => {
      expect(rows).to.have.length(calls.length);
      expect(new Set(rows.map(({ today: { path } }) => path)).size).to.equal(calls.length);
    });

    it('are answered today as it says', async () => {
      for (const { today: told } of rows) {
        const { status, body } = await get(told.path);
        expect({ path: told.path, status, items: body.data?.length }).to.deep.equal(told);
      }
    });

    it('are answered as it says if they are sent unchanged after the move', async () => {
      for (const { today: told, unchanged } of rows) {
        const { status, body } = await asCurrent(told.path);
        const before = await get(told.path);
        if (unchanged === undefined) {
          expect(status, told.path).to.equal(told.status);
          expect(namesOf(body.data), told.path).to.deep.equal(namesOf(before.body.data));
        } else {
          const items = status === 200 ? body.data?.length : undefined;
          expect({ path: told.path, status, items }).to.deep.equal(unchanged);
        }
      }
    });

    it('return the same items in the same order if changed as documented', async () => {
      for (const row of rows) {
        const before = await get(row.today.path);
        const { items, requests } = await carryOut(row, asCurrent);
        expect(requests, row.today.path).to.equal(row.requests);
        expect(items?.length, row.today.path).to.equal(row.items);
        const now = namesOf(items);
        const expected = row.today.status === 404 ? [] : namesOf(before.body.data);
        expect(now, row.today.path).to.deep.equal(expected);
      }
    });

    it('are all equal to artist-gateway.mjs as the guide lists them', async () => {
      const host = `127.0.0.1:${opened.port}`;
      const documentIds = Object.fromEntries([...stableIds].map(([given, own]) => [own, given]));
      const labelsTracked = opened.gateway.catalogue.value()?.snapshot.labels ?? [];
      const { partner } = key.record;
      const lines = /<<'END'\n([\s\S]*?)\nEND\n/.exec(guide)?.[1]?.split('\n') ?? [];
      const from = { host, key: key.text, documentIds, labelsTracked, partner };
      const { printed, errors } = await runCheck(from, lines, { wait: true });
      expect(errors).to.deep.equal([]);
      expect(printed.at(-1)).to.equal(`${calls.length} of ${calls.length} equal`);
    });
  });
