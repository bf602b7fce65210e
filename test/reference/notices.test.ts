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

  /** The lines of the page. */
  let program = '';
  before(() => {
    const page = siteText('/docs/variant.md', filledTexts(site, { baseUrl }));
    const [, chapter = ''] = page.split('## Watch for the end date');
    [, program = ''] = /^```sh\n(.*?)\n```$/ms.exec(chapter) ?? [];
  });
  /** What the lines write of the headers. */
  const notices = Object.entries(announced).map(([name, value]) =>
    `${name}: ${value}`.toLowerCase(),
  );

  const run = async (
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
    const file = join(folder, 'program.sh');
    const lines = program.replaceAll(baseUrl, server.url);
    await writeFile(file, lines.replace(/\b30\b/, `${seconds}`));
    await writeFile(join(folder, '.curlrc'), curlrc);
    const { code, errors, stdout } = await runProgramFile(file, [], {
      cwd: folder,
      env: { ARTIST_API_KEY: key, HOME: folder },
    });
    server.close();
    const files = (await readdir(folder)).filter((name) => name !== '.curlrc');
    return { code, errors: errors.map((line) => line.trim().toLowerCase()), stdout, asked, files };
  };

  /** Waits until the client has gone. */
  const wait = (response: ServerResponse) =>
    new Promise<void>((resolve) => response.once('close', resolve));

  /** What happens, its status and headers, and the way; a pattern of the reason, or none if it passes. */
  const rows: readonly (readonly [
    what: string,
    status: number,
    headers: Readonly<Record<string, string>>,
    way?: Way,
    reason?: RegExp,
  ])[] = [
    ['write both headers to standard error', 200, announced],
    ['write nothing if nothing is announced', 200, {}],
    ['leave out a line end behind the key', 200, {}, { key: 'aik_x\r' }],
    ['end with a reason if the request is refused', 401, {}, {}, /./],
    ['end with a reason if the request is cut off', 0, {}, {}, /./],
    ['end with a reason if no response comes in time', 200, {}, { begin: wait, seconds: 1 }, /./],
    ['follow no redirect', 302, { Location: '/elsewhere' }, {}, /302.*\/elsewhere/],
    [
      'end with a reason that has no part of a malformed key',
      ...([401, {}, { key: 'aik_x\n\u0007y' }] as const),
      /^(?!.*aik_x).*status 401/,
    ],
  ];
  for (const [what, status, headers, way, reason] of rows)
    it(what, async () => {
      const { code, errors, stdout, asked, files } = await run(status, headers, way);
      expect(files, 'writes no file').to.deep.equal(['program.sh']);
      if (reason === undefined)
        expect([code, errors, stdout, asked]).to.deep.equal([
          ...[0, headers === announced ? notices : [], ''],
          ['Bearer aik_x'],
        ]);
      else {
        expect(code).to.not.equal(0);
        expect(errors.join(' ') + stdout).to.match(reason);
        expect(asked.length).to.be.at.most(1);
      }
    });

  it('have the key in no command line while they wait', async () => {
    const key = `aik_${randomUUID()}`;
    let commandLines = '';
    const begin = async (): Promise<void> => {
      commandLines += await readCommandLines();
    };
    const { asked } = await run(200, {}, { key, begin });
    expect(asked).to.deep.equal([`Bearer ${key}`]);
    expect(commandLines)
      .to.match(/^curl .*limit=1$/m)
      .and.not.include(key);
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
    it(`take the status of the response ${name}`, async () => {
      const way = await open();
      const { code, errors } = await run(200, announced, way);
      expect([code, errors]).to.deep.equal([0, notices]);
      const refused = await run(401, {}, way);
      expect(refused.code).to.equal(1);
      expect(refused.errors.join()).to.include('401').and.not.include('preload');
    });
});
