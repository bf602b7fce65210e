import { expect } from 'chai';
import { z } from 'zod';
import { countOrErrorCode, getAs, openNumberedGateway } from '../support/forms/numbered-artists.ts';
import type { TestGateway } from '../support/gateway.ts';

const bad = 'invalid_parameter';

/** A query on `/artists`; the count or error code in current, and in variant; `X-Params-Adjusted` of variant. */
type Row = readonly [query: string, current: number | string, variant: number | string, adjusted?: string];

const integers: readonly Row[] = [
  ['', 50, 100],
  ['limit=1', 1, 1],
  ['limit=100', 100, 100],
  ['limit=101', bad, 101],
  ['limit=200', bad, 200],
  ['limit=201', bad, 200, 'limit=200'],
  ['limit=0', bad, 1, 'limit=1'],
  ['limit=', bad, 100, 'limit=100'],
  ['limit', bad, 100, 'limit=100'],
  ['limit=010', 10, 10],
  ['limit=%35', 5, 5],
  ['%6cimit=5', 5, 5],
  ['limit=0x10', bad, 100, 'limit=100'],
  ['limit=0b11', bad, 100, 'limit=100'],
  ['limit=1e2', bad, 100, 'limit=100'],
  ['limit=5.0', bad, 100, 'limit=100'],
  ['limit=%205%20', bad, 100, 'limit=100'],
  ['limit=+5', bad, 100, 'limit=100'],
  ['limit=%2B5', bad, 100, 'limit=100'],
  ['limit=50%0a', bad, 100, 'limit=100'],
  ['limit=5%00', bad, 100, 'limit=100'],
  ['limit=-0', bad, 100, 'limit=100'],
  ['limit=-1', bad, 100, 'limit=100'],
  ['limit=NaN', bad, 100, 'limit=100'],
  ['limit=Infinity', bad, 100, 'limit=100'],
  ['limit=true', bad, 100, 'limit=100'],
  ['limit=1_0', bad, 100, 'limit=100'],
  ['limit=%D9%A5', bad, 100, 'limit=100'],
  ['limit=%EF%BC%95', bad, 100, 'limit=100'],
  ['limit=99999999999999999999', bad, 200, 'limit=200'],
  [`limit=${'9'.repeat(400)}`, bad, 200, 'limit=200'],
  ['limit=1;name=x', bad, 100, 'limit=100'],
  ['limit=1&limit=2', bad, 1, 'limit=1'],
  ['limit=5&limit=5', bad, 5, 'limit=5'],
  ['limit=no&limit=2', bad, 100, 'limit=100'],
];

const names: readonly Row[] = [
  ['&', 50, 100],
  ['LIMIT=5', bad, 100, 'unknown=1'],
  ['lmit=5', bad, 100, 'unknown=1'],
  ['?limit=5', bad, 100, 'unknown=1'],
  ['&&&=&', bad, 100, 'unknown=1'],
  ['limit[]=5', bad, 100, 'unknown=1'],
  ['name[$ne]=1', bad, 100, 'unknown=1'],
  ['name[]=a', bad, 100, 'unknown=1'],
  ['__proto__=y', bad, 100, 'unknown=1'],
  ['__proto__=y&limit=5', bad, 5, 'unknown=1'],
  ['__proto__[limit]=5', bad, 100, 'unknown=1'],
  ['constructor=x', bad, 100, 'unknown=1'],
  ['toString=x&hasOwnProperty=y', bad, 100, 'unknown=2'],
  ['_method=DELETE', bad, 100, 'unknown=1'],
  ['api_key=x', bad, 100, 'unknown=1'],
  ['x%0d%0aSet-Cookie:%20a=b', bad, 100, 'unknown=1'],
  ['a=1&b=2&a=3', bad, 100, 'unknown=2'],
  [Array.from({ length: 300 }, (_, index) => `p${index}=`).join('&'), bad, 100, 'unknown=300'],
  ['%zz=1', bad, 100, 'unknown=1'],
  ['limit=5&%ff=1', bad, 5, 'unknown=1'],
  ['limit=%', bad, 100, 'limit=100'],
  ['limit=0&b=1&tier=watch&a=1', bad, 1, 'limit=1, unknown=2'],
];

describe('parameters of /artists', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openNumberedGateway();
  });
  after(() => gateway.close());

  for (const [query, current, variant, adjusted] of [...integers, ...names]) {
    const shown = query.length > 60 ? `${query.slice(0, 60)}…` : query;

    it(`answer ?${shown} with ${current} in the current form and ${variant} in the variant form`, async () => {
      const strict = await getAs('current', gateway, `/artists?${query}`);
      expect(countOrErrorCode('current', strict)).to.equal(current);
      expect(strict.headers).not.to.have.property('x-params-adjusted');
      const lenient = await getAs('variant', gateway, `/artists?${query}`);
      expect(countOrErrorCode('variant', lenient)).to.equal(variant);
      expect(lenient.headers['x-params-adjusted']).to.equal(adjusted);
    });
  }
});

/** A query on `/spikes`; the days or error code in current; the days in variant; `X-Params-Adjusted` of variant. */
const days: readonly Row[] = [
  ['', 3, 3],
  ['days=1', 1, 1],
  ['days=30', 30, 30],
  ['days=31', bad, 30, 'days=30'],
  ['days=0', bad, 1, 'days=1'],
  ['days=', bad, 3, 'days=3'],
  ['days=-7', bad, 3, 'days=3'],
  ['days=7&days=8', bad, 7, 'days=7'],
  ['days=07', 7, 7],
  ['days=week', bad, 3, 'days=3'],
  ['limit=5', bad, 3, 'unknown=1'],
  ['days=90&limit=5', bad, 30, 'days=30, unknown=1'],
];

const currentDays = z.object({
  data: z.array(z.object({ window: z.object({ days: z.int() }) })),
  meta: z.object({ window: z.object({ days: z.int() }) }),
});
const variantDays = z.object({
  data: z.array(z.object({ period_days: z.int() })),
  period_days: z.int(),
});

describe('parameters of /spikes', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openNumberedGateway();
  });
  after(() => gateway.close());

  for (const [query, current, variant, adjusted] of days) {
    it(`answer ?${query} with ${current} in the current form and ${variant} days in the variant form`, async () => {
      const strict = await getAs('current', gateway, `/spikes?${query}`);
      if (typeof current === 'string') expect(countOrErrorCode('current', strict)).to.equal(current);
      else {
        const { data, meta } = currentDays.parse(JSON.parse(strict.text));
        expect([meta.window.days, data[0]?.window.days]).to.deep.equal([current, current]);
      }
      const lenient = await getAs('variant', gateway, `/spikes?${query}`);
      const { data, period_days } = variantDays.parse(JSON.parse(lenient.text));
      expect([period_days, data[0]?.period_days]).to.deep.equal([variant, variant]);
      expect(lenient.headers['x-params-adjusted']).to.equal(adjusted);
    });
  }
});

/** A query on `/added`, and the number of artists (one was added each day) or the error code. */
const added: readonly (readonly [query: string, current: number | string])[] = [
  ['', 8],
  ['days=1', 2],
  ['days=90', 91],
  ['days=90&limit=90', 90],
  ['days=90&limit=1', 1],
  ['days=91', bad],
  ['days=0', bad],
  ['days=', bad],
  ['limit=101', bad],
  ['limit=0', bad],
  ['days=7&days=7', bad],
  ['tier=watch', bad],
  ['cursor=x', bad],
  ['include=history', bad],
];

describe('parameters of /added', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await openNumberedGateway();
  });
  after(() => gateway.close());

  for (const [query, current] of added) {
    it(`answer ?${query} with ${current} and never with a cursor`, async () => {
      const reply = await getAs('current', gateway, `/added?${query}`);
      expect(countOrErrorCode('current', reply)).to.equal(current);
      if (reply.status === 200) expect(reply.text).to.include('"next_cursor":null');
    });
  }
});
