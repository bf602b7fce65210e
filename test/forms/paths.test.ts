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

    for (const path of unknownPaths) {
      it(`${path} is not found in the ${form.name} form and costs no quota unit`, async () => {
        const reply = await gateway.send(path, key);
        expect(reply.status).to.equal(status);
        expect(formExpectations[form.name].readError(reply.text).code).to.equal(code);
        expect(reply.headers).not.to.have.property('x-ratelimit-limit');
      });
    }

    it(`an absolute target is reduced to its path in the ${form.name} form`, async () => {
      const reply = await gateway.send('http://gateway.test/api/v1/artists?limit=1', key);
      expect(reply.status).to.equal(200);
      expect(reply.headers['x-envelope-served']).to.equal(form.name);
      expect((await gateway.send('HTTPS://user@gateway.test:1/api/v1/health')).status).to.equal(
        200,
      );
    });

    it(`an absolute target whose authority is no host is answered by its path in the ${form.name} form`, async () => {
      const warnings: Error[] = [];
      const note = (warning: Error) => warnings.push(warning);
      process.on('warning', note);
      for (const host of ['[bad', ']', 'a[b', '[1:2]:x', 'xn--a', 'a:b', 'a:99999', '%zz']) {
        const answer = async (path: string, method?: string) =>
          (await gateway.send(`http://${host}${path}`, key, method ? { method } : {})).status;
        expect(await answer('/api/v1/artists?limit=1'), host).to.equal(200);
        expect(await answer('/api/v1/artists', 'POST'), host).to.equal(405);
        expect(await answer('/unknown'), host).to.equal(404);
      }
      expect((await gateway.send('ftp://[bad/api/v1/health', key)).status).to.equal(404);
      await setImmediate();
      process.off('warning', note);
      // Node's would hold the target, and with it a key.
      expect(warnings).to.deep.equal([]);
    });

    it(`an absolute target without a path is that of / in the ${form.name} form`, async () => {
      for (const target of ['http://gateway.test', 'http://%@gateway.test?a=1']) {
        const { status, headers } = await gateway.send(target, key);
        expect([status, headers['location']], target).to.deep.equal([302, 'docs']);
      }
    });

    it(`OPTIONS * is not found in the ${form.name} form`, async () => {
      expect((await gateway.send('*', key, { method: 'OPTIONS' })).status).to.equal(404);
    });
  }

  for (const id of unknownIds) {
    it(`${id.slice(0, 40)} as an id is not found and costs a quota unit`, async () => {
      const reply = await gateway.send(`/api/v1/artists/${id}`, keys.current.full.text);
      expect(reply.status).to.equal(404);
      expect(formExpectations.current.readError(reply.text).code).to.equal('not_found');
      expect(reply.headers).to.have.property('x-ratelimit-limit');
    });
  }

  for (const [encoded, id] of [
    ['art_1', 'art_1'],
    ['%61rt%5F1', 'art_1'],
    ['a%2Fb%20%C3%BC', 'a/b ü'],
    ['50%25', '50%'],
    ['100%25', '100%'],
    ['%25ff', '%ff'],
    ['a%00b', 'a\0b'],
    ['ctl%0Aid', 'ctl\nid'],
    ['%C2%85', '\u0085'],
  ] as const) {
    it(`${encoded} finds the artist with the id ${JSON.stringify(id)}`, async () => {
      const reply = await gateway.send(`/api/v1/artists/${encoded}`, keys.current.full.text);
      expect(reply.status).to.equal(200);
      expect(reply.text).to.include(`"id":${JSON.stringify(id)}`);
    });
  }

  for (const id of malformed) {
    it(`${id} in a query finds no artist, and its escaped spelling does`, async () => {
      const path = `/api/v1/artists?x=%zz&id=${id}`;
      expect((await gateway.send(path, keys.current.full.text)).status).to.equal(400);
      expect((await gateway.send(path, keys.variant.full.text)).status).to.equal(404);
      const escaped = `/api/v1/artists?x=%zz&id=${encodeURIComponent(id)}`;
      expect((await gateway.send(escaped, keys.variant.full.text)).status).to.equal(200);
    });
  }

  it('a query of 2049 bytes is 431 without a known key, and changes no other check of the variant form', async () => {
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

/** Paths near those of a form, and what the message of their 404 must match. */
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

  it('says that an identifier is that of the other form', async () => {
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
