import { expect } from 'chai';
import { deadHistory } from '../support/forms/dead-stores.ts';
import { keys } from '../support/forms/form-keys.ts';
import { createTestGateway, useGateway } from '../support/gateway.ts';

const { full, noSpikes } = keys.current;

describe('If-None-Match', () => {
  const gateway = useGateway();
  let tag: string;
  before(async () => {
    tag = String((await gateway.send('/api/v1/artists', full.text)).headers.etag);
  });

  const ask = (path: string, known: string | string[], { text } = full) =>
    gateway.send(`/api/v1${path}`, text, { headers: { 'If-None-Match': known } });

  const rows: readonly (readonly [
    value: string,
    status: number,
    known: (tag: string) => string | string[],
  ])[] = [
    ['the tag', 304, (own) => own],
    ['the tag as a strong tag', 304, (own) => own.slice(2)],
    ['a star', 304, () => '*'],
    ['the tag among others', 304, (own) => `"a", ${own},W/"b"`],
    ['the tag at the end of a list without spaces', 304, (own) => `"a","b",${own}`],
    ['the tag in a second header', 304, (own) => ['"a"', own]],
    ['other tags', 200, () => 'W/"a", "b"'],
    [
      'another tag with a star and the own text between commas',
      200,
      (own) => `"a,*,${own.slice(3, -1)}"`,
    ],
    ['an empty text', 200, () => ''],
    ['the tag without quotation marks', 200, (own) => own.slice(3, -1)],
    ['the tag in capitals', 200, (own) => own.toUpperCase()],
    ['a part of the tag', 200, (own) => `${own.slice(0, -2)}"`],
    ['nonsense', 200, () => ',,W/,"'],
  ];

  it('is answered with 304 if one of its tags matches', async () => {
    for (const [value, status, known] of rows)
      expect((await ask('/artists', known(tag))).status, value).to.equal(status);
  });

  it('answers a known tag with 304 without reading histories, which a star needs', async () => {
    const blind = await createTestGateway({ histories: deadHistory });
    for (const path of ['/artists?include=history', '/artists/art_7rf1ly']) {
      const known = (await ask(path, '')).headers.etag ?? '';
      const askBlind = (value: string) =>
        blind.send(`/api/v1${path}`, full.text, { headers: { 'If-None-Match': value } });
      expect((await askBlind(known)).status, path).to.equal(304);
      expect((await askBlind('*')).status, `${path} with a star`).to.equal(503);
    }
    await blind.close();
  });

  it('answers a star with 304 for many lists with history', async () => {
    for (let sent = 0; sent < 20; sent += 1)
      expect((await ask('/artists?include=history', '*')).status).to.equal(304);
  });

  it('does not turn an error into a 304', async () => {
    expect((await ask('/artists?limit=0', '*')).status).to.equal(400);
    expect((await ask('/artists/nobody', '*')).status).to.equal(404);
    expect((await ask('/spikes', '*', noSpikes)).status).to.equal(403);
  });

  it('applies to the served form: the variant form ignores it', async () => {
    const headers = { 'X-Envelope': 'current', 'If-None-Match': tag };
    expect(
      (await gateway.send('/api/v1/artists', keys.variant.override.text, { headers })).status,
    ).to.equal(304);
    expect((await ask('/artists', '*', keys.variant.override)).status).to.equal(200);
  });
});
