import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { buildArtist } from '../support/builders.ts';
import { formExpectations } from '../support/forms/form-expectations.ts';
import { keys, unissuedKey } from '../support/forms/form-keys.ts';
import { createTestGateway, useGateway } from '../support/gateway.ts';
import { createTestSource } from '../support/source.ts';

/** Paths that neither form has. */
const unknownPaths = [
  '/nope',
  '/api/v1/',
  '/api/v2/artists',
  '/api/v1/health/',
  '/API/V1/ARTISTS',
  '/api/v1//artists',
  '/api/v1/x/../artists',
  '/api/v1/./artists',
  '/api/v1/%61rtists',
  '/api%2Fv1%2Fartists',
  '/api/v1/artists;x=1',
  '/api/v1/artists.json',
  '/api/v1/artists%20',
  '/api/v1/artists%3Flimit=1',
  '/api/v1/health#x',
  '/api\\v1\\health',
  '/api/v1/artists/art_1/',
  '/__proto__',
  '/api/v1/constructor',
  'http://gateway.test/api/v1/nope',
];

/** Escapes that are malformed, or of no UTF-8. */
const malformed = ['100%', '%ff', '%c3', '%zz', '%ED%A0%80'];

const unknownIds = [
  ...malformed,
  'nobody',
  'doc-art_1',
  'ART_1',
  '..',
  '%2e%2e%2fhealth',
  'a%2Fb',
  '%C3%28',
  '__proto__',
  'constructor',
  'art_1%20',
  'x'.repeat(5_000),
];

/** Ids of artists that a malformed escape would find if it were taken literally. */
const idsLikeEscapes = [...malformed, '\u{fffd}', 'a%00b', 'a\0b', 'ctl\nid', '\u0085'];

describe('paths', () => {
  const artists = [
    buildArtist({ id: 'art_1' }),
    buildArtist({ id: 'a/b ü', documentId: 'doc_2' }),
    buildArtist({ id: '50%', documentId: 'doc_3' }),
    ...idsLikeEscapes.map((id) => buildArtist({ id, documentId: id })),
  ];
  const gateway = useGateway(() => createTestGateway({ source: createTestSource({ artists }) }));

  for (const form of forms) {
    const { status, code } = formExpectations[form.name].errors.notFound;
    const key = keys[form.name].full.text;

    it(`does not find unknown paths in the ${form.name} form, without using quota`, async () => {
      for (const path of unknownPaths) {
        const reply = await gateway.send(path, key);
        expect(reply.status, path).to.equal(status);
        expect(formExpectations[form.name].readError(reply.text).code, path).to.equal(code);
        expect(reply.headers, path).not.to.have.property('x-ratelimit-limit');
      }
    });

    it(`reduces an absolute target to its path in the ${form.name} form`, async () => {
      const warnings: Error[] = [];
      const note = (warning: Error) => warnings.push(warning);
      process.on('warning', note);
      const hosts = ['gateway.test', '[bad', ']', 'a[b', '[1:2]:x', 'xn--a', 'a:99999', '%zz'];
      for (const host of hosts) {
        const answer = (path: string, method?: string) =>
          gateway.send(`http://${host}${path}`, key, method ? { method } : {});
        const reply = await answer('/api/v1/artists?limit=1');
        expect(reply.status, host).to.equal(200);
        expect(reply.headers['x-envelope-served'], host).to.equal(form.name);
        expect((await answer('/api/v1/artists', 'POST')).status, host).to.equal(405);
        expect((await answer('/unknown')).status, host).to.equal(404);
      }
      for (const [target, found] of [
        ['HTTPS://user@gateway.test:1/api/v1/health', 200],
        ['ftp://[bad/api/v1/health', 404],
        ['http://gateway.test', 302],
        ['http://%@gateway.test?a=1', 302],
      ] as const)
        expect((await gateway.send(target, key)).status, target).to.equal(found);
      expect((await gateway.send('*', key, { method: 'OPTIONS' })).status).to.equal(404);
      await setImmediate();
      process.off('warning', note);
      // Node's would hold the target, and with it a key.
      expect(warnings).to.deep.equal([]);
    });
  }

  const askFor = (id: string, key = keys.current.full.text) =>
    gateway.send(`/api/v1/artists${id}`, key);

  it('returns 404 for unknown ids, and uses quota', async () => {
    for (const id of unknownIds) {
      const reply = await askFor(`/${id}`);
      expect(reply.status, id).to.equal(404);
      expect(formExpectations.current.readError(reply.text).code, id).to.equal('not_found');
      expect(reply.headers, id).to.have.property('x-ratelimit-limit');
    }
  });

  it('decodes the id in a path once', async () => {
    for (const [encoded, id] of [
      ['art_1', 'art_1'],
      ['%61rt%5F1', 'art_1'],
      ['a%2Fb%20%C3%BC', 'a/b ü'],
      ['50%25', '50%'],
      ['%25ff', '%ff'],
      ['a%00b', 'a\0b'],
      ['ctl%0Aid', 'ctl\nid'],
      ['%C2%85', '\u0085'],
    ] as const) {
      const reply = await askFor(`/${encoded}`);
      expect(reply.status, encoded).to.equal(200);
      expect(reply.text).to.include(`"id":${JSON.stringify(id)}`);
    }
  });

  it('finds an id like an escape only by its escaped spelling in a query', async () => {
    const key = keys.variant.full.text;
    for (const id of malformed) {
      const query = `?x=%zz&id=${id}`;
      expect((await askFor(query)).status, id).to.equal(400);
      expect((await askFor(query, key)).status, id).to.equal(404);
      const escaped = `?x=%zz&id=${encodeURIComponent(id)}`;
      expect((await askFor(escaped, key)).status, id).to.equal(200);
    }
  });

  it('returns 431 for 2049 bytes of query after the other checks', async () => {
    const { revoked, noSpikes, full } = keys.variant;
    const rows: readonly (readonly [
      path: string,
      key: string | undefined,
      status: number,
      method?: string,
    ])[] = [
      ['/artists', undefined, 431],
      ['/artists', unissuedKey, 431],
      ['/artists', revoked.text, 401],
      ['/spikes', noSpikes.text, 401],
      ['/added', full.text, 404],
      ['/artists', full.text, 405, 'POST'],
      ['/health', full.text, 200],
    ];
    for (const [path, key, status, method] of rows) {
      const reply = await gateway.send(`/api/v1${path}?${'x'.repeat(2049)}`, key, { method });
      expect(reply.status, `${method ?? 'GET'} ${path} ${status}`).to.equal(status);
    }
  });
});

/** Paths similar to the paths of a form, and the expected message of their 404. */
const nearPaths: readonly (readonly [
  form: 'current' | 'variant',
  path: string,
  message: RegExp,
])[] = [
  ['current', '/api/v1/artist', /Did you mean \/api\/v1\/artists\?$/],
  ['current', '/api/v1/Artists', /Did you mean \/api\/v1\/artists\?$/],
  ['current', '/api/v1/artists/', /Did you mean \/api\/v1\/artists\?$/],
  ['current', '/api/v2/spikes', /Did you mean \/api\/v1\/spikes\?$/],
  ['current', '/signings/secret-client-text', /^There is nothing at this path\.$/],
  ['current', '/api/v1/wp-login.php', /^There is nothing at this path\.$/],
  ['current', '/docs/', /Did you mean \/docs\?$/],
  [
    'variant',
    '/api/v1/added',
    /^Only the current .+ is served the variant form: ask \/api\/v1\/artists\?new=\.$/,
  ],
  [
    'variant',
    '/api/v1/artists/doc_1',
    /^Only the current form has this path; .+ is served the variant form\.$/,
  ],
  ['variant', '/api/v1/artists/', /Did you mean \/api\/v1\/artists\?$/],
  ['variant', '//api/v1/artists', /Did you mean \/api\/v1\/artists\?$/],
  ['variant', '/api/v1//added', /^There is nothing at this path\.$/],
  ['variant', '/api/v1/signing', /Did you mean \/api\/v1\/signings\?$/],
];

describe('the message for an unknown path or identifier', () => {
  const artists = [buildArtist({ id: 'art_1', documentId: 'doc_1' })];
  const gateway = useGateway(() => createTestGateway({ source: createTestSource({ artists }) }));

  for (const [form, path, expected] of nearPaths) {
    it(`of ${path} in the ${form} form matches ${expected}`, async () => {
      const reply = await gateway.send(path, keys[form].full.text);
      expect(reply.status).to.equal(404);
      const { message } = formExpectations[form].readError(reply.text);
      expect(message).to.match(expected);
      expect(message).to.not.match(/client-text|art_1|doc_1/);
    });
  }

  it('reports an identifier of the other form', async () => {
    for (const [form, path] of [
      ['current', '/api/v1/artists/doc_1'],
      ['variant', '/api/v1/artists?id=art_1'],
    ] as const) {
      const reply = await gateway.send(path, keys[form].full.text);
      expect(reply.status).to.equal(404);
      expect(formExpectations[form].readError(reply.text).message).to.include('the other form');
    }
  });
});
