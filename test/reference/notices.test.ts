import { randomUUID } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { readCommandLines } from '../support/child-process.ts';
import { useCleanup } from '../support/cleanup.ts';
import { openLocalServer, openProxy } from '../support/partners/local-server.ts';
import { runProgramFile } from '../support/partners/programs.ts';
import { filledTexts } from '../support/reference.ts';
import { site, siteText } from '../support/site.ts';

const baseUrl = 'http://notices.test';
const announced = { Deprecation: '@1767225600', Sunset: 'Wed, 30 Jun 2027 00:00:00 GMT' };

const languages = ['sh', 'python', 'javascript', 'php'] as const;
type Language = (typeof languages)[number];

/** The ending of a file with the lines of a language. */
const endings: Readonly<Record<Language, string>> = {
  sh: 'sh',
  python: 'py',
  javascript: 'mjs',
  php: 'php',
};

/** How a request is sent, and what happens to it on its way. */
interface Way {
  readonly key?: string;
  /** What the server sends before its response. */
  readonly begin?: (response: ServerResponse) => Promise<void>;
  /** The settings of curl. */
  readonly curlrc?: string;
  /** The timeout in place of 30 seconds. */
  readonly seconds?: number;
}

describe('the code of "Watch for the end date"', () => {
  const cleanup = useCleanup(after);

  /** The lines in a language, as the page has them. */
  let chapter = '';
  before(() => {
    const page = siteText('/docs/variant.md', filledTexts(site, { baseUrl }));
    [, chapter = ''] = page.split('## Watch for the end date');
  });
  const linesIn = (language: string): string =>
    new RegExp(`^\`\`\`${language}\\n(.*?)\\n\`\`\`$`, 'ms').exec(chapter)?.[1] ?? '';

  /** What the lines write of the headers. */
  const notices = Object.entries(announced).map(([name, value]) =>
    `${name}: ${value}`.toLowerCase(),
  );

  const run = async (
    language: Language,
    status: number,
    headers: Readonly<Record<string, string>>,
    { key = 'aik_x', begin, curlrc = '', seconds = 30 }: Way = {},
  ) => {
    const asked: (string | undefined)[] = [];
    const server = await openLocalServer(async (request, response) => {
      asked.push(request.headers.authorization);
      await begin?.(response);
      if (status === 0) response.destroy();
      else response.writeHead(request.url === '/elsewhere' ? 200 : status, headers).end('{}');
    });
    const folder = await cleanup.makeFolder('notices');
    const file = join(folder, `program.${endings[language]}`);
    const lines = linesIn(language).replaceAll(baseUrl, server.url);
    await writeFile(file, lines.replace(/\b30(?=\b|_000)/, `${seconds}`));
    await writeFile(join(folder, '.curlrc'), curlrc);
    const { code, errors, stdout } = await runProgramFile(file, [], {
      cwd: folder,
      env: { ARTIST_API_KEY: key, HOME: folder },
    });
    server.close();
    const files = (await readdir(folder)).filter((name) => name !== '.curlrc');
    return { code, errors: errors.map((line) => line.trim().toLowerCase()), stdout, asked, files };
  };

  for (const language of languages) {
    it(`write both headers to standard error in ${language}`, async () => {
      const { code, errors, stdout, asked, files } = await run(language, 200, announced);
      expect([code, errors, stdout, asked]).to.deep.equal([0, notices, '', ['Bearer aik_x']]);
      expect(files, 'writes no file').to.deep.equal([`program.${endings[language]}`]);
    });

    it(`write nothing in ${language} while nothing is announced`, async () => {
      const { code, errors, stdout } = await run(language, 200, {});
      expect([code, errors, stdout]).to.deep.equal([0, [], '']);
    });

    for (const [what, status] of [
      ['refused', 401],
      ['cut off', 0],
    ] as const)
      it(`end with a reason in ${language} when the request is ${what}`, async () => {
        const { code, errors, stdout } = await run(language, status, {});
        expect(code).to.not.equal(0);
        expect(errors.join() + stdout).to.not.equal('');
      });

    it(`end with a reason in ${language} when no response comes in time`, async () => {
      const begin = (response: ServerResponse) =>
        new Promise<void>((resolve) => response.once('close', resolve));
      const { code, errors, stdout } = await run(language, 200, {}, { begin, seconds: 1 });
      expect(code).to.not.equal(0);
      expect(errors.join() + stdout).to.not.equal('');
    });

    it(`have the key in no command line while they wait, in ${language}`, async () => {
      const key = `aik_${randomUUID()}`;
      let commandLines = '';
      const begin = async (): Promise<void> => {
        commandLines += await readCommandLines();
      };
      const { asked } = await run(language, 200, {}, { key, begin });
      expect(asked).to.deep.equal([`Bearer ${key}`]);
      expect(commandLines).to.match(language === 'sh' ? /^curl .*limit=1$/m : /./);
      expect(commandLines).to.not.include(key);
    });

    it(`leave out a line end behind the key in ${language}`, async () => {
      const { code, errors, asked } = await run(language, 200, {}, { key: 'aik_x\r' });
      expect([code, errors, asked]).to.deep.equal([0, [], ['Bearer aik_x']]);
    });

    it(`end with a reason that has no part of a malformed key in ${language}`, async () => {
      const { code, errors, stdout } = await run(language, 401, {}, { key: 'aik_x\n\u0007y' });
      expect(code).to.not.equal(0);
      expect(errors.join() + stdout)
        .to.match(language === 'sh' ? /status 401/ : /artist_api_key is not set, or has/)
        .and.not.include('aik_x');
    });

    it(`follow no redirect, and end with its target, in ${language}`, async () => {
      const { code, errors, stdout, asked } = await run(language, 302, { Location: '/elsewhere' });
      expect(code).to.not.equal(0);
      expect(errors.join() + stdout).to.match(/302.*\/elsewhere/);
      expect(asked).to.deep.equal(['Bearer aik_x']);
    });
  }

  it('use no function in php that PHP 7 lacks', () => {
    expect(linesIn('php'))
      .to.include('<?php')
      .and.not.match(/\bstr_/);
  });

  /** What comes before the response on its way, each of which has a status of its own. */
  const ways: Readonly<Record<string, () => Promise<Way>>> = {
    'after an interim response': async () => ({
      begin: (response) =>
        new Promise((resolve) => response.writeEarlyHints({ link: '</a>; rel=preload' }, resolve)),
    }),
    'through a proxy': async () => {
      const proxy = await openProxy();
      cleanup.add(proxy, async () => proxy.close());
      return { curlrc: `proxy = ${proxy.url}\nproxytunnel\n` };
    },
  };
  for (const [name, open] of Object.entries(ways))
    it(`take the status of the response in sh, ${name}`, async () => {
      const way = await open();
      const { code, errors } = await run('sh', 200, announced, way);
      expect([code, errors]).to.deep.equal([0, notices]);
      const refused = await run('sh', 401, {}, way);
      expect(refused.code).to.equal(1);
      expect(refused.errors.join()).to.include('401').and.not.include('preload');
    });
});
