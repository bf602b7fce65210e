import { expect } from 'chai';
import Parser from 'rss-parser';
import { createTestGateway } from '../../test/support/gateway.ts';

describe('the feed of contract changes', () => {
  it('can be read by rss-parser, with a stable id for each release', async () => {
    const gateway = await createTestGateway();
    const [{ text: feed }, { text: page }] = await Promise.all([
      gateway.send('/docs/changes.atom'),
      gateway.send('/docs/changes'),
    ]);
    await gateway.close();
    const { title, items } = await new Parser().parseString(feed);
    expect(title).to.include('Changes');
    const rows = [...page.matchAll(/ id="(\d{4}-\d\d-\d\d-[^"]+)"/g)].map(
      ([, id]) => `urn:artist-gateway:change:${id}`,
    );
    expect(items.map((item) => item['id'])).to.deep.equal(rows);
    expect(rows).to.not.have.lengthOf(0);
    expect(items.map((item) => item.title)).to.include('The first version of both forms.');
    for (const item of items)
      expect(Number.isNaN(Date.parse(String(item.isoDate)))).to.equal(false);
  });
});
