import { writeFileSync } from 'node:fs';
import { programFile, toJavaScript, typedPrograms } from './javascript-clients.ts';

for (const program of typedPrograms) writeFileSync(programFile(program, 'mjs'), toJavaScript(program));
