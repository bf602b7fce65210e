import { expect } from 'chai';
import { formExpectations } from '../support/forms/form-expectations.ts';
import { countOrErrorCode, getAs, openNumberedGateway } from '../support/forms/numbered-artists.ts';
import { useGateway } from '../support/gateway.ts';

const bad = 'invalid_parameter';

/** Queries as they are sent: the count or error code in current and in variant, and `X-Params-Adjusted` of variant. */
const rows: readonly (readonly [
  query: string,
  current: number | string,
  variant: number | string,
  adjusted?: string,
])[] = [
  ['', 50, 100],
  ['&', 50, 100],
  ['limit', bad, 100, 'limit=100'],
  ['limit=%35', 5, 5],
  ['%6cimit=5', 5, 5],
  ['limit=+5', bad, 100, 'limit=100'],
  ['limit=1;name=x', bad, 100, 'limit=100'],
  ['?limit=5', bad, 100, 'unknown=1'],
  ['&&&=&', bad, 100, 'unknown=1'],
  ['%zz=1', bad, 100, 'unknown=1'],
  ['x%0d%0aSet-Cookie:%20a=b', bad, 100, 'unknown=1'],
  ['a=1&b=2&a=3', bad, 100, 'unknown=2'],
  [Array.from({ length: 300 }, (_, index) => `p${index}=`).join('&'), bad, 100, 'unknown=300'],
  ['limit=0&b=1&tier=watch&a=1', bad, 1, 'limit=1, unknown=2'],
  ['tier=watch&limit=100', 50, 50],
  ['id=doc_007&id=%ff', bad, 1, 'id=first'],
  ['id=%ff&id=doc_007', bad, 'not_found', 'id=first'],
  ['%69d=doc_007&id=%ff', bad, 1, 'id=first'],
  ['id=art_007', 1, 'not_found'],
  ['name=artist+00', 10, 100, 'unknown=1'],
  ['added_since=2026-08-22&include=history&cursor=x', 'invalid_cursor', 100, 'unknown=3'],
  ['new=7&limit=5&signed=maybe', bad, 0, 'signed=none'],
];

describe('filters', () => {
  const gateway = useGateway(openNumberedGateway);

  for (const [query, current, variant, adjusted] of rows) {
    it(`answer ?${query.slice(0, 50)} with ${current} in the current form and ${variant} in the variant form`, async () => {
      const strict = await getAs('current', gateway, `/artists?${query}`);
      expect(countOrErrorCode('current', strict)).to.equal(current);
      expect(strict.headers).not.to.have.property('x-params-adjusted');
      const lenient = await getAs('variant', gateway, `/artists?${query}`);
      expect(countOrErrorCode('variant', lenient)).to.equal(variant);
      expect(lenient.headers['x-params-adjusted']).to.equal(adjusted);
    });
  }

  for (const path of ['/signings?days=0&foo=1', '/artists/art_000?include=x&include=y', '/health?limit=0&%ff']) {
    it(`are ignored on paths that have none: ${path}`, async () => {
      expect((await getAs('current', gateway, path)).status).to.equal(200);
    });
  }
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
  const gateway = useGateway(openNumberedGateway);

  for (const [path, expected] of messages) {
    it(`of ${path.slice(0, 60)} matches ${expected}`, async () => {
      const reply = await getAs('current', gateway, path);
      expect(reply.status).to.equal(400);
      expect(formExpectations.current.readError(reply.text).message).to.match(expected);
    });
  }
});
