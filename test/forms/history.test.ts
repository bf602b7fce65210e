import { expect } from 'chai';
import { z } from 'zod';
import { artistDetailWire, artistListWire } from '../../adapters/forms/current/wire.ts';
import { createManualClock } from '../support/clock.ts';
import { formExpectations } from '../support/forms/form-expectations.ts';
import { today } from '../support/forms/numbered-artists.ts';
import { openSmallGateway, viewers } from '../support/forms/small-shortlist.ts';
import type { TestGateway } from '../support/gateway.ts';

const listOf = (text: string) => artistListWire.parse(JSON.parse(text)).data;

describe('history', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openSmallGateway();
  });
  after(() => gateway.close());

  const ask = async (path: string, key = viewers.all): Promise<string> =>
    (await gateway.send(`/api/v1${path}`, key.text)).text;

  const adasHistory = {
    monthly_listeners: [
      { date: '2026-08-15', value: 5_000 },
      { date: '2026-08-19', value: 10_000 },
      { date: '2026-08-21', value: 11_000, estimated: true },
      { date: today, value: 15_000 },
    ],
  };
  const songHistory = { streams: [{ date: today, value: 7, stale: true, terminal: true }] };

  it('is in artists and songs of a list with include=history, empty where there is no series', async () => {
    const [ada, ben] = listOf(await ask('/artists?include=history'));
    expect(ada?.history).to.deep.equal(adasHistory);
    expect(ada?.songs.map(({ history }) => history)).to.deep.equal([songHistory, {}]);
    expect(ben?.history).to.deep.equal({});
  });

  it('is in the artist and its songs of the detail, empty where there is no series', async () => {
    const { data: ada } = artistDetailWire.parse(JSON.parse(await ask('/artists/ada')));
    expect(ada.history).to.deep.equal(adasHistory);
    expect(ada.songs.map(({ history }) => history)).to.deep.equal([songHistory, {}]);
    const { data: ben } = artistDetailWire.parse(JSON.parse(await ask('/artists/ben')));
    expect(ben.history).to.deep.equal({});
  });

  it('changes no other member of an artist', async () => {
    const [plain] = listOf(await ask('/artists?limit=1'));
    const [withHistory] = listOf(await ask('/artists?limit=1&include=history'));
    const { data: detail } = artistDetailWire.parse(JSON.parse(await ask('/artists/ada')));
    expect(detail).to.deep.equal(withHistory);
    const stripped = {
      ...detail,
      history: undefined,
      songs: detail.songs.map((song) => ({ ...song, history: undefined })),
    };
    expect(JSON.stringify(stripped)).to.equal(JSON.stringify(plain));
  });

  for (const path of ['/artists', '/artists?id=ada', '/added']) {
    it(`is absent from ${path}`, async () => {
      const artists = listOf(await ask(path));
      expect(artists.map(({ id }) => id)).to.include('ada');
      for (const artist of artists) {
        expect(artist).not.to.have.property('history');
        for (const song of artist.songs) expect(song).not.to.have.property('history');
      }
    });
  }

  it('is absent from the variant form, for any query', async () => {
    for (const path of ['/artists?include=history', '/artists?fields=history', '/spikes', '/signings']) {
      expect(await ask(path, viewers.variant), path)
        .to.include('"success":true')
        .and.not.include('"history"');
    }
  });

  it('is an empty list when no artist matches', async () => {
    expect(listOf(await ask('/artists?include=history&tier=nope'))).to.deep.equal([]);
  });

  it('does not change the meta of a list', async () => {
    const meta = z.object({ meta: z.object({ count: z.int(), next_cursor: z.string().nullable() }) });
    const metaOf = async (path: string) => meta.parse(JSON.parse(await ask(path))).meta;
    expect(await metaOf('/artists?limit=1&include=history')).to.deep.equal(await metaOf('/artists?limit=1'));
    expect((await metaOf('/artists?limit=1')).count).to.equal(1);
  });
});

describe('history while its store is down', () => {
  const read = async (): Promise<never> => {
    throw new Error('store is down');
  };
  let gateway: TestGateway;
  before(async () => {
    gateway = await openSmallGateway(undefined, createManualClock(), { read });
  });
  after(() => gateway.close());

  for (const path of ['/api/v1/artists/ada', '/api/v1/artists?include=history']) {
    it(`answers ${path} with 503 and refunds the quota unit`, async () => {
      const left = async () =>
        (await gateway.send('/api/v1/signings', viewers.all.text)).headers['x-ratelimit-remaining'];
      const before = Number(await left());
      const reply = await gateway.send(path, viewers.all.text);
      expect(reply.status).to.equal(503);
      expect(formExpectations.current.readError(reply.text).code).to.equal('service_unavailable');
      expect(reply.headers['retry-after']).to.match(/^[1-9]\d*$/);
      expect(reply.headers).not.to.have.any.keys('etag', 'x-ratelimit-limit');
      expect(Number(await left())).to.equal(before - 1);
    });
  }

  it('does not affect other answers', async () => {
    const others = [
      '/artists',
      '/artists?id=ada',
      '/added',
      '/spikes',
      '/signings',
      '/artists?include=history&id=nobody',
    ];
    for (const path of others) {
      expect((await gateway.send(`/api/v1${path}`, viewers.all.text)).status, path).to.equal(200);
    }
  });

  it('logs the cause and does not send it', async () => {
    const reply = await gateway.send('/api/v1/artists/ada', viewers.all.text);
    expect(reply.text).not.to.include('store is down');
    const failed = gateway.log.entries.filter(({ event }) => event === 'request failed');
    const causes = failed.map(({ facts }) => 'err' in facts && facts.err instanceof Error && facts.err.cause);
    expect(causes.at(-1)).to.be.instanceOf(Error).with.property('message', 'store is down');
  });
});
