import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { createPages } from '../../adapters/reference/pages.ts';
import { useCleanup } from '../support/cleanup.ts';
import { openLocalServer } from '../support/examples/local-server.ts';
import { runProgramFile } from '../support/examples/programs.ts';
import { referenceOptions } from '../support/reference.ts';

const baseUrl = 'http://notices.test';
const announced = { Deprecation: '@1767225600', Sunset: 'Wed, 30 Jun 2027 00:00:00 GMT' };

/** The ending of a file with the lines of a language. */
const endings = { sh: 'sh', python: 'py', javascript: 'mjs', php: 'php' } as const;

describe('the code of "Watch for the end date"', () => {
  const cleanup = useCleanup(after);

  /** The lines in a language, as `/docs.md` has them. */
  let chapter = '';
  before(async () => {
    const made = await createPages(forms, { ...referenceOptions, baseUrl });
    [, chapter = ''] = String(made.get('/docs.md')?.plain.bytes).split('## Watch for the end date');
  });
  const linesIn = (language: string): string =>
    new RegExp(`^\`\`\`${language}\\n(.*?)\\n\`\`\`$`, 'ms').exec(chapter)?.[1] ?? '';

  for (const [language, ending] of Object.entries(endings)) {
    const run = async (status: number, headers: Readonly<Record<string, string>>) => {
      const asked: (string | undefined)[] = [];
      const server = await openLocalServer((request, response) => {
        asked.push(request.headers.authorization);
        if (status === 0) response.destroy();
        else response.writeHead(request.url === '/elsewhere' ? 200 : status, headers).end('{}');
      });
      const folder = await cleanup.makeFolder('notices');
      const file = join(folder, `program.${ending}`);
      await writeFile(file, linesIn(language).replaceAll(baseUrl, server.url));
      const { code, errors, stdout } = await runProgramFile(file, [], {
        cwd: folder,
        env: { ARTIST_API_KEY: 'aik_x' },
      });
      server.close();
      return { code, errors: errors.map((line) => line.trim()), stdout, asked };
    };

    it(`write both headers to standard error in ${language}`, async () => {
      const { code, errors, stdout, asked } = await run(200, announced);
      expect(errors.map((line) => line.toLowerCase())).to.deep.equal(
        Object.entries(announced).map(([name, value]) => `${name}: ${value}`.toLowerCase()),
      );
      expect([code, stdout, asked]).to.deep.equal([0, '', ['Bearer aik_x']]);
    });

    it(`write nothing in ${language} while nothing is announced`, async () => {
      const { code, errors, stdout } = await run(200, {});
      expect([code, errors, stdout]).to.deep.equal([0, [], '']);
    });

    for (const [what, status] of [
      ['refused', 401],
      ['cut off', 0],
    ] as const)
      it(`end with a reason in ${language} when the request is ${what}`, async () => {
        const { code, errors, stdout } = await run(status, {});
        expect(code).to.not.equal(0);
        expect(errors.join() + stdout).to.not.equal('');
      });

    it(`take no key to where a redirect leads, and end with a code, in ${language}`, async () => {
      const { code, asked } = await run(302, { Location: '/elsewhere' });
      expect(code).to.not.equal(0);
      expect(asked.slice(1).filter((authorization) => authorization !== undefined)).to.deep.equal(
        [],
      );
    });
  }
});
