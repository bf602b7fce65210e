import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { forms } from '../../adapters/forms/forms.ts';
import { contractPath } from '../../adapters/http/reference-links.ts';
import { builtAddress } from '../../adapters/reference/fill-in.ts';
import { escapeHtml } from '../../adapters/text/html.ts';
import { exampleRequestId } from '../../scripts/contracts/recorded-examples.ts';
import { renderMarkdown } from '../../scripts/pages/markdown.ts';
import { operationsOf, schemaMembers, schemasIn } from '../../scripts/pages/read-contract.ts';
import { unknownKeyForms } from '../../src/domain/caller.ts';
import { docsFolder } from '../../src/runtime/folders.ts';
import { contractOf } from '../support/contract.ts';
import { exchangeNames, readExchange } from '../support/exchanges.ts';
import { filledTexts, textOf } from '../support/reference.ts';
import { site, siteText, siteTexts } from '../support/site.ts';

/** Pages that a person writes, with their budgets of visible words. */
const budgets: Readonly<Record<string, number>> = {
  start: 250,
  guides: 1_150,
  errors: 250,
  tools: 550,
  variant: 1_000,
  migration: 450,
};

const pagePaths = site.filter(({ type }) => type === 'text/html').map(({ path }) => path);
const idsIn = (text: string): readonly string[] =>
  [...text.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);
const anchors = new Set(
  pagePaths.flatMap((path) => [path, ...idsIn(siteText(path)).map((id) => `${path}#${id}`)]),
);

/** Code before it is coloured. */
const withoutColours = (page: string): string =>
  page.replaceAll(/<span class="(?:comment|text|value|name)">(.*?)<\/span>/gs, '$1');

/** The page of an operation in a form. */
const pageOf = (form: string, path: string): string => {
  const name = path.endsWith('}') ? 'artist' : path.split('/').at(-1);
  return `/docs${form === forms[0].name ? '' : `/${form}`}/endpoints/${name}`;
};
const errorsOf = (form: string): string =>
  form === forms[0].name ? '/docs/errors' : `/docs/${form}`;

describe('the pages', () => {
  it('contain {base_url} instead of a local address', () => {
    const folder = join(docsFolder, 'site');
    for (const name of readdirSync(folder).filter((each) => each.endsWith('.md')))
      expect(readFileSync(join(folder, name), 'utf8'), name).to.not.include(builtAddress);
  });

  for (const [name, budget] of Object.entries(budgets))
    it(`keep docs/site/${name}.md within ${budget} words`, () => {
      const text = siteText(name === 'start' ? '/docs.md' : `/docs/${name}.md`).split(
        /^## (?:Error codes|Response headers|An artist)$/m,
      )[0];
      const words = text
        ?.replaceAll(/^```.*?^```$|^[^\n]* \| [^\n]*aik_[^\n]*$|^[-| ]+$/gms, '')
        .match(/\S*[\p{L}\d]\S*/gu);
      expect(words?.length).to.be.within(budget / 4, budget);
    });

  it('have at most 60 KB for /docs and 120 KB for others', () => {
    const sizes = pagePaths.map((path) => [path, Buffer.byteLength(siteText(path))] as const);
    const heavy = sizes.filter(([path, size]) => size > (path === '/docs' ? 60_000 : 120_000));
    expect(heavy).to.deep.equal([]);
    expect(pagePaths).to.include.members(['/docs/guides', '/docs/tools', '/docs/changes']);
  });

  it('use their own files only, and have the same chapters as Markdown', () => {
    for (const path of pagePaths) {
      const text = siteText(path);
      const sources = [...text.matchAll(/ (?:src|href|action)="([^"]+)"/g)].map(([, to]) => to);
      expect(sources).to.include.members(['/docs/style.css', '/docs/page.js', `${path}.md`]);
      for (const source of sources)
        expect(source).to.match(/^(#|\/docs|\/openapi|data:image\/svg|mailto:)/);
      expect(text).to.not.match(/<(form|textarea|iframe|img|object)| (on\w+|style)="|<script>/);
      const markdown = siteText(`${path}.md`);
      for (const each of [text, markdown])
        expect(each).to.not.match(
          /\{\{|\{(base_url|demo_key|per_\w+)\}|```(client|plot)|(<|&lt;)!--/,
        );
      for (const [, title = ''] of text.matchAll(/<h2><a href="#[^"]+">([^<]+)<\/a>/g))
        expect(markdown).to.include(`\n## ${textOf(title)}\n`);
      expect(new Set(idsIn(text)).size).to.equal(idsIn(text).length);
    }
  });

  for (const path of ['', '/music', '/a/b~c%20d'])
    it(`link to existing anchors, below ${path || 'no path'}`, () => {
      const host = 'https://api.partners.test';
      const texts = filledTexts(site, { baseUrl: host + path });
      const dead: string[] = [];
      let followed = 0;
      for (const [page, text] of texts) {
        if (/json$|\.js$/.test(page)) continue;
        const links = [
          ...[...text.matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, link = '']) => textOf(link)),
          ...[...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link),
        ];
        for (const link of links) {
          const { origin, pathname, hash } = new URL(link, host + path + page);
          if (origin !== host || pathname.includes('/docs/clients/')) continue;
          followed++;
          const target = pathname.startsWith(`${path}/`) ? pathname.slice(path.length) : '';
          if (!texts.has(target) || (hash !== '' && !anchors.has(target + hash)))
            dead.push(`${page}: ${link}`);
        }
      }
      expect(followed).to.be.greaterThan(1_000);
      expect(dead).to.deep.equal([]);
    });

  for (const one of forms) {
    const { name: form, problems } = one;
    const contract = contractOf(one);

    it(`document every parameter, status and field of the ${form} form`, () => {
      for (const { path, parameters, responses } of operationsOf(contract)) {
        const page = pageOf(form, path);
        const markdown = siteText(`${page}.md`);
        const own = responses.filter(({ status }) => status === '200');
        const fields = schemasIn(
          contract,
          own.flatMap(({ schemas }) => schemas),
        ).flatMap((name) =>
          schemaMembers(contract.components?.schemas?.[name] ?? {}).map((field) => ({
            ...{ anchor: `${name}.${field.name}` },
            row: `\`${field.name}\`${field.required ? '' : ', optional'}`,
          })),
        );
        for (const { name, in: where, required, description = '' } of parameters) {
          const row = `\`${name}\`, ${where}${required ? ', required' : ''}`;
          fields.push({ anchor: name, row });
          expect(markdown).to.include(description);
        }
        for (const { status, headers } of responses) {
          fields.push({ anchor: status, row: `\`${status}\`` });
          for (const name of headers)
            expect(anchors).to.include(`${errorsOf(form)}#header-${name}`);
        }
        for (const { anchor, row } of fields) {
          expect(anchors).to.include(`${page}#${anchor}`);
          expect(markdown).to.include(`| ${row} | `);
        }
      }
    });

    it(`document every error code and header of the ${form} form`, () => {
      const markdown = siteText(`${errorsOf(form)}.md`);
      for (const { code, status, text } of Object.values(problems))
        if (text !== undefined) {
          expect(anchors).to.include(`${errorsOf(form)}#${code}`);
          expect(markdown).to.include(`| \`${code}\` | ${status} | ${text} |`);
        }
      for (const [name, header] of Object.entries(contract.components?.headers ?? {}))
        expect(markdown)
          .to.include(`| \`${name}\` | `)
          .and.include('description' in header ? header.description : name);
    });
  }

  it('begin with the key, the call and ten lines of its recorded response', () => {
    for (const [path, form] of [
      ['/docs', 'current'],
      ['/docs/variant', 'variant'],
    ] as const) {
      const [, main = ''] = withoutColours(siteText(path)).split('</h1></header>');
      const [call = '', powerShell = '', first = '', whole = ''] = [
        ...main.matchAll(/<code>(.*?)<\/code><\/pre>/gs),
      ].map(([, code = '']) => textOf(code));
      expect(call).to.match(/^export ARTIST_API_KEY='aik_\w{30,}'\ncurl .+artists\?.*limit=1'$/s);
      expect(powerShell).to.match(/^\$env:ARTIST_API_KEY = 'aik_\w+'\nInvoke-RestMethod /);
      expect(first.split('\n')).to.deep.equal(whole.split('\n').slice(0, 10));
      const { body } = readExchange(form, 'artists-first-page');
      const dataOf = (json: unknown) => z.object({ data: z.unknown() }).parse(json).data;
      expect(dataOf(JSON.parse(whole))).to.deep.equal(dataOf(body));
    }
  });

  it('draw every day of a history, with labels and estimated days', () => {
    for (const [path, days, estimated] of [
      ['/docs', 48, null],
      ['/docs/guides', 15, ['2026-08-17: estimated']],
    ] as const) {
      const [, points = '', rest = ''] =
        /<polyline points="([^"]+)"\/>(.*?)<\/svg>/s.exec(siteText(path)) ?? [];
      expect(points.split(' ')).to.have.lengthOf(days);
      expect(rest.match(/\d{4}-\d\d-\d\d: estimated/g)).to.deep.equal(estimated);
    }
    const labels = [...siteText('/docs').matchAll(/<text [^>]*>([^<]+)<\/text>/g)];
    expect(labels.map(([, label]) => label)).to.deep.equal([
      ...['2026-07-06', '2026-08-22'],
      ...['6.19M, 2026-08-14', '8.27M, 2026-07-31'],
    ]);
  });

  it('find existing chapters, even by other words', () => {
    const [, list = ''] = /^const entries = (.*?);\n/ms.exec(siteText('/docs/search.js')) ?? [];
    const entries = z
      .array(z.object({ url: z.string(), name: z.string(), words: z.string().optional() }))
      .parse(JSON.parse(list));
    expect(entries).to.have.length.above(200);
    expect(entries.filter(({ url }) => !anchors.has(url))).to.deep.equal([]);
    for (const [word, url] of [
      ['timezone', '/docs/guides#poll-for-new-artists'],
      ['certificate', '/docs/guides#use-it-in-a-web-application'],
      ['cors', '/docs/guides#use-it-in-a-web-application'],
      ['sdk', '/docs/tools#download-a-client'],
      ['accents', '/docs/guides#find-an-artist-by-name'],
    ] as const)
      expect(entries.find((entry) => entry.url === url)?.words, word).to.include(word);
  });

  it('contain demo keys only with a sandbox, whose address they name', () => {
    const other = filledTexts(site, {
      baseUrl: 'https://api.partners.test/music',
      sandboxUrl: 'https://sandbox.partners.test',
      supportContact: 'api@partners.test',
    });
    expect(siteText('/docs.md', other)).to.include("export ARTIST_API_KEY='aik_…'");
    for (const path of ['/docs/errors', '/docs/variant.md']) {
      const text = siteText(path, other);
      expect(text)
        .to.match(/aik_\w+CutOff_/)
        .and.include('https://sandbox.partners.test/api/v1');
    }
    expect(siteText('/docs', other)).to.include('href="mailto:api@partners.test"');
    expect(JSON.parse(siteText('/openapi.json', other))).to.deep.include({
      servers: [{ url: 'https://api.partners.test/music' }],
    });
    for (const text of filledTexts(site, { sandboxUrl: undefined }).values())
      expect(text).to.not.match(/aik_\w{20}|\{\{[#^/]/);
  });

  it('contain the contracts with the support contact and the form of unknown keys', () => {
    const [baseUrl, supportContact] = ['https://a.test', 'a@b.test'];
    for (const unknownKeyForm of unknownKeyForms) {
      const texts = filledTexts(site, { baseUrl, supportContact, unknownKeyForm });
      for (const form of forms) {
        const contract = contractOf(form, baseUrl, supportContact, unknownKeyForm);
        const served = JSON.parse(siteText(contractPath(form, forms), texts));
        expect(served).to.deep.equal(JSON.parse(JSON.stringify(contract)));
        const { schema } =
          served.paths['/api/v1/artists'].get.responses[401].content['application/json'];
        expect(schema.oneOf?.length).to.equal(form.name === unknownKeyForm ? undefined : 2);
      }
    }
  });

  it('name the form of errors for unknown keys', () => {
    const texts = filledTexts(site, { unknownKeyForm: 'variant' });
    const notes = [...siteTexts].filter(([, text]) =>
      /Without a known key|`CurrentError/.test(text),
    );
    expect(notes.map(([path]) => path)).to.include.members([
      '/docs/variant.md',
      '/docs/variant/endpoints/artists.md',
      '/openapi.variant.json',
    ]);
    expect(notes.map(([path]) => path).join()).to.not.match(/\/docs\/(errors|endpoints)/);
    expect(siteText('/docs/endpoints/artists.md', texts)).to.include('body is `VariantError`');
    for (const [path, text] of texts)
      if (!path.startsWith('/docs/changes'))
        expect(text, path).to.not.match(/CurrentError|\{\{[#^/]/);
    const sentence = 'with an unknown key, the error has the shape of the current form';
    expect(siteText('/docs/variant.md')).to.include(sentence);
    expect(siteText('/docs/variant.md', texts)).to.not.include(sentence);
  });

  it('show only recorded responses, as they were sent', () => {
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
    const shown = [...siteTexts]
      .filter(([path]) => path.endsWith('.md'))
      .flatMap(([, text]) => [...text.matchAll(/^```json(?: \{[\d,-]+\})?\n(.*?)\n```$/gms)])
      .map(([, json = '']) => JSON.stringify(JSON.parse(json)))
      .filter((json) => !json.startsWith('{"mcpServers"'));
    expect(shown).to.have.length.above(18);
    expect(shown.filter((json) => !recorded.has(json))).to.deep.equal([]);
  });

  for (const [example, variant, current] of [
    ['a-spike', 'period_days tiktok', 'artist_id days from to engine links'],
    ['a-signing', 'signed_status pline', 'artist_id signing song_id p_line basis'],
    ['an-error', 'error message', 'code message request_id'],
  ] as const)
    it(`mark the fields that differ in ${example}`, () => {
      const [, page = ''] = siteText('/docs/migration').split(`"chapter" id="${example}"`);
      const [section = ''] = page.split('<section class=', 1);
      const text = escapeHtml(siteText('/docs/migration.md'));
      const marked = [...section.matchAll(/<pre[^>]*><code>(.*?)<\/code><\/pre>/gs)].map(
        ([, code = '']) => {
          expect(text).to.include(`\n${code.replaceAll(/<\/?(mark|span)[^>]*>/g, '')}\n`);
          const marks = code.matchAll(/<mark> *<span class="name">&quot;(\w+)&quot;/g);
          return [...marks].map(([, name]) => name).join(' ');
        },
      );
      expect(marked).to.deep.equal([variant, current]);
    });

  it('list changes of contracts, and lead from the feed to each', () => {
    expect(siteText('/docs/changes.md')).to.include(
      '| current | `ETag` became optional | `/api/v1/added` | no |',
    );
    for (const [, id = ''] of siteText('/docs/changes.atom').matchAll(/changes#([^"]+)"/g))
      expect(anchors).to.include(`/docs/changes#${id}`);
  });

  it('show types and limits', () => {
    const text = [...siteTexts.values()].join('\n');
    for (const row of [
      '`name`, query | string; at most 120 characters',
      '`tier`, query | string; not empty',
      '`added_since`, query | string, date',
      '`limit`, query | integer; 1 to 100; default `50`',
      '`new`, query | integer; 0 or more',
      '`fields`, query | string; `basic`',
      '`genres`, optional | array of string',
      '`history`, optional | object of array of `HistoryPoint`',
    ])
      expect(text).to.include(`\n| ${row} | `);
  });

  it('escape HTML and images of Markdown', () => {
    const { text } = renderMarkdown(
      '<script>alert(1)</script>\n\n![x](http://elsewhere.test/x.png) `<b>`',
    );
    expect(text).to.not.match(/<script|<img|<b>/);
  });
});
