import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { z } from 'zod';
import { errorWire } from '../../adapters/forms/current/wire.ts';
import { forms } from '../../adapters/forms/forms.ts';
import { errorAnchor } from '../../adapters/openapi/headers.ts';
import { exampleRequestId } from '../../adapters/openapi/recorded-examples.ts';
import { changesMarkdown, contractLog } from '../../adapters/reference/contract-log.ts';
import type { ReferenceMaterial } from '../../adapters/reference/form-reference.ts';
import { pagePaths } from '../../adapters/reference/handler.ts';
import { formatJson, highlight } from '../../adapters/reference/highlight.ts';
import { renderMarkdown } from '../../adapters/reference/markdown.ts';
import { createPages, withoutComments } from '../../adapters/reference/pages.ts';
import { operationsOf, schemaMembers } from '../../adapters/reference/read-contract.ts';
import { escapeHtml } from '../../adapters/text/html.ts';
import { contractOf } from '../support/contract.ts';
import { exchangeNames, readExchange } from '../support/exchanges.ts';
import { keys } from '../support/forms/form-keys.ts';
import { createTestGateway, useGateway } from '../support/gateway.ts';
import type { RawReply } from '../support/raw.ts';
import { referenceOptions, textOf } from '../support/reference.ts';

const paths = ['/openapi.json', '/openapi.variant.json', '/docs', '/docs/migration'];
const pages = ['/docs', '/docs/migration', '/docs/changes'];

/** The same in other formats, by type. */
const texts = [
  ['/docs/changes.atom', 'application/atom+xml', '<feed xmlns="http://www.w3.org/2005/Atom">'],
  ['/docs.md', 'text/markdown', '## Page through the shortlist'],
  ['/docs/migration.md', 'text/markdown', '## Requests'],
  ['/llms.txt', 'text/plain', '# Artist Intelligence API\n\n> A read-only API'],
] as const;

/** Code as it was before it was coloured. */
const withoutColours = (page: string): string =>
  page.replaceAll(/<span class="(?:comment|text|value|name)">(.*?)<\/span>/gs, '$1');

const dataOf = (body: unknown) => z.object({ data: z.unknown() }).parse(body).data;

describe('the reference', () => {
  const gateway = useGateway();

  for (const path of paths) {
    it(`serves ${path} without a key, with an ETag and 5 minutes of caching`, async () => {
      const { status, headers, text } = await gateway.send(path);
      expect(status).to.equal(200);
      expect(headers['content-type']).to.match(
        path.endsWith('.json') ? /^application\/json/ : /^text\/html/,
      );
      expect(headers['x-content-type-options']).to.equal('nosniff');
      expect(headers['cache-control']).to.equal('public, max-age=300');
      expect(headers['content-security-policy']).to.match(/^default-src 'none'/);
      expect(headers['x-request-id']).to.match(/^[0-9a-f-]{36}$/);
      expect(Object.keys(headers).join()).to.not.match(/ratelimit|access-control/);
      expect(text.length).to.be.greaterThan(1000);
      const again = await gateway.send(path, undefined, {
        headers: { 'If-None-Match': String(headers['etag']) },
      });
      expect([again.status, again.text, again.headers['etag']]).to.deep.equal([
        304,
        '',
        headers['etag'],
      ]);
      const others = await gateway.send(path, undefined, {
        headers: { 'If-None-Match': '"other"' },
      });
      expect(others.status).to.equal(200);
    });

    it(`sends ${path} as gzip where that is accepted, with an ETag of its own`, async () => {
      const plain = await gateway.send(path, undefined, {
        headers: { 'Accept-Encoding': 'identity' },
      });
      const { status, headers, body } = await gateway.send(path, undefined, {
        headers: { 'Accept-Encoding': 'gzip' },
      });
      expect([status, headers['content-encoding'], headers['vary']]).to.deep.equal([
        200,
        'gzip',
        'Accept-Encoding',
      ]);
      expect(gunzipSync(body).toString()).to.equal(plain.text);
      expect(body.length).to.be.lessThan(plain.body.length / 3);
      expect([plain.headers['content-encoding'], plain.headers['vary']]).to.deep.equal([
        undefined,
        'Accept-Encoding',
      ]);
      const tag = String(headers['etag']);
      expect(tag).to.not.equal(plain.headers['etag']);
      const sent = { 'Accept-Encoding': 'gzip', 'If-None-Match': tag };
      const again = await gateway.send(path, undefined, { headers: sent });
      expect([again.status, again.text, again.headers['content-encoding']]).to.deep.equal([
        304,
        '',
        undefined,
      ]);
      const other = await gateway.send(path, undefined, { headers: { 'If-None-Match': tag } });
      expect([other.status, other.text]).to.deep.equal([200, plain.text]);
    });

    it(`answers HEAD at ${path} like GET, without the body`, async () => {
      for (const encoding of ['identity', 'gzip']) {
        const request = { headers: { 'Accept-Encoding': encoding } };
        const [got, head] = await Promise.all([
          gateway.send(path, undefined, request),
          gateway.send(path, undefined, { ...request, method: 'HEAD' }),
        ]);
        const without = ({ headers }: RawReply) => ({ ...headers, date: '', 'x-request-id': '' });
        expect([head.status, without(head), head.text]).to.deep.equal([200, without(got), '']);
        expect(head.headers['content-length']).to.equal(String(got.body.length));
      }
    });

    it(`refuses every method but GET and HEAD at ${path}`, async () => {
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'PROPFIND']) {
        const { status, headers, text } = await gateway.send(path, undefined, { method });
        expect([status, headers['allow'], headers['x-envelope-served']]).to.deep.equal([
          405,
          'GET, HEAD',
          'current',
        ]);
        const { error } = errorWire.parse(JSON.parse(text));
        expect([error.code, error.request_id]).to.deep.equal([
          'method_not_allowed',
          headers['x-request-id'],
        ]);
      }
    });
  }

  it('logs a request for a page like every other request', async () => {
    const { headers, text } = await gateway.send('/docs');
    const bytes = Buffer.byteLength(text);
    const facts = {
      requestId: headers['x-request-id'],
      route: '/docs',
      status: 200,
      form: 'current',
      bytes,
    };
    expect(gateway.log.entries.at(-1)?.facts).to.include({ ...facts, adjusted: false });
  });

  it('redirects / to the reference, also for HEAD', async () => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, text } = await gateway.send('/?utm=1', undefined, { method });
      expect([status, headers['location'], text]).to.deep.equal([302, 'docs', '']);
      expect(headers['x-request-id']).to.match(/^[0-9a-f-]{36}$/);
    }
    expect((await gateway.send('/', undefined, { method: 'POST' })).status).to.equal(405);
  });

  it('matches paths exactly and leaves other paths to the forms', async () => {
    for (const path of ['/docs/', '/Docs', '/openapi.current.json', '/docs/site/page.js', '//']) {
      const { status, headers } = await gateway.send(path);
      expect([status, headers['x-envelope-served']], path).to.deep.equal([404, 'current']);
    }
    expect((await gateway.send('/docs?theme=dark')).status).to.equal(200);
    expect((await gateway.send(`/docs?${'a'.repeat(2049)}`)).status).to.equal(431);
  });

  for (const [path, type, part] of texts) {
    it(`serves ${path} as ${type}`, async () => {
      const { status, headers, text } = await gateway.send(path);
      expect([status, headers['content-type']]).to.deep.equal([200, `${type}; charset=utf-8`]);
      expect(text).to.include(part);
      expect(text).to.not.match(/\{base_url\}|```client/);
      const links = [
        ...text.matchAll(/http:\/\/127\.0\.0\.1:3000(\/(?:docs|openapi|llms)[\w./-]*)/g),
      ].map(([, link = '']) => link);
      for (const link of new Set(links))
        expect((await gateway.send(link)).status, link).to.equal(200);
    });
  }

  it('names the version that a program needs where a page first offers it', async () => {
    for (const [path, program] of [
      ['/docs.md', 'artist_api.py'],
      ['/docs.md', 'artist-api.mjs'],
      ['/docs/migration.md', 'moving.py'],
      ['/docs/migration.md', 'moving.mjs'],
    ] as const) {
      const needs = program.endsWith('.py') ? 'Python 3.9 or later' : 'Node 20.19 or later';
      const [, after = ''] = (await gateway.send(path)).text.split(`/docs/clients/${program})`);
      expect(after.split(/\.\s/)[0]?.replaceAll('\n', ' '), program).to.include(needs);
    }
  });

  it('has the same chapters in /docs.md as in /docs', async () => {
    const [{ text: markdown }, { text }] = await Promise.all([
      gateway.send('/docs.md'),
      gateway.send('/docs'),
    ]);
    const chapters = [...text.matchAll(/data-find="([^"]+)" data-kind="chapter"/g)].map(
      ([, title]) => title,
    );
    expect(chapters.length).to.be.greaterThan(10);
    for (const title of chapters) expect(markdown).to.include(`\n## ${title}\n`);
  });

  it('shows the rows of /docs.md on the page, and the title of a column with each cell', async () => {
    const [{ text: markdown }, { text: page }] = await Promise.all([
      gateway.send('/docs.md'),
      gateway.send('/docs'),
    ]);
    const wordsOf = (text: string): string => text.match(/[\p{L}\p{N}]+/gu)?.join(' ') ?? '';
    const tables = page
      .split('<table>')
      .map((table) => table.split('</tbody>')[0]?.split('<tbody>') ?? []);
    const shown = tables.flatMap(([head = '', body = '']) => {
      if (!body.startsWith('<tr id=')) return [];
      const titles = [...head.matchAll(/<th>(.*?)<\/th>/g)].map(([, title]) => title);
      return body.split('</tr>').map((row) => {
        const labels = [...row.matchAll(/data-label="([^"]*)"/g)].map(([, label]) => label);
        if (row !== '') expect(labels).to.deep.equal(['', ...titles.slice(1)]);
        return wordsOf(row.replaceAll(/<summary>.*?<\/summary>|<[^>]*>|&[^;]+;/g, ' '));
      });
    });
    const rows = [...markdown.matchAll(/^\| `.*$/gm)].map(([row]) => wordsOf(row));
    expect(rows).to.have.lengthOf.above(200);
    expect(shown).to.include.members(rows);
  });

  for (const path of pages) {
    it(`serves ${path} as a self-contained page without a key field`, async () => {
      const { headers, text } = await gateway.send(path);
      const sources = [...text.matchAll(/(?: (?:src|href|action)=|\burl\()["']?([^"')\s>]+)/g)].map(
        ([, source]) => source,
      );
      expect(sources).to.not.have.lengthOf(0);
      for (const source of sources)
        expect(source).to.match(/^(#|\/docs|\/openapi|data:image\/svg)/);
      expect(text).to.not.match(
        /<(input(?! type="search")|form|textarea|iframe|img|object|link rel="(?!icon"))/,
      );
      const policy = String(headers['content-security-policy']);
      expect(policy).to.not.match(/unsafe|https?:|\*|connect-src/);
      for (const element of ['style', 'script']) {
        const inline = new RegExp(`<${element}>([^]*)</${element}>`).exec(text)?.[1] ?? '';
        expect(policy).to.include(
          `${element}-src 'sha256-${createHash('sha256').update(inline).digest('base64')}'`,
        );
      }
      expect(text).to.not.match(/ (on\w+|style)="/);
    });
  }

  it('begins with one question and its recorded answer in each form, after one sentence', async () => {
    const parts = (await gateway.send('/docs')).text.split('<div class="form" id="').slice(1);
    for (const [index, { name }] of forms.entries()) {
      const [head = ''] = withoutColours(parts[index] ?? '').split('<dl class="start">');
      const [, shown = ''] = head.split('<main>');
      const [before = '', command = '', answer = ''] = shown
        .split('<code>')
        .map((part) => part.split('</code>')[0] ?? '');
      expect(before.match(/<p>/g)).to.have.lengthOf(1);
      expect(command).to.match(/^curl .+\/api\/v1\/artists\?tier=established&amp;limit=1&#39;$/s);
      const { body } = readExchange(name, 'artists-first-page');
      const json = answer
        .replaceAll('&quot;', '"')
        .replaceAll('&#39;', "'")
        .replaceAll('&amp;', '&');
      expect(JSON.parse(json).data).to.deep.equal(dataOf(body));
      expect(shown.includes('<svg')).to.equal(name === 'current');
    }
  });

  it('draws every day of a history, and rings estimated days', async () => {
    const { text } = await gateway.send('/docs');
    const drawings = [...text.matchAll(/<polyline points="([^"]+)"\/>(.*?)<\/svg>/gs)];
    expect(drawings.map(([, points = '']) => points.split(' ').length)).to.deep.equal([48, 15]);
    expect(
      drawings.map(([, , rings = '']) => rings.match(/\d{4}-\d\d-\d\d: estimated/g)),
    ).to.deep.equal([null, ['2026-08-17: estimated']]);
  });

  it('labels the axes of a history, and its lowest and highest day', async () => {
    const { text } = await gateway.send('/docs');
    const drawings = [...text.matchAll(/<svg viewBox.*?<\/svg>/gs)].map(([drawing]) =>
      [...drawing.matchAll(/<text [^>]*>([^<]+)<\/text>/g)].map(([, label]) => label),
    );
    const listeners = ['7M', '8M', '2026-07-06', '2026-08-22'];
    const followers = ['2.32M', '2.33M', '2026-08-08', '2026-08-22'];
    expect(drawings).to.deep.equal([
      [...listeners, '6.19M, 2026-08-14', '8.27M, 2026-07-31'],
      [...followers, '2.31M, 2026-08-08', '2.33M, 2026-08-22'],
    ]);
  });

  it('has links to the parts of all pages, a search and contents at the head of each', async () => {
    for (const path of pages) {
      const { text } = await gateway.send(path);
      const heads = text
        .split('<aside>')
        .slice(1)
        .map((part) => part.split('</aside>')[0] ?? '');
      expect(heads).to.have.lengthOf(path === '/docs' ? 2 : 1);
      for (const head of heads) {
        const [, nav = ''] = /<nav class="switch"[^>]*>(.*?)<\/nav>/.exec(head) ?? [];
        const links = [...nav.matchAll(/href="([^"]+)"/g)].map(([, link]) =>
          path === '/docs' ? link?.replace(/^#/, '/docs#') : link,
        );
        expect(links).to.deep.equal([
          '/docs#current',
          '/docs#variant',
          '/docs/migration',
          '/docs/changes',
        ]);
        expect(nav.match(/aria-current/g)).to.have.lengthOf(1);
        expect(head)
          .to.include('<input type="search"')
          .and.match(/<nav class="contents"[^>]*>.*<li><a href="#/s);
      }
    }
  });

  const sectionsOf = async (): Promise<ReadonlyMap<string, string>> => {
    const { text } = await gateway.send('/docs/migration');
    const sections = text.split('<section class="chapter" id="').slice(1);
    return new Map(sections.map((section) => [section.split('"', 1)[0] ?? '', section]));
  };

  it('tells the steps of a move in their order, then answers of both forms, then the tables of differences', async () => {
    const sections = await sectionsOf();
    expect([...sections.keys()].slice(0, 10)).to.deep.equal([
      'find-out',
      'prove-it',
      'rehearse-it',
      'move',
      'move-back',
      'an-artist',
      'a-spike',
      'a-signing',
      'an-error',
      'requests',
    ]);
    const codes = [...sections.values()].map((section) => section.match(/<pre/g)?.length ?? 0);
    expect(codes.slice(5, 10)).to.deep.equal([2, 2, 2, 2, 0]);
    expect(sections.get('an-artist')).to.include('Salt Meridian Choir');
  });

  it('names the partner in each command of `moving.py` that needs a key', async () => {
    const { text } = await gateway.send('/docs/migration.md');
    const commands = text.match(/^ARTIST_API_KEY=.* moving\.py .*$/gm) ?? [];
    expect(commands).to.have.lengthOf(2);
    for (const command of commands) expect(command).to.include(" --partner 'YOUR NAME'");
  });

  it('draws the move on the page and leaves the drawing out of its Markdown', async () => {
    const page = await gateway.send('/docs/migration');
    expect(
      page.text.match(/<figure class="plot"><svg [^>]*role="img" aria-label="[^"]{50,}"/g),
    ).to.have.lengthOf(1);
    expect((await gateway.send('/docs/migration.md')).text).to.not.match(/plot|<svg/);
  });

  const markedMembers: readonly (readonly [
    example: string,
    variant: readonly string[],
    current: readonly string[],
  ])[] = [
    [
      'a-spike',
      ['period_days', 'tiktok'],
      ['artist_id', 'window', 'days', 'from', 'to', 'engine', 'links'],
    ],
    [
      'a-signing',
      ['signed_status', 'pline'],
      ['artist_id', 'signing', 'song_id', 'p_line', 'basis'],
    ],
    ['an-error', ['error', 'message'], ['error', 'code', 'message', 'request_id']],
  ];
  for (const [example, ...expected] of markedMembers) {
    it(`marks the members that differ in both answers of ${example}, and changes no character`, async () => {
      const section = (await sectionsOf()).get(example) ?? '';
      const codes = [...section.matchAll(/<pre[^>]*><code>(.*?)<\/code><\/pre>/gs)].map(
        ([, code = '']) => code,
      );
      const marked = codes.map((code) =>
        [...code.matchAll(/<mark> *<span class="name">&quot;(\w+)&quot;/g)].map(([, name]) => name),
      );
      expect(marked).to.deep.equal(expected);
      const { text } = await gateway.send('/docs/migration.md');
      for (const code of codes)
        expect(escapeHtml(text)).to.include(`\n${code.replaceAll(/<\/?(mark|span)[^>]*>/g, '')}\n`);
    });
  }

  it('shows recorded answers only, with the members and the order that they were sent with', async () => {
    const bodies = forms.flatMap(({ name }) =>
      exchangeNames(name).map((exchange) => readExchange(name, exchange).body),
    );
    const items = bodies.flatMap(
      (body) => z.object({ data: z.array(z.unknown()) }).safeParse(body).data?.data ?? [],
    );
    const recorded = new Set(
      [...bodies, ...items].map((body) =>
        JSON.stringify(body).replaceAll('<request id>', exampleRequestId),
      ),
    );
    for (const [path, count] of [
      ['/docs.md', 12],
      ['/docs/migration.md', 8],
    ] as const) {
      const { text } = await gateway.send(path);
      const shown = [...text.matchAll(/^```json(?: \{[\d,-]+\})?\n(.*?)\n```$/gms)].map(
        ([, json = '']) => JSON.stringify(JSON.parse(json)),
      );
      const answers = shown.filter((json) => !json.startsWith('{"mcpServers"'));
      expect(answers, path).to.have.lengthOf.at.least(count);
      expect(answers.filter((json) => !recorded.has(json))).to.deep.equal([]);
    }
  });

  it('lists a change of many members or statuses once', async () => {
    const { text } = await gateway.send('/docs/changes.md');
    expect(text.match(/X-Key-Expires` .*was added/g)).to.deep.equal([
      'X-Key-Expires` (304, 400, 401, 403, 404, 405, 429, 500, 503) was added',
    ]);
    expect(text).to.match(
      /`songs\[\]\.history\[\]\[\]\.estimated`, .*`history\[\]\[\]\.terminal` const true became nothing/,
    );
    expect(text).to.include('`401 (CurrentError)` was added');
    const { text: feed } = await gateway.send('/docs/changes.atom');
    for (const [, id = ''] of feed.matchAll(/changes#([^"]+)"/g))
      expect((await gateway.send('/docs/changes')).text).to.include(
        `<section class="chapter" id="${id}"`,
      );
  });

  it('lists as compatible that the `ETag` of /added is declared as optional, which changes no answer', async () => {
    const { text } = await gateway.send('/docs/changes.md');
    expect(text).to.include('| current | `ETag` became optional | `/api/v1/added` | no |');
  });

  it('refuses a release that changes no answer and breaks clients', () => {
    const change = { form: 'current', paths: [], what: '`A` was added', breaking: true };
    const logOf = (summary: string, changes: readonly object[]) =>
      contractLog.safeParse({
        contracts: {},
        releases: [{ id: 'one', date: '2026-01-01', summary, changes }],
      });
    expect(logOf('No answer changes.', [change]).success).to.equal(false);
    expect(logOf('No answer changes.', [{ ...change, breaking: false }]).success).to.equal(true);
    expect(logOf('Artists have a `genre`.', [change]).success).to.equal(true);
  });

  it('keeps apart changes that break clients, and the statuses of each member', () => {
    const change = (what: string, breaking: boolean) => ({
      form: 'current',
      paths: [],
      what,
      breaking,
    });
    const changes = [
      change('`200 A` was added', false),
      change('`404 A` was added', false),
      change('`401 B` was added', false),
      change('`C` was added', true),
    ];
    const text = changesMarkdown({
      contracts: {},
      releases: [{ id: 'one', date: '2026-01-01', summary: 'News.', changes }],
    });
    expect(text).to.include(
      '| current | `A` (200, 404), `B` (401) were added |  | no |\n| current | `C` was added |  | yes |',
    );
  });

  for (const [row, type] of [
    ['`name`, query', 'string; at most 120 characters'],
    ['`tier`, query', 'string; not empty'],
    ['`added_since`, query', 'string, date'],
    ['`limit`, query', 'integer; 1 to 100; default `50`'],
    ['`new`, query', 'integer; 0 or more'],
    ['`fields`, query', 'string; `basic`'],
    ['`genres`, optional', 'array of string'],
    ['`history`, optional', 'object of array of `HistoryPoint`'],
  ])
    it(`says the type and the limits of ${row}: ${type}`, async () => {
      const { text } = await gateway.send('/docs.md');
      expect(text).to.include(`\n| ${row} | ${type} | `);
    });

  it('has a target for every link inside a page', async () => {
    const { text } = await gateway.send('/docs');
    const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const links = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.filter((link) => !ids.has(link))).to.deep.equal([]);
    expect(ids.size).to.equal([...text.matchAll(/ id="/g)].length);
    for (const form of forms) {
      for (const { contract } of form.routes)
        expect(ids).to.include(`${form.name}-${contract.operationId}`);
    }
  });

  it('shows the other words of a chapter to search alone', async () => {
    const { text } = await gateway.send('/docs');
    expect(text).to.match(
      / id="current-page-through-the-shortlist" [^>]*data-words="paging, [^"]+"/,
    );
    for (const shown of [
      text.replaceAll(/<script.*?<\/script>/gs, ''),
      (await gateway.send('/docs.md')).text,
    ])
      expect(shown).to.not.match(/(<|&lt;)!--/);
  });

  it('shows every parameter, status, member, header and error code, each with an anchor that search finds', async () => {
    const { text } = await gateway.send('/docs');
    const anchors = new Set([...text.matchAll(/ id="([^"]+)" data-find="/g)].map(([, id]) => id));
    for (const form of forms) {
      const contract = contractOf(form);
      const shown = [
        ...operationsOf(contract).flatMap(({ id, parameters, responses }) =>
          [...parameters.map(({ name }) => name), ...responses.map(({ status }) => status)].map(
            (part) => `${id}-${part}`,
          ),
        ),
        ...Object.entries(contract.components?.schemas ?? {}).flatMap(([name, schema]) => [
          name,
          ...schemaMembers(schema).map((member) => `${name}.${member.name}`),
        ]),
        ...Object.keys(contract.components?.headers ?? {}).map((name) => `header-${name}`),
      ];
      expect(anchors).to.include.keys(shown.map((part) => `${form.name}-${part}`));
      expect(anchors).to.include.keys(
        Object.values(form.problems).map(({ code }) => errorAnchor(form.name, code)),
      );
    }
    const { headers } = await gateway.send('/api/v1/nothing');
    expect(headers.link).to.equal('</docs#current-error-not_found>; rel="help"');
  });

  const baseUrl = 'https://api.partners.test/music';
  const sandboxUrl = 'https://sandbox.partners.test';
  const make = (options: Pick<ReferenceMaterial, 'supportContact' | 'sandboxUrl'>) =>
    createPages(forms, { ...referenceOptions, baseUrl, ...options });
  const textsOf = (made: Awaited<ReturnType<typeof make>>) =>
    [...made.values()].map(({ plain }) => String(plain.bytes));

  for (const path of ['', '/music', '/a/b~c%20d'])
    it(`leads every link of every page to a page and a part of it, below ${path || 'no path'}`, async () => {
      const host = 'https://api.partners.test';
      const made = await createPages(forms, {
        ...referenceOptions,
        baseUrl: host + path,
        sandboxUrl,
      });
      const texts = new Map([...made].map(([page, { plain }]) => [page, String(plain.bytes)]));
      const anchors = new Set(
        [...texts].flatMap(([page, text]) =>
          [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => `${page}#${id}`),
        ),
      );
      const linksIn = (text: string): readonly string[] => [
        ...[...text.matchAll(/ href="([^"]+)"/g)].map(([, link = '']) => textOf(link)),
        ...[...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link),
      ];
      const dead: string[] = [];
      let followed = 0;
      for (const [page, text] of texts) {
        if (/^\/docs\/clients|json$/.test(page)) continue;
        for (const link of linksIn(text.replace(/<script>.*<\/script>/s, ''))) {
          const { origin, pathname, hash } = new URL(link, host + path + page);
          if (origin !== host) continue;
          followed++;
          const target = pathname.startsWith(`${path}/`) ? pathname.slice(path.length) : '';
          if (!texts.has(target) || (hash !== '' && !anchors.has(target + hash)))
            dead.push(`${page}: ${link}`);
        }
      }
      expect(followed).to.be.greaterThan(1_000);
      expect(dead).to.deep.equal([]);
    });

  for (const path of ['', '/music', '/a/b~c%20d'])
    it(`leads every \`Link\` of an answer to a page, below ${path || 'no path'}`, async () => {
      const PUBLIC_URL = `https://api.partners.test${path}`;
      const below = await createTestGateway({ settings: { PUBLIC_URL } });
      const links = async (request: string, key?: string): Promise<readonly string[]> => {
        const { headers } = await below.send(request, key);
        return [...String(headers.link).matchAll(/<([^>]*)>/g)].map(([, link = '']) => link);
      };
      const { text } = keys.variant.noticed;
      const [[help = ''], notices, noticesOfError] = [
        await links('/api/v1/nothing'),
        await links('/api/v1/artists', text),
        await links('/api/v1/nothing', text),
      ];
      expect(help).to.equal(`${path}/docs#current-error-not_found`);
      expect(notices).to.deep.equal(Array(2).fill(`${path}/docs/migration`));
      expect(noticesOfError).to.deep.equal(notices);
      for (const link of [help, ...notices]) {
        const { pathname } = new URL(link, PUBLIC_URL);
        expect((await below.send(pathname.slice(path.length))).status, link).to.equal(200);
      }
      await below.close();
    });

  it('shows the base address, the contract and the support contact, and no demo key without a sandbox', async () => {
    const made = await make({
      supportContact: 'https://partners.test/help',
      sandboxUrl: undefined,
    });
    expect([...made.keys()].sort()).to.deep.equal([...pagePaths(forms, referenceOptions)].sort());
    for (const part of [
      `<code>${baseUrl}</code>`,
      `${baseUrl}/openapi.variant.json`,
      'href="https://partners.test/help"',
    ])
      expect(String(made.get('/docs')?.plain.bytes)).to.include(part);
    for (const text of textsOf(made))
      expect(text).to.not.match(/aik_\w{20}|Try every answer|\{\/?sandbox/);
  });

  it('gives programs an address that contains what stands for their version', async () => {
    const made = await createPages(forms, {
      ...referenceOptions,
      baseUrl: 'http://10.0.0.5:3000',
      sandboxUrl: undefined,
    });
    const programs = [...made].filter(([path]) => path.startsWith('/docs/clients/'));
    expect(programs).to.not.be.empty;
    for (const [path, { plain }] of programs) {
      const addresses = String(plain.bytes).match(/http:\/\/[\d.]+:3000/g) ?? [];
      expect(new Set(addresses), path).to.deep.equal(new Set(['http://10.0.0.5:3000']));
    }
  });

  it('shows the demo keys with the address of the sandbox, and an e-mail address to write to', async () => {
    const made = await make({ supportContact: 'api@partners.test', sandboxUrl });
    expect(String(made.get('/docs')?.plain.bytes)).to.include('href="mailto:api@partners.test"');
    const [page = '', markdown = ''] = textsOf(made).filter((text) =>
      text.includes('Try every answer'),
    );
    for (const text of [page, markdown]) {
      for (const key of ['aik_curFull01_', 'aik_varCutOff_']) expect(text).to.include(key);
      expect(text).to.not.match(/\{\/?sandbox/);
      expect(text.split(sandboxUrl)).to.have.lengthOf(1 + 4 + 3);
      const commands = withoutColours(text).matchAll(
        /Bearer aik_\w+(?:&#39;|') \\\n {2}(?:&#39;|')(http[^/]+\/\/[^/]+)/g,
      );
      expect(new Set([...commands].map(([, host]) => host))).to.deep.equal(new Set([sandboxUrl]));
    }
  });

  it('writes JSON in lines of the given width, as the same document', () => {
    for (const { name } of forms) {
      for (const exchange of exchangeNames(name)) {
        const { body } = readExchange(name, exchange);
        for (const width of [30, 76]) {
          const text = formatJson(body, width);
          expect(JSON.parse(text)).to.deep.equal(body);
          for (const line of text.split('\n'))
            if (line.length > width) expect(line).to.match(/^ *("[^"]+": )?[^{[]*[{[]?,?$/);
        }
      }
    }
    expect(formatJson({ a: [{ c: 1, d: 2 }] }, 22)).to.include('{\n      "c": 1,');
    expect(formatJson({ a: [1, 'x'], b: {} }, 20)).to.equal('{\n  "a": [1, "x"],\n  "b": {}\n}');
  });

  for (const [language, code, coloured] of [
    [
      'json',
      '{"a": ["b: 1", -1.5e3, true]}',
      ['name "a"', 'text "b: 1"', 'value -1.5e3', 'value true'],
    ],
    [
      'python',
      'if x1 is None: # "y"\n  print(f"a # {2}")',
      ['name if', 'name is', 'value None', 'comment # "y"', 'text "a # {2}"'],
    ],
    ['typescript', 'const a = `b\n1`; // c', ['name const', 'text `b\n1`', 'comment // c']],
    ['sh', 'curl -H "a\nb" \'#\' x#y # c', ['name curl', 'text "a\nb"', "text '#'", 'comment # c']],
    ['text', 'if 1 "a" # b', []],
  ] as const)
    it(`colours ${language}, and changes none of it`, () => {
      const { text } = highlight(code, language);
      expect(withoutColours(text)).to.equal(escapeHtml(code));
      const found = [...text.matchAll(/<span class="(\w+)">(.*?)<\/span>/gs)].map(
        ([, kind, part]) => `${kind} ${part}`,
      );
      expect(found).to.deep.equal(coloured.map(escapeHtml));
    });

  it('escapes HTML and images in Markdown', () => {
    const { text } = renderMarkdown(
      '<script>alert(1)</script>\n\n![x](http://elsewhere.test/x.png) `<b>`',
    );
    expect(text).to.not.match(/<script|<img|<b>/);
  });

  for (const [what, code, expected] of [
    [
      'comments',
      '/* a\n// b */ const c = 1; // d\n  // e\nf("/* g */");',
      ' const c = 1; // d\n\nf("/* g */");',
    ],
    ['200,000 blank lines', '\n'.repeat(200_000), '\n'.repeat(200_000)],
    ['70,000 comments that begin and never end', '/*\n'.repeat(70_000), ''],
  ] as const)
    it(`drops the comments of the search library in linear time: ${what}`, function () {
      this.timeout(1_000); // a quadratic pattern takes longer than ten
      expect(withoutComments(code) === expected).to.equal(true);
    });
});
