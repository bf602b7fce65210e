import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { casesFolder, docsFolder } from '../../src/runtime/folders.ts';
import { useInputFolder } from '../support/cli/input-folder.ts';
import { runWarm } from '../support/cli/run.ts';

/** The first block of code after a text, of a language. */
const codeAfter = (guide: string, text: string, language: string): string =>
  guide
    .slice(guide.indexOf(text))
    .match(new RegExp(`\`\`\`${language}\\n(.*?)\\n\`\`\``, 's'))?.[1] ?? '';

describe('guide of the comparison', () => {
  const folder = useInputFolder();

  it('has a workflow for CI whose command passes and writes what it uploads', async () => {
    const workflow = codeAfter(
      readFileSync(join(docsFolder, 'comparing.md'), 'utf8'),
      '## Use it in CI',
      'yaml',
    );
    const [, command = ''] =
      /artist-gateway\.js (compare [^-]*(?:.|\n)*?)\n +- uses/.exec(workflow) ?? [];
    const args = command
      .split(/\s+/)
      .map((one) => (/^compare\./.test(one) ? join(folder.path, one) : one));
    const { code, stderr } = await runWarm({}, [...args, '--case', 'artists']);
    expect(stderr).to.include('No unexpected difference.');
    expect(code).to.equal(0);
    expect(readdirSync(folder.path).sort()).to.deep.equal(['compare.html', 'compare.xml']);
    expect(workflow).to.include("path: 'compare.*'");
  });

  it('has a case of your own that is compared with the others', async () => {
    const text = codeAfter(
      readFileSync(join(casesFolder, 'README.md'), 'utf8'),
      '## A case of your own',
      'json',
    );
    const mine = mkdtempSync(join(folder.path, 'mine-'));
    writeFileSync(join(mine, 'own.json'), text);
    const both = ['--case', 'breaking-and-signed', '--case', 'artists'];
    const { code, stdout } = await runWarm({}, ['compare', '--cases', mine, ...both]);
    expect(stdout).to.match(/^artists\t.*\n(?:.*\n)*breaking-and-signed\t[1-9]/m);
    expect(code).to.equal(0);
  });
});
