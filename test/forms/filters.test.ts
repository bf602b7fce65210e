import { expect } from 'chai';
import { formExpectations, itemsIn } from '../support/forms/form-expectations.ts';
import { countOrErrorCode, getAs, openNumberedGateway } from '../support/forms/numbered-artists.ts';
import type { TestGateway } from '../support/gateway.ts';

const bad = 'invalid_parameter';

type CurrentRow = readonly [query: string, answer: number | string];
type VariantRow = readonly [query: string, answer: number | string, adjusted?: string];

/** With `limit=100`. */
const currentRows: readonly CurrentRow[] = [
  ['tier=watch', 50],
  ['tier=nope', 0],
  ['tier=WATCH', 0],
  ['tier=', bad],
  ['tier[]=watch', bad],
  ['tier=watch&tier=watch', bad],
  ['id=art_007', 1],
  ['id=doc_007', 0],
  ['id=', bad],
  ['id=art_007&id=art_008', bad],
  ['id=art_004&tier=watch', 1],
  ['id=art_004&tier=breaking', 0],
  ['name=artist%2001&tier=watch', 2],
  ['added_since=2026-08-15', 8],
  ['added_since=2026-08-22', 1],
  ['added_since=2026-08-23', 0],
  ['added_since=9999-12-31', 0],
  ['added_since=1970-01-01', 100],
  ['added_since=2024-02-29', 100],
  ['added_since=2026-08-15&tier=watch', 2],
  ['added_since=0000-12-31', bad],
  ['added_since=10000-01-01', bad],
  ['added_since=0000-01-01', bad],
  ['added_since=2026-02-30', bad],
  ['added_since=2023-02-29', bad],
  ['added_since=2026-13-01', bad],
  ['added_since=2026-1-1', bad],
  ['added_since=20260101', bad],
  ['added_since=2026-01-01T00:00:00Z', bad],
  ['added_since=2026-01-01%20', bad],
  ['added_since=2026-01-01%0a', bad],
  ['added_since=+2026-01-01', bad],
  ['added_since=12026-01-01', bad],
  ['added_since=yesterday', bad],
  ['added_since=', bad],
  ['include=history', 100],
  ['include=History', bad],
  ['include=history,x', bad],
  ['include=', bad],
  ['include=history&include=history', bad],
  ['cursor=&cursor=', bad],
];

/** With `limit=200`. */
const variantRows: readonly VariantRow[] = [
  ['tier=watch', 50],
  ['tier=nope', 0, 'tier=none'],
  ['tier=WATCH', 0, 'tier=none'],
  ['tier=', 0, 'tier=none'],
  ['tier', 0, 'tier=none'],
  ['tier=%zz', 0, 'tier=none'],
  ['tier[]=watch', 200, 'unknown=1'],
  ['tier=watch&tier=breaking', 50, 'tier=watch'],
  ['tier=nope&tier=watch', 0, 'tier=none'],
  ['id=doc_007', 1],
  ['id=doc_007&id=nobody', 1, 'id=first'],
  ['id=art_007', 'not_found'],
  ['id=nobody', 'not_found'],
  ['id=__proto__', 'not_found'],
  ['id=a%00b', 'not_found'],
  ['id=%ff', 'not_found'],
  ['id=nobody&tier=nope', 'not_found', 'tier=none'],
  ['id=nobody&foo=1', 'not_found', 'unknown=1'],
  ['id=doc_007&x=%zz', 1, 'unknown=1'],
  ['id=', 0, 'id=none'],
  ['id=&id=doc_007', 0, 'id=none'],
  ['id=doc_007&id=%ff', 1, 'id=first'],
  ['id=doc_007&id=', 1, 'id=first'],
  ['id=%ff&id=doc_007', 'not_found', 'id=first'],
  ['%69d=doc_007&id=%ff', 1, 'id=first'],
  ['id=doc_004&tier=watch', 1],
  ['id=doc_004&tier=breaking', 0],
  ['id=doc_007&new=6', 0],
  ['id=doc_007&new=7', 1],
  ['new=0', 1],
  ['new=7', 8],
  ['new=07', 8],
  ['new=30&tier=watch', 8],
  ['new=99999999999999999999', 200],
  [`new=${'9'.repeat(400)}`, 200],
  [`new=${'9'.repeat(400)}&new=7`, 200, 'new=9007199254740991'],
  ['new=abc', 0, 'new=none'],
  ['new=-1', 0, 'new=none'],
  ['new=1.5', 0, 'new=none'],
  ['new=%201', 0, 'new=none'],
  ['new=', 0, 'new=none'],
  ['new=7&new=30', 8, 'new=7'],
  ['new=07&new=30', 8, 'new=7'],
  ['new=abc&new=7', 0, 'new=none'],
  ['signed=true', 84],
  ['signed=TRUE', 84],
  ['signed=false', 166],
  ['signed=False', 166],
  ['signed=maybe', 0, 'signed=none'],
  ['signed=1', 0, 'signed=none'],
  ['signed=', 0, 'signed=none'],
  ['signed=true&signed=false', 84, 'signed=true'],
  ['signed=x&signed=true', 0, 'signed=none'],
  ['signed=true&tier=watch', 17],
  ['fields=basic', 200],
  ['fields=all', 200, 'fields=all'],
  ['fields=BASIC', 200, 'fields=all'],
  ['fields=', 200, 'fields=all'],
  ['fields=basic&fields=all', 200, 'fields=basic'],
  ['fields=name&fields=basic', 200, 'fields=all'],
  ['name=artist', 200, 'unknown=1'],
  ['added_since=2026-08-22&include=history&cursor=x', 200, 'unknown=3'],
];

describe('filters', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openNumberedGateway();
  });
  after(() => gateway.close());

  for (const [query, answer] of currentRows) {
    it(`answer ?${query} with ${answer} in the current form`, async () => {
      const reply = await getAs('current', gateway, `/artists?limit=100&${query}`);
      expect(countOrErrorCode('current', reply)).to.equal(answer);
    });
  }

  for (const [query, answer, adjusted] of variantRows) {
    it(`answer ?${query.slice(0, 60)} with ${answer} in the variant form`, async () => {
      const reply = await getAs('variant', gateway, `/artists?limit=200&${query}`);
      expect(countOrErrorCode('variant', reply)).to.equal(answer);
      expect(reply.headers['x-params-adjusted']).to.equal(adjusted);
    });
  }

  it('leave out only songs for fields=basic, and keep their count', async () => {
    const [all = {}] = itemsIn((await getAs('variant', gateway, '/artists')).text);
    const [basic = {}] = itemsIn((await getAs('variant', gateway, '/artists?fields=basic')).text);
    expect(Object.keys(basic)).to.deep.equal(Object.keys(all).filter((member) => member !== 'songs'));
    expect(basic).to.have.property('total_songs', 0);
  });

  for (const path of ['/signings?days=0&foo=1', '/artists/art_000?include=x&include=y', '/health?limit=0&%ff']) {
    it(`are ignored on paths that have none: ${path}`, async () => {
      expect((await getAs('current', gateway, path)).status).to.equal(200);
    });
  }

  it('are listed in X-Params-Adjusted when the signings of the variant form ignore them', async () => {
    const reply = await getAs('variant', gateway, '/signings?days=0&foo=1');
    expect(reply.status).to.equal(200);
    expect(reply.headers['x-params-adjusted']).to.equal('unknown=2');
  });
});

/** A path with a bad query, and what its message must match. */
const messages: readonly (readonly [path: string, expected: RegExp])[] = [
  ['/artists?limit=0', /^limit .*1 to 100/],
  ['/added?limit=0&days=91', /^days .*1 to 90/],
  ['/spikes?days=31', /^days .*1 to 30/],
  ['/artists?limit=0&tier=&foo=1', /^tier /],
  ['/artists?foo=1&limit=0', /^limit /],
  ['/artists?include=all', /^include .*history/],
  ['/artists?added_since=x', /^added_since .*YYYY-MM-DD/],
  ['/artists?limit=1&limit=1', /^limit .*once/],
  [`/artists?name=${'a'.repeat(121)}`, /^name .*120/],
  ['/artists?new=7', /added_since/],
  ['/artists?fields=basic', /fields.*include=history/],
  ['/artists?signed=true', /signings/],
  ['/artists?teir=watch', /^teir is not a parameter here: did you mean tier\?$/],
  ['/artists?Limit=5', /^Limit is not a parameter here: did you mean limit\?$/],
  ['/spikes?day=3', /^day .*did you mean days\?$/],
  ['/artists?page=2', /^page .*cursor/],
  ['/added?offset=10', /^offset .*\/api\/v1\/artists with cursor/],
  ['/artists?sort=name', /^sort .*one order/],
  ['/artists?q=client_text', /^q (?!.*client_text).*name/],
  ['/spikes?search=x', /^search .*\/api\/v1\/artists with name/],
  ['/artists?constructor=1', /^constructor is not a parameter here: this path has name, id/],
  ['/artists?entirely_else=client_text', /^entirely_else (?!.*client_text).*this path has name, id/],
  [`/artists?${'a'.repeat(40)}=1`, /^a{40} is not/],
  [`/artists?${'a'.repeat(41)}=1`, /^The query has an unknown parameter: this path has name, id/],
  ['/artists?client%20text=1', /^(?!.*client)/],
  ['/artists?%3Cb%3E=1', /^The query has an unknown parameter: this path has name, id/],
  ['/artists?tier=watch&name=client_text%ff', /^(?!.*client_text)/],
];

describe('the message for a bad parameter', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openNumberedGateway();
  });
  after(() => gateway.close());

  for (const [path, expected] of messages) {
    it(`of ${path.slice(0, 60)} matches ${expected}`, async () => {
      const reply = await getAs('current', gateway, path);
      expect(reply.status).to.equal(400);
      expect(formExpectations.current.readError(reply.text).message).to.match(expected);
    });
  }
});
