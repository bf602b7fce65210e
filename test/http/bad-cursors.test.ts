import { expect } from 'chai';
import { z } from 'zod';
import { keySource, keys } from '../support/forms/form-keys.ts';
import { numberedArtists } from '../support/forms/numbered-artists.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { assertValidResponse } from '../support/http/assert-valid-response.ts';
import { createTestSource } from '../support/source.ts';
import { openWire, type WireReply } from '../support/wire.ts';

/** The numbers are those of the specification's catalogue of bad inputs. */
interface Row {
  readonly number: number;
  readonly name: string;
  /** The target, with the cursor after the first two artists of the tier `watch`. */
  readonly target: (cursor: string) => string;
  /** The status in the current form. */
  readonly status: 200 | 400;
  readonly variant?: 404;
}

const watch = '/api/v1/artists?tier=watch&limit=2&cursor=';
const flip = (letter = ''): string => (letter === 'A' ? 'B' : 'A');

const rows: readonly Row[] = [
  { number: 48, name: 'unchanged', target: (cursor) => watch + cursor, status: 200 },
  { number: 48, name: 'without its last letter', target: (cursor) => watch + cursor.slice(0, -1), status: 400 },
  { number: 48, name: 'without its first letter', target: (cursor) => watch + cursor.slice(1), status: 400 },
  { number: 48, name: 'repeated', target: (cursor) => watch + cursor + cursor, status: 400 },
  {
    number: 48,
    name: 'with another letter',
    target: (cursor) => watch + flip(cursor[0]) + cursor.slice(1),
    status: 400,
  },
  { number: 48, name: 'with padding', target: (cursor) => `${watch + cursor}=`, status: 400 },
  { number: 49, name: 'of other filters', target: (cursor) => `/api/v1/artists?cursor=${cursor}`, status: 400 },
  {
    number: 49,
    name: 'at another path',
    target: (cursor) => `/api/v1/added?cursor=${cursor}`,
    status: 400,
    variant: 404,
  },
];

const page = z.object({
  data: z.array(z.object({ id: z.string() })),
  meta: z.object({ next_cursor: z.string() }),
});

describe('a cursor', () => {
  const source = createTestSource({ artists: numberedArtists });
  let gateway: TestGateway;
  let cursor: string;
  const ask = async (target: string, key: string, from = gateway): Promise<WireReply> => {
    const wire = openWire(from.port);
    wire.send(`GET ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    const reply = await wire.receive();
    assertValidResponse(reply, target);
    wire.end();
    return reply;
  };
  const idsOf = (reply: WireReply): string[] => page.parse(JSON.parse(reply.text)).data.map(({ id }) => id);
  const current = keys.current.full.text;
  const watched = numberedArtists.filter(({ tier }) => tier === 'watch').map(({ id }) => id);

  beforeEach(async () => {
    source.change({ artists: numberedArtists });
    gateway = await createTestGateway({ keys: keySource, source });
    const first = await ask('/api/v1/artists?tier=watch&limit=2', current);
    cursor = page.parse(JSON.parse(first.text)).meta.next_cursor;
  });
  afterEach(() => gateway.close());

  for (const { number, name, target, status, variant = 200 } of rows) {
    it(`${number}: ${name} is ${status} in the current form`, async () => {
      const reply = await ask(target(cursor), current);
      expect(reply.status).to.equal(status);
      if (status === 200) expect(idsOf(reply)).to.deep.equal(watched.slice(2, 4));
    });

    it(`${number}: ${name} is an unknown parameter in the variant form`, async () => {
      const reply = await ask(target(cursor), keys.variant.full.text);
      expect(reply.status).to.equal(variant);
      if (variant === 200) expect(reply.headers['x-params-adjusted']).to.equal('unknown=1');
    });
  }

  it('49: is valid with another key', async () => {
    expect(idsOf(await ask(watch + cursor, keys.current.override.text))).to.deep.equal(watched.slice(2, 4));
  });

  it('50: continues after an artist that was removed', async () => {
    source.change({ artists: numberedArtists.filter(({ id }) => id !== watched[1]) });
    await gateway.gateway.catalogue.refresh();
    expect(idsOf(await ask(watch + cursor, current))).to.deep.equal(watched.slice(2, 4));
  });

  it('50: is valid on another gateway', async () => {
    const next = await createTestGateway({ keys: keySource, source });
    expect(idsOf(await ask(watch + cursor, current, next))).to.deep.equal(watched.slice(2, 4));
    await next.close();
  });
});
