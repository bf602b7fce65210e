import { expect } from 'chai';
import { z } from 'zod';
import { keys } from '../support/forms/form-keys.ts';
import { countOrErrorCode, getAs, numberedArtists } from '../support/forms/numbered-artists.ts';
import { createTestGateway, type TestGateway, useGateway } from '../support/gateway.ts';
import { createTestSource } from '../support/source.ts';

const page = z.object({
  data: z.array(z.object({ id: z.string(), history: z.object({}).optional() })),
  meta: z.object({ count: z.int(), next_cursor: z.string().nullable() }),
});

type Page = z.infer<typeof page>;

const idsOf = ({ data }: Page): string[] => data.map(({ id }) => id);

const allIds = numberedArtists.map(({ id }) => id);

describe('paging', () => {
  const source = createTestSource({ artists: numberedArtists });
  const gateway = useGateway(() => createTestGateway({ source }));

  const read = async (query: string, from: TestGateway = gateway): Promise<Page> =>
    page.parse(JSON.parse((await getAs('current', from, `/artists?${query}`)).text));

  const cursorOf = async (query: string): Promise<string> => {
    const cursor = (await read(query)).meta.next_cursor;
    if (cursor === null) throw new Error('there is no further page');
    return cursor;
  };

  it('accepts a cursor with another limit and with include=history', async () => {
    const cursor = await cursorOf('limit=2');
    const next = await read(`limit=3&include=history&cursor=${cursor}`);
    expect(idsOf(next)).to.deep.equal(allIds.slice(2, 5));
    expect(next.data.map(({ history }) => history)).to.deep.equal([{}, {}, {}]);
  });

  it('continues on another replica', async () => {
    const cursor = await cursorOf('limit=3');
    const replica = await createTestGateway({ source });
    expect(idsOf(await read(`limit=1&cursor=${cursor}`, replica))).to.deep.equal(['art_003']);
    await replica.close();
  });

  it('accepts a cursor with another key', async () => {
    const cursor = await cursorOf('limit=3');
    const reply = await gateway.send(`/api/v1/artists?limit=1&cursor=${cursor}`, keys.current.override.text);
    expect(idsOf(page.parse(JSON.parse(reply.text)))).to.deep.equal(['art_003']);
  });

  it('continues after an artist that was removed', async () => {
    const cursor = await cursorOf('limit=3');
    const artists = numberedArtists.filter(({ id }) => id !== 'art_002');
    const replica = await createTestGateway({ source: createTestSource({ artists }) });
    expect(idsOf(await read(`limit=1&cursor=${cursor}`, replica))).to.deep.equal(['art_003']);
    await replica.close();
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
    for (const text of ['', '%00', `${cursor}A`, cursor.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A'))]) {
      const reply = await getAs('current', gateway, `/artists?cursor=${text}`);
      expect(countOrErrorCode('current', reply), text).to.equal('invalid_cursor');
    }
  });
});
