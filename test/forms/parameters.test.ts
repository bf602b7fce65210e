import { expect } from 'chai';
import fc from 'fast-check';
import { z } from 'zod';
import { forms } from '../../adapters/forms/forms.ts';
import { readQuery, splitTarget } from '../../adapters/http/request-target.ts';
import { keyText } from '../../src/keys/key-format.ts';
import { formExpectations } from '../support/forms/form-expectations.ts';
import { fullKeys, useGateway } from '../support/gateway.ts';

const described = z.looseObject({
  param: z.looseObject({ example: z.union([z.string(), z.number(), z.boolean()]) }),
});

describe('the example of a parameter', () => {
  for (const { name: form, routes } of forms) {
    for (const route of routes) {
      if (route.access === 'public') continue;
      const ask = (query: string) =>
        route.parse(readQuery(splitTarget(`${route.path}?${query}`)), { id: 'art_1' });
      for (const [name, schema] of Object.entries(route.contract.query?.shape ?? {})) {
        it(`changes the question: ${name} of ${route.path} in the ${form} form`, () => {
          const { example } = described.parse(z.globalRegistry.get(schema)).param;
          const asked = ask(`${name}=${encodeURIComponent(example)}`);
          expect(asked.cacheKey, `adapters/forms/${form}/params.ts`).to.not.equal(ask('').cacheKey);
          expect(asked.adjusted).to.deep.equal([]);
        });
      }
    }
  }
});

describe('a parameter of a query', () => {
  const pieces = [...'0189abcdefABCDEF%%%', '%e2%82%ac', '%c0%80', '%ed%a0%80', '%f0%9f%98%80'];
  const value = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((all) => all.join(''));
  const isDecoded = (text: string): boolean => {
    try {
      decodeURIComponent(text);
      return true;
    } catch {
      return false;
    }
  };

  it('is malformed if percent escapes of its first value are incomplete or not UTF-8', () => {
    fc.assert(
      fc.property(value, value, (first, second) => {
        const query = readQuery(splitTarget(`/?a=${first}&b=1&a=${second}`));
        expect(query.malformed.has('a')).to.equal(!isDecoded(first));
        expect(query.malformed.has('b')).to.equal(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it('has the name and value that URLSearchParams reads, even if malformed', () => {
    const query = fc.array(fc.constantFrom(...pieces, '&', '=', '+', '%2b', '%3d', '%26', '?'));
    fc.assert(
      fc.property(query, (all) => {
        const text = all.join('');
        const { names, values } = readQuery(splitTarget(`/?${text}`));
        const expected = new URLSearchParams(`&${text}`);
        expect(names).to.deep.equal([...new Set(expected.keys())]);
        for (const name of names) expect(values(name)).to.deep.equal(expected.getAll(name));
      }),
      { numRuns: 2_000 },
    );
  });
});

/**
 * Paths with a bad query and their messages, in addition to the examples in the chapters.
 */
const messages: readonly (readonly [path: string, expected: RegExp])[] = [
  ['/added?limit=0&days=91', /^days .*1 to 90/],
  ['/artists?limit=0&tier=&foo=1', /^tier /],
  ['/artists?include=all', /^include .*history/],
  ['/artists?added_since=x', /^added_since .*YYYY-MM-DD/],
  [`/artists?name=${'a'.repeat(121)}`, /^name .*120/],
  ['/artists?new=7', /added_since/],
  ['/artists?days=7', /^days is .*added_since, or GET \/api\/v1\/added with days/],
  ['/added?Days=7', /^Days .*did you mean days\?$/],
  ['/added?days[]=7', /^The query has an unknown parameter: did you mean days\?$/],
  ['/artists?pageSize=50', /^pageSize .*use limit\.$/],
  ['/artists?starting_after=art_1', /^starting_after .*with cursor/],
  ['/artists?updated_since=2026-01-01', /^updated_since .*\/docs\/guides#keep-a-copy says\.$/],
  ['/artists?fields=basic', /fields.*include=history/],
  ['/artists?signed=true', /signings/],
  ['/added?offset=10', /^offset .*\/api\/v1\/artists with cursor/],
  ['/spikes?per_page=5', /^per_page is not a parameter here: this path has days\.$/],
  ['/added?new=7', /^new is not a parameter here: this path has days, limit\.$/],
  ['/added?since=2026-01-01', /^since .*: this path has days, limit\.$/],
  ['/spikes?signed=true', /^signed .*use GET \/api\/v1\/signings\.$/],
  ['/artists?sort=name', /^sort .*one order/],
  ['/artists?q=client_text', /^q (?!.*client_text).*name/],
  ['/spikes?search=x', /^search .*\/api\/v1\/artists with name/],
  ['/artists?constructor=1', /^constructor is not a parameter here: this path has name, id/],
  [
    '/artists?entirely_else=client_text',
    /^entirely_else (?!.*client_text).*this path has name, id/,
  ],
  [`/artists?${'a'.repeat(40)}=1`, /^a{40} is not/],
  [`/artists?${'a'.repeat(41)}=1`, /^The query has an unknown parameter: this path has name, id/],
  ['/artists?%3Cb%3E=1', /^The query has an unknown parameter: this path has name, id/],
  ['/artists?tier=watch&name=client_text%ff', /^(?!.*client_text)/],
];

describe('the message for a bad parameter', () => {
  const gateway = useGateway();

  for (const [path, expected] of messages) {
    it(`of ${path.slice(0, 60)} matches ${expected}`, async () => {
      const reply = await gateway.send(`/api/v1${path}`, fullKeys.current.text);
      expect(reply.status).to.equal(400);
      expect(formExpectations.current.readError(reply.text).message).to.match(expected);
    });
  }

  it('repeats no key that was sent as or within a parameter name', async () => {
    const key = keyText('short', 'sEcReT');
    const long = fullKeys.current.text.slice(0, 40);
    for (const name of [key, long, 'aik_short_s', `x.${key}`, `${key}[]`, `${key}-`]) {
      const reply = await gateway.send(`/api/v1/artists?${name}=1`, fullKeys.current.text);
      const { message } = formExpectations.current.readError(reply.text);
      expect(message, name).to.match(/^The query has an unknown parameter: this path has name, id/);
      expect(JSON.stringify(reply.headers)).not.to.include('aik_');
    }
  });
});
