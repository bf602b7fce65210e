import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { generateFiles } from '../scripts/generated-files.ts';

describe('the generated files', () => {
  it('are as `npm run generate` writes them', async () => {
    const files = await generateFiles();
    expect(files).to.have.lengthOf.above(3);
    for (const [file, text] of files)
      expect(readFileSync(file, 'utf8'), `${file}: run npm run generate`).to.equal(text);
  });
});
