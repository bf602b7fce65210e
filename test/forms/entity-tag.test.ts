import { expect } from 'chai';
import { type Scope, scopes } from '../../src/domain/caller.ts';
import { addDays } from '../../src/domain/day.ts';
import type { Artist } from '../../src/domain/model.ts';
import {
  buildArtist,
  buildKey,
  buildPoint,
  buildSeries,
  buildSong,
  keySourceOf,
} from '../support/builders.ts';
import { createManualClock } from '../support/clock.ts';
import { today } from '../support/forms/numbered-artists.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { createTestSource, type Shortlist, type TestSource } from '../support/source.ts';

/** An artist with a note, an editorial, a spike, and a song with a tracked label. */
const ada = buildArtist({
  id: 'ada',
  name: 'Ada',
  dateAdded: today,
  tier: 'watch',
  signing: { status: 'signed', note: 'A note on Ada.' },
  editorial: {
    scoutingReport: 'A report on Ada.',
    highlights: ['Ada in one line'],
    updatedAt: undefined,
  },
  songs: [buildSong({ rights: { pLine: '℗ 2026 Korvane', checkedAt: undefined } })],
});

/** An artist with a name only, added a week ago. */
const ben = buildArtist({ id: 'ben', name: 'Ben', dateAdded: addDays(today, -7) });

const korvane = { name: 'Korvane', aliases: [] };

const series = [
  buildSeries({
    artistId: 'ada',
    points: [
      ...[7, 3].map((days) => buildPoint(addDays(today, -days), 10_000 - days)),
      buildPoint(today, 15_000),
    ],
  }),
];

const smallShortlist: Shortlist = { artists: [ada, ben], series, labels: [korvane] };

const reads = ['artists:read', 'spikes:read', 'signings:read'] as const;
const viewer = (id: string, ...given: readonly Scope[]) => buildKey({ id, scopes: given });

/** Keys that differ only in their scopes. */
const viewers = {
  all: viewer('all', ...scopes),
  colleague: buildKey({ id: 'colleague', partner: 'Somebody else' }),
  noNotes: viewer('noNotes', ...reads, 'editorial:read'),
  noEditorial: viewer('noEditorial', ...reads, 'signing-notes:read'),
  neither: viewer('neither', ...reads),
  artistsOnly: viewer('artistsOnly', 'artists:read', 'signing-notes:read', 'editorial:read'),
};

const openSmallGateway = (
  source = createTestSource(smallShortlist),
  clock = createManualClock(),
): Promise<TestGateway> =>
  createTestGateway({ source, clock, keys: keySourceOf(Object.values(viewers)) });

/** The `ETag` of an answer in the current form. */
const etagOf = async (
  gateway: TestGateway,
  path: string,
  { text } = viewers.all,
): Promise<string> => {
  const reply = await gateway.send(`/api/v1${path}`, text);
  expect(reply.status, path).to.equal(200);
  expect(reply.headers.etag, path).to.match(/^W\/"[\w-]{20,}"$/);
  return reply.headers.etag ?? '';
};

const paths = [
  '/artists',
  '/artists?limit=1',
  '/artists?limit=2',
  '/artists?tier=watch',
  '/artists?name=ben',
  '/artists?id=ada',
  '/artists?include=history',
  '/artists?added_since=2026-08-01',
  '/artists/ada',
  '/artists/ben',
  '/added?days=7',
  '/added?days=3',
  '/added?days=7&limit=1',
  '/spikes',
  '/spikes?days=7',
  '/signings',
] as const;

type Path = (typeof paths)[number];

const tagsOf = async (gateway: TestGateway): Promise<ReadonlyMap<Path, string>> => {
  const tags = new Map<Path, string>();
  for (const path of paths) tags.set(path, await etagOf(gateway, path));
  return tags;
};

describe('entity tags of the current form', () => {
  let source: TestSource;
  let gateway: TestGateway;
  beforeEach(async () => {
    source = createTestSource(smallShortlist);
    gateway = await openSmallGateway(source);
  });
  afterEach(() => gateway.close());

  it('are equal for equal data on two replicas during a day', async () => {
    const clock = createManualClock('2026-08-22T23:59:59.999Z');
    const replica = await openSmallGateway(createTestSource(smallShortlist), clock);
    expect(await tagsOf(replica)).to.deep.equal(await tagsOf(gateway));
    await replica.close();
  });

  it('are equal for two spellings of a question', async () => {
    expect(await etagOf(gateway, '/artists?limit=50&name=')).to.equal(
      await etagOf(gateway, '/artists'),
    );
    expect(await etagOf(gateway, '/spikes?days=%33')).to.equal(await etagOf(gateway, '/spikes'));
    expect(await etagOf(gateway, '/artists/%61da')).to.equal(await etagOf(gateway, '/artists/ada'));
  });

  it('differ only between scopes that show different fields', async () => {
    for (const path of ['/artists', '/artists/ada', '/signings'] as const) {
      const differing = [viewers.all, viewers.noNotes, viewers.noEditorial, viewers.neither];
      const tags = await Promise.all(differing.map((key) => etagOf(gateway, path, key)));
      expect(new Set(tags).size, path).to.equal(differing.length);
      expect(await etagOf(gateway, path, viewers.colleague), path).to.equal(tags[0]);
    }
    expect(await etagOf(gateway, '/artists', viewers.artistsOnly)).to.equal(
      await etagOf(gateway, '/artists'),
    );
  });

  const renamed = (artist: Artist): Artist => ({
    ...artist,
    updatedAt: artist.updatedAt + 1,
    name: `${artist.name} II`,
  });
  const changes: readonly { name: string; change: Partial<Shortlist>; also?: readonly Path[] }[] = [
    { name: 'an artist', change: { artists: [ada, renamed(ben)] } },
    { name: 'an artist on every list', change: { artists: [renamed(ada), ben] } },
    {
      name: 'an alias of a label',
      change: { labels: [{ ...korvane, aliases: ['KV'] }] },
      also: ['/signings'],
    },
    {
      name: 'the document of an artist, which has the instant of change of the one before',
      change: { artists: [ada, { ...ben, documentId: 'doc_ben_2', name: 'Ben II' }] },
    },
    { name: 'the number of artists', change: { artists: [ada] }, also: ['/artists?limit=1'] },
  ];

  for (const { name, change, also = [] } of changes) {
    it(`change with ${name} exactly where the data changes${also.length > 0 ? `, and for ${also}` : ''}`, async () => {
      const read = async () => {
        const answers = new Map<Path, { readonly tag: unknown; readonly data: unknown }>();
        for (const path of paths) {
          const { status, headers, text } = await gateway.send(`/api/v1${path}`, viewers.all.text);
          if (status === 200) answers.set(path, { tag: headers.etag, data: JSON.parse(text).data });
        }
        return answers;
      };
      const before = await read();
      source.change({ ...smallShortlist, ...change });
      await gateway.gateway.catalogue.refresh();
      const after = await read();
      // without the detail of the artist that is gone
      expect(after.size).to.be.within(paths.length - 1, paths.length);
      for (const [path, { tag, data }] of after) {
        const isOther =
          JSON.stringify(data) !== JSON.stringify(before.get(path)?.data) || also.includes(path);
        expect(tag !== before.get(path)?.tag, path).to.equal(isOther);
      }
    });
  }

  it('of health change with data and day only, not with keys or replicas', async () => {
    const clock = createManualClock('2026-08-22T23:59:59.999Z');
    const replica = await openSmallGateway(createTestSource(smallShortlist), clock);
    const tagOf = async ({ send }: TestGateway, key?: string) =>
      String((await send('/api/v1/health', key)).headers.etag);
    const tags = [await tagOf(gateway)];
    for (const change of changes) {
      source.change({ ...smallShortlist, ...change.change });
      await gateway.gateway.catalogue.refresh();
      tags.push(await tagOf(gateway));
    }
    expect(await tagOf(replica)).to.equal(tags[0]);
    expect(await tagOf(replica, viewers.neither.text)).to.equal(tags[0]);
    clock.advance(1);
    tags.push(await tagOf(replica));
    expect(new Set(tags).size).to.equal(tags.length);
    await replica.close();
  });

  it('of health are absent before the first load, and never answered with 304', async () => {
    const tag = String((await gateway.send('/api/v1/health')).headers.etag);
    const known = { headers: { 'If-None-Match': tag } };
    expect((await gateway.send('/api/v1/health', undefined, known)).status).to.equal(200);
    const load = () => Promise.reject(new Error('not reachable'));
    const empty = await createTestGateway({ source: { ...source, load } });
    const { status, headers } = await empty.send('/api/v1/health');
    expect([status, headers.etag]).to.deep.equal([200, undefined]);
    await empty.close();
  });

  it('of spikes differ between gateways with other settings', async () => {
    for (const settings of [{ SPIKE_FLOOR: '999' }, { SPIKE_THRESHOLD_PERCENT: '21' }]) {
      const other = await createTestGateway({ source, keys: keySourceOf([viewers.all]), settings });
      expect(await etagOf(other, '/spikes')).to.not.equal(await etagOf(gateway, '/spikes'));
      await other.close();
    }
  });

  it('change with the day only for answers that depend on it', async () => {
    const before = await tagsOf(gateway);
    gateway.clock.advance(12 * 3_600_000);
    await Promise.all([gateway.gateway.keys.refresh(), gateway.gateway.catalogue.refresh()]);
    const after = await tagsOf(gateway);
    const moved = paths.filter((path) => after.get(path) !== before.get(path));
    expect(moved).to.deep.equal(['/added?days=7', '/spikes', '/spikes?days=7']);
  });
});
