import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { addDays } from '../../src/domain/day.ts';
import { buildPoint, buildSeries } from '../support/builders.ts';
import { keys } from '../support/forms/form-keys.ts';
import { numberedArtists } from '../support/forms/numbered-artists.ts';
import { createTestGateway, useGateway } from '../support/gateway.ts';
import type { RawReply } from '../support/raw.ts';
import { createTestSource } from '../support/source.ts';

const series = numberedArtists.slice(0, 100).map(({ id }) =>
  buildSeries({
    artistId: id,
    metric: 'monthly_listeners',
    points: Array.from({ length: 300 }, (_, index) =>
      buildPoint(addDays('2025-01-01', index), index * index),
    ),
  }),
);

const dataIn = (text: string): unknown => JSON.parse(text).data;
const unzipped = ({ body }: RawReply): string => gunzipSync(body).toString();

describe('compression', () => {
  const gateway = useGateway(() =>
    createTestGateway({
      source: createTestSource({ artists: numberedArtists, series }),
    }),
  );

  const ask = (path: string, headers: Record<string, string> = {}) =>
    gateway.send(`/api/v1${path}`, keys.current.full.text, { headers });
  const gzip = { 'Accept-Encoding': 'gzip' };

  for (const path of ['/artists?limit=7&tier=watch', '/added?days=90', '/artists/art_003']) {
    it(`sends ${path} with gzip in less than half of the bytes`, async () => {
      const plain = await ask(path);
      const encoded = await ask(path, gzip);
      expect(encoded.headers).to.include({ 'content-encoding': 'gzip' });
      expect(dataIn(unzipped(encoded))).to.deep.equal(dataIn(plain.text));
      expect(Number(encoded.headers['content-length'])).to.equal(encoded.body.length);
      expect(encoded.body.length).to.be.below(plain.body.length / 2);
      expect(encoded.headers.etag).to.equal(plain.headers.etag);
      expect(encoded.headers.vary).to.equal('Authorization, X-Envelope, Accept-Encoding');
      expect(plain.headers).to.not.have.property('content-encoding');
      expect(plain.headers.vary).to.equal(encoded.headers.vary);
    });
  }

  it('streams a list with history with gzip', async () => {
    const path = '/artists?include=history&limit=100';
    const [plain, encoded] = [await ask(path), await ask(path, gzip)];
    expect(encoded.headers).to.include({
      'content-encoding': 'gzip',
      'transfer-encoding': 'chunked',
    });
    expect(dataIn(unzipped(encoded))).to.deep.equal(dataIn(plain.text));
    expect(encoded.body.length).to.be.below(plain.body.length / 2);
  });

  it('applies gzip as Accept-Encoding allows', async () => {
    const isEncoded = async (accepts: string) =>
      (await ask('/artists', { 'Accept-Encoding': accepts })).headers['content-encoding'] ===
      'gzip';
    for (const yes of ['gzip, deflate, br', 'GZIP', '*', 'br;q=1, gzip;q=0.1, identity;q=0'])
      expect(await isEncoded(yes), yes).to.equal(true);
    const long = ['gzip', ...Array.from({ length: 200 }, () => 'br')].join();
    const others = ['identity', '', 'deflate, br', 'gzip;q=0', '*;q=0', 'identity, gzip;q=0.5'];
    for (const no of [...others, long]) expect(await isEncoded(no), no).to.equal(false);
  });

  it('never compresses small answers and errors', async () => {
    for (const path of ['/health', '/spikes', '/artists?limit=0', '/artists/nobody', '/nothing']) {
      for (let time = 0; time < 3; time++) {
        expect((await ask(path, gzip)).headers, path).to.not.have.property('content-encoding');
      }
    }
  });
});
