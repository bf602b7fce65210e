import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { renderMigration } from '../../scripts/migration-page.ts';
import { crosswalk } from '../../src/crosswalk/crosswalk.ts';
import { docsFolder } from '../../src/runtime/config.ts';

const page = renderMigration(crosswalk);

describe('migration page', () => {
  it('equals docs/migration.md (else run npm run migration:write)', () => {
    expect(readFileSync(join(docsFolder, 'migration.md'), 'utf8')).to.equal(page);
  });

  it('lists every member of the variant form', () => {
    for (const { variant } of Object.values(crosswalk.members).flat()) {
      const isHealth = crosswalk.members.health.some((row) => row.variant === variant);
      if (variant !== undefined && !isHealth) expect(page).to.include(`| \`${variant}\` |`);
    }
  });
});
