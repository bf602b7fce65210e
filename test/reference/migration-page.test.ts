import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { renderMigration } from '../../scripts/migration-page.ts';
import { crosswalk } from '../../src/crosswalk/crosswalk.ts';
import { docsFolder } from '../../src/runtime/config.ts';

describe('migration page', () => {
  it('equals docs/generated/migration.md (else run npm run generate)', () => {
    expect(readFileSync(join(docsFolder, 'generated/migration.md'), 'utf8')).to.equal(renderMigration(crosswalk));
  });
});
