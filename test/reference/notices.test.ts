import { readdir, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { readCommandLines } from '../support/child-process.ts';
import { useCleanup } from '../support/cleanup.ts';
import { openLocalServer } from '../support/partners/local-server.ts';
import { runProgramFile } from '../support/partners/programs.ts';
import { filledTexts } from '../support/reference.ts';
import { site, siteText } from '../support/site.ts';

const baseUrl = 'http://notices.test';
const announced = { Deprecation: '@1767225600', Sunset: 'Wed, 30 Jun 2027 00:00:00 GMT' };

/** How a request is sent. */
interface Way {
  readonly key?: string;
  /** What the server sends before its response. */
  readonly begin?: (response: ServerResponse) => Promise<unknown>;
  /** The timeout instead of 30 seconds. */
  readonly seconds?: number;
}

describe('the code of "Watch for the end date"', () => {
  const cleanup = useCleanup(after);

  const run = async (
    status: number,
    headers: Readonly<Record<string, string>>,
    { key = 'aik_x', begin, seconds = 30 }: Way = {},
  ) => {
    const page = siteText('/docs/variant.md', filledTexts(site, { baseUrl }));
    const [, chapter = ''] = page.split('## Watch for the end date');
    const [, program = ''] = /^```sh\n(.*?)\n```$/ms.exec(chapter) ?? [];
    const asked: (string | undefined)[] = [];
    const server = await openLocalServer(async (request, response) => {
      asked.push(request.headers.authorization);
      await begin?.(response);
      if (status === 0) response.destroy();
      else response.writeHead(request.url === '/elsewhere' ? 200 : status, headers).end('{}');
    });
    const cwd = await cleanup.makeFolder('notices');
    const lines = program.replaceAll(baseUrl, server.url).replace(/\b30\b/, `${seconds}`);
    await writeFile(join(cwd, 'program.sh'), lines);
    const env = { ARTIST_API_KEY: key, HOME: cwd };
    const { code, errors, stdout } = await runProgramFile(join(cwd, 'program.sh'), [], {
      cwd,
      env,
    });
    server.close();
    expect(await readdir(cwd), 'writes no file').to.deep.equal(['program.sh']);
    return { code, stdout, asked, errors: errors.map((line) => line.trim().toLowerCase()) };
  };

  const notices = Object.entries(announced).map(([name, value]) =>
    `${name}: ${value}`.toLowerCase(),
  );
  const waitForever = (response: ServerResponse) =>
    new Promise<void>((resolve) => response.once('close', resolve));
  const hint = (response: ServerResponse) =>
    new Promise<void>((resolve) =>
      response.writeEarlyHints({ link: '</a>; rel=preload' }, resolve),
    );

  /** A pattern of the reason, or none for success. */
  const rows: readonly (readonly [
    what: string,
    status: number,
    headers: Readonly<Record<string, string>>,
    way?: Way,
    reason?: RegExp,
  ])[] = [
    ['print both headers to standard error', 200, announced],
    ['print nothing without an announcement', 200, {}],
    ['remove a line end after the key', 200, {}, { key: 'aik_x\r' }],
    ['print the headers after an interim response', 200, announced, { begin: hint }],
    ['fail after an interim response and a refusal', 401, {}, { begin: hint }, /^(?!.*prel).*401/],
    ['fail with a reason after a refusal', 401, {}, {}, /./],
    ['fail with a reason without a response', 0, {}, {}, /./],
    ['fail with a reason after a timeout', 200, {}, { begin: waitForever, seconds: 1 }, /./],
    ['follow no redirect', 302, { Location: '/elsewhere' }, {}, /302.*\/elsewhere/],
    [
      'reject a malformed key without printing it',
      ...([401, {}, { key: 'aik_x\n\u0007y' }] as const),
      /^(?!.*aik_x).*status 401/,
    ],
  ];
  for (const [what, status, headers, way, reason] of rows)
    it(what, async () => {
      const { code, errors, stdout, asked } = await run(status, headers, way);
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

  it('keep the key out of command lines', async () => {
    let commandLines = '';
    const begin = async (): Promise<void> => {
      commandLines += await readCommandLines();
    };
    const { asked } = await run(200, {}, { key: 'aik_notices', begin });
    expect(asked).to.deep.equal(['Bearer aik_notices']);
    expect(commandLines)
      .to.match(/^curl .*limit=1$/m)
      .and.not.include('aik_notices');
  });
});
