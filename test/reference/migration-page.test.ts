import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { renderMigration } from '../../scripts/migration-page.ts';
import { recordedPieces } from '../../scripts/recorded-answers.ts';
import { crosswalk } from '../../src/crosswalk/crosswalk.ts';
import { docsFolder } from '../../src/runtime/config.ts';

describe('docs/generated', () => {
  for (const [file, text] of [['migration.md', renderMigration(crosswalk)] as const, ...recordedPieces()]) {
    it(`has ${file} as it is made (else run npm run generate)`, () => {
      expect(readFileSync(join(docsFolder, 'generated', file), 'utf8')).to.equal(text);
    });
  }
});
