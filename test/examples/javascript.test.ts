import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { programFile, toJavaScript, typedPrograms } from '../../scripts/javascript-clients.ts';

describe('the example programs in JavaScript', () => {
  for (const program of typedPrograms) {
    it(`are those in TypeScript without types, as "npm run generate" writes them: ${program}`, () => {
      expect(readFileSync(programFile(program, 'mjs'), 'utf8')).to.equal(toJavaScript(program));
    });
  }
});
