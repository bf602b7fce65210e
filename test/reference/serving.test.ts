import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { errorWire } from '../../adapters/forms/current/wire.ts';
import { readSite } from '../../adapters/reference/site-files.ts';
import { siteFolder } from '../../src/runtime/folders.ts';
import { keys } from '../support/forms/form-keys.ts';
import { createTestGateway, useGateway } from '../support/gateway.ts';
import type { RawReply } from '../support/raw.ts';
import { site } from '../support/site.ts';

const paths = [
  '/openapi.json',
  '/openapi.variant.json',
  '/docs',
  '/docs/guides',
  '/docs/search.js',
];

describe('the service of the pages', () => {
  const gateway = useGateway();

  it('serves what the sources make (otherwise run npm run build)', () => {
    const built = new Map(readSite(siteFolder).map(({ path, text }) => [path, text]));
    const stale = site.filter(({ path, text }) => built.get(path) !== text);
    expect(stale.map(({ path }) => path)).to.deep.equal([]);
    expect(built.size).to.be.greaterThan(site.length);
  });

  for (const path of paths)
    it(`serves ${path} without a key, with an ETag, 5 minutes of caching and gzip`, async () => {
      const as = (encoding: string, tag?: unknown) => {
        const headers = { 'Accept-Encoding': encoding, 'If-None-Match': tag && String(tag) };
        return gateway.send(path, undefined, { headers: headers as Record<string, string> });
      };
      const [plain, packed] = [await as('identity'), await as('gzip')];
      const { headers, text } = plain;
      expect(plain.status).to.equal(200);
      expect(headers['x-content-type-options']).to.equal('nosniff');
      expect(headers['cache-control']).to.equal('public, max-age=300');
      expect(headers['content-security-policy'])
        .to.match(/^default-src 'none'/)
        .and.not.match(/unsafe|https?:|\*|connect-src/);
      expect(headers['x-request-id']).to.match(/^[0-9a-f-]{36}$/);
      expect(Object.keys(headers).join()).to.not.match(/ratelimit|access-control/);
      expect(text.length).to.be.greaterThan(1000);
      const again = await as('identity', headers['etag']);
      expect([again.status, again.text, again.headers['etag']]).to.deep.equal([
        ...[304, '', headers['etag']],
      ]);
      const { 'content-encoding': encoding, vary, etag } = packed.headers;
      expect([encoding, vary]).to.deep.equal(['gzip', 'Accept-Encoding']);
      expect(gunzipSync(packed.body).toString()).to.equal(text);
      expect(packed.body.length).to.be.lessThan(plain.body.length / 2);
      expect(etag).to.not.equal(headers['etag']);
      expect((await as('gzip', etag)).status).to.equal(304);
      expect((await as('identity', etag)).status).to.equal(200);
    });

  it('returns the headers of GET to HEAD, and rejects other methods', async () => {
    const send = (method: string) => gateway.send('/docs', undefined, { method });
    const [got, head] = [await send('GET'), await send('HEAD')];
    const without = ({ headers }: RawReply) => ({ ...headers, date: '', 'x-request-id': '' });
    expect([head.status, without(head), head.text]).to.deep.equal([200, without(got), '']);
    for (const method of ['POST', 'OPTIONS', 'PROPFIND']) {
      const { status, headers, text } = await send(method);
      expect([status, headers['allow']]).to.deep.equal([405, 'GET, HEAD']);
      const { error } = errorWire.parse(JSON.parse(text));
      expect([error.code, error.request_id]).to.deep.equal([
        ...['method_not_allowed', headers['x-request-id']],
      ]);
    }
  });

  it('sends the media type of every file, and the form of each contract', async () => {
    for (const [path, type, form] of [
      ['/docs', 'text/html', 'current'],
      ['/docs.md', 'text/markdown', 'current'],
      ['/docs/page.js', 'text/javascript', 'current'],
      ['/docs/style.css', 'text/css', 'current'],
      ['/docs/changes.atom', 'application/atom+xml', 'current'],
      ['/docs/clients/artist_api.py', 'text/plain', 'current'],
      ['/llms.txt', 'text/plain', 'current'],
      ['/openapi.variant.json', 'application/json', 'variant'],
    ] as const) {
      const { headers } = await gateway.send(path);
      expect([headers['content-type'], headers['x-envelope-served']], path).to.deep.equal([
        `${type}; charset=utf-8`,
        form,
      ]);
    }
  });

  it('logs a request for a page like every other request', async () => {
    const { headers, text } = await gateway.send('/docs');
    expect(gateway.log.entries.at(-1)?.facts).to.include({
      requestId: headers['x-request-id'],
      route: '/docs',
      status: 200,
      form: 'current',
      bytes: Buffer.byteLength(text),
      adjusted: false,
    });
  });

  it('redirects / to the pages', async () => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, text } = await gateway.send('/?utm=1', undefined, { method });
      expect([status, headers['location'], text]).to.deep.equal([302, 'docs', '']);
      expect(headers['x-request-id']).to.match(/^[0-9a-f-]{36}$/);
    }
    expect((await gateway.send('/', undefined, { method: 'POST' })).status).to.equal(405);
  });

  it('matches paths exactly and leaves other paths to the forms', async () => {
    for (const path of ['/docs/', '/Docs', '/docs/guides.html', '/docs/../package.json', '//']) {
      const { status, headers } = await gateway.send(path);
      expect([status, headers['x-envelope-served']], path).to.deep.equal([404, 'current']);
    }
    expect((await gateway.send('/docs?theme=dark')).status).to.equal(200);
    expect((await gateway.send(`/docs?${'a'.repeat(2049)}`)).status).to.equal(431);
  });

  for (const path of ['', '/music', '/a/b~c%20d'])
    it(`links from \`Link\` to existing pages, below ${path || 'no path'}`, async () => {
      const PUBLIC_URL = `https://api.partners.test${path}`;
      const below = await createTestGateway({ settings: { PUBLIC_URL } });
      const links = async (request: string, key?: string): Promise<readonly string[]> => {
        const { headers } = await below.send(request, key);
        return [...String(headers.link).matchAll(/<([^>]*)>/g)].map(([, link = '']) => link);
      };
      const { text } = keys.variant.noticed;
      const [help = ''] = await links('/api/v1/nothing');
      const notices = await links('/api/v1/artists', text);
      expect(help).to.equal(`${path}/docs/errors#not_found`);
      expect(notices).to.deep.equal(Array(2).fill(`${path}/docs/migration`));
      expect(await links('/api/v1/nothing', text)).to.deep.equal(notices);
      for (const link of [help, ...notices]) {
        const { pathname } = new URL(link, PUBLIC_URL);
        expect((await below.send(pathname.slice(path.length))).status, link).to.equal(200);
      }
      await below.close();
    });
});
