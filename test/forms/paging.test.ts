import { expect } from 'chai';
import { z } from 'zod';
import { buildArtist } from '../support/builders.ts';
import { keySource } from '../support/forms/form-keys.ts';
import { countOrErrorCode, getAs, numberedArtists } from '../support/forms/numbered-artists.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { createTestSource, type TestSource } from '../support/source.ts';

const page = z.object({
  data: z.array(z.object({ id: z.string(), history: z.object({}).optional() })),
  meta: z.object({ count: z.int(), next_cursor: z.string().nullable() }),
});

type Page = z.infer<typeof page>;

const idsOf = ({ data }: Page): string[] => data.map(({ id }) => id);

const allIds = numberedArtists.map(({ id }) => id);

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('paging', () => {
  let source: TestSource;
  let gateway: TestGateway;
  beforeEach(async () => {
    source = createTestSource({ artists: numberedArtists });
    gateway = await createTestGateway({ keys: keySource, source });
  });
  afterEach(() => gateway.close());

  const read = async (query: string, from: TestGateway = gateway): Promise<Page> =>
    page.parse(JSON.parse((await getAs('current', from, `/artists?${query}`)).text));

  const cursorOf = async (query: string): Promise<string> => {
    const cursor = (await read(query)).meta.next_cursor;
    if (cursor === null) throw new Error('there is no further page');
    return cursor;
  };

  const readAll = async (query: string): Promise<string[]> => {
    const ids: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const next: Page = await read(`${query}${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect(next.meta.count).to.equal(next.data.length);
      ids.push(...idsOf(next));
      cursor = next.meta.next_cursor;
    }
    return ids;
  };

  for (const limit of [7, 50, 100]) {
    it(`shows every artist once and in order with limit=${limit}`, async () => {
      expect(await readAll(`limit=${limit}`)).to.deep.equal(allIds);
    });
  }

  it('applies the filters on every page', async () => {
    const watched = numberedArtists.filter(({ tier }) => tier === 'watch').map(({ id }) => id);
    expect(await readAll('tier=watch&limit=9')).to.deep.equal(watched);
    expect(await readAll('name=artist%2002&limit=3')).to.deep.equal(allIds.slice(20, 30));
  });

  it('has no cursor after a last page that is full', async () => {
    expect((await read('added_since=2026-08-13&limit=10')).meta).to.deep.include({ count: 10, next_cursor: null });
  });

  it('accepts a cursor with another limit and with include=history', async () => {
    const cursor = await cursorOf('limit=2');
    const next = await read(`limit=3&include=history&cursor=${cursor}`);
    expect(idsOf(next)).to.deep.equal(allIds.slice(2, 5));
    expect(next.data.map(({ history }) => history)).to.deep.equal([{}, {}, {}]);
  });

  it('continues at the same position when artists are added and removed', async () => {
    const cursor = await cursorOf('limit=3');
    const [first, , , ...rest] = numberedArtists;
    const newcomer = buildArtist({ id: 'art_new', dateAdded: '2026-08-23' });
    source.change({ artists: [newcomer, ...(first === undefined ? [] : [first]), ...rest] });
    await gateway.gateway.catalogue.refresh();
    expect(idsOf(await read(`limit=2&cursor=${cursor}`))).to.deep.equal(['art_003', 'art_004']);
  });

  it('continues on another replica', async () => {
    const cursor = await cursorOf('limit=3');
    const replica = await createTestGateway({ keys: keySource, source });
    expect(idsOf(await read(`limit=1&cursor=${cursor}`, replica))).to.deep.equal(['art_003']);
    await replica.close();
  });

  it('continues among artists without date_added', async () => {
    const artists = ['c', 'a', 'b'].map((id) => buildArtist({ id, documentId: id }));
    source.change({ artists });
    await gateway.gateway.catalogue.refresh();
    expect(await readAll('limit=1')).to.deep.equal(['a', 'b', 'c']);
  });

  it('refuses a cursor with other filters', async () => {
    const cursor = await cursorOf('limit=1&tier=watch');
    for (const query of ['', 'tier=breaking&', 'tier=watch&name=a&', 'tier=watch&added_since=2020-01-01&']) {
      const reply = await getAs('current', gateway, `/artists?${query}cursor=${cursor}`);
      expect(countOrErrorCode('current', reply), query).to.equal('invalid_cursor');
    }
  });

  it('refuses a malformed or forged cursor', async () => {
    const cursor = await cursorOf('limit=1');
    const forged = [
      '',
      'x',
      '%00',
      '%2e%2e',
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor}=`,
      `%20${cursor}`,
      cursor.replace(/^./, (first) => (first === 'W' ? 'X' : 'W')),
      cursor.slice(0, -4) + cursor.slice(-4).toLowerCase().replace(/^./, 'Z'),
      cursor.toUpperCase(),
      encode(null),
      encode([]),
      encode(['', 'art_000', '2026-08-22']),
      encode({ ['__proto__']: { id: 'art_000' } }),
      encode(['a', 1, 2]),
      'A'.repeat(2000),
    ];
    for (const text of forged) {
      const reply = await getAs('current', gateway, `/artists?cursor=${text}`);
      expect(countOrErrorCode('current', reply), text).to.equal('invalid_cursor');
    }
  });
});
