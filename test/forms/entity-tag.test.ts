import { expect } from 'chai';
import { createManualClock } from '../support/clock.ts';
import {
  ada,
  ben,
  etagOf,
  korvane,
  openSmallGateway,
  series,
  smallShortlist,
  viewers,
  withLaterUpdate,
} from '../support/forms/small-shortlist.ts';
import type { TestGateway } from '../support/gateway.ts';
import { createTestSource, type Shortlist, type TestSource } from '../support/source.ts';

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

describe('the entity tag of the current form', () => {
  let source: TestSource;
  let gateway: TestGateway;
  beforeEach(async () => {
    source = createTestSource(smallShortlist);
    gateway = await openSmallGateway(source);
  });
  afterEach(() => gateway.close());

  it('is equal for equal data on two gateways, at two instants of a day', async () => {
    const clock = createManualClock('2026-08-22T23:59:59.999Z');
    const replica = await openSmallGateway(createTestSource(smallShortlist), clock);
    expect(await tagsOf(replica)).to.deep.equal(await tagsOf(gateway));
    await replica.close();
  });

  it('is another for every question', async () => {
    expect(new Set((await tagsOf(gateway)).values()).size).to.equal(paths.length);
  });

  it('is the same for two spellings of a question', async () => {
    expect(await etagOf(gateway, '/artists?limit=50&name=')).to.equal(await etagOf(gateway, '/artists'));
    expect(await etagOf(gateway, '/spikes?days=%33')).to.equal(await etagOf(gateway, '/spikes'));
    expect(await etagOf(gateway, '/artists/%61da')).to.equal(await etagOf(gateway, '/artists/ada'));
  });

  it('is another for every way of seeing an artist, and the same for the same way', async () => {
    for (const path of ['/artists', '/artists/ada', '/signings', '/artists?include=history'] as const) {
      const seen = [viewers.all, viewers.noNotes, viewers.noEditorial, viewers.neither];
      const tags = await Promise.all(seen.map((key) => etagOf(gateway, path, key)));
      expect(new Set(tags).size, path).to.equal(seen.length);
      expect(await etagOf(gateway, path, viewers.colleague), path).to.equal(tags[0]);
    }
    expect(await etagOf(gateway, '/artists', viewers.artistsOnly)).to.equal(await etagOf(gateway, '/artists'));
  });

  const changes: readonly { what: string; shortlist: Shortlist; changed: readonly Path[] }[] = [
    {
      what: 'an artist changes',
      shortlist: { ...smallShortlist, artists: [ada, withLaterUpdate(ben)] },
      changed: [
        '/artists',
        '/artists?limit=2',
        '/artists?name=ben',
        '/artists?include=history',
        '/artists?added_since=2026-08-01',
        '/artists/ben',
        '/added?days=7',
      ],
    },
    {
      what: 'an artist on every list changes',
      shortlist: { ...smallShortlist, artists: [withLaterUpdate(ada), ben] },
      changed: paths.filter((path) => path !== '/artists?name=ben' && path !== '/artists/ben'),
    },
    {
      what: 'a label is tracked that nobody has',
      shortlist: { ...smallShortlist, labels: [korvane, { name: 'Nobody Records', aliases: [] }] },
      changed: ['/signings'],
    },
    {
      what: 'an artist goes who is on no list of spikes or signings',
      shortlist: { artists: [ada], series, labels: [korvane] },
      changed: [
        '/artists',
        '/artists?limit=1',
        '/artists?limit=2',
        '/artists?name=ben',
        '/artists?include=history',
        '/artists?added_since=2026-08-01',
        '/added?days=7',
      ],
    },
  ];

  for (const { what, shortlist, changed } of changes) {
    it(`changes for the answers that hold it, and for no other, when ${what}`, async () => {
      const before = await tagsOf(gateway);
      source.change(shortlist);
      await gateway.gateway.catalogue.refresh();
      for (const path of paths) {
        const reply = await gateway.send(`/api/v1${path}`, viewers.all.text);
        if (reply.status === 404) continue; // the one that went
        const same = reply.headers.etag === before.get(path);
        expect(same, path).to.equal(!changed.includes(path));
      }
    });
  }

  it('changes with the day only where the day matters', async () => {
    const before = await tagsOf(gateway);
    gateway.clock.advance(12 * 3_600_000);
    await Promise.all([gateway.gateway.keys.refresh(), gateway.gateway.catalogue.refresh()]);
    const after = await tagsOf(gateway);
    const moved = paths.filter((path) => after.get(path) !== before.get(path));
    expect(moved).to.deep.equal(['/added?days=7', '/spikes', '/spikes?days=7']);
  });

  it('is not on a refusal, nor on health', async () => {
    for (const path of ['/artists?limit=0', '/artists/nobody', '/nothing', '/health']) {
      expect((await gateway.send(`/api/v1${path}`, viewers.all.text)).headers, path).not.to.have.property('etag');
    }
  });
});
