import { writeFileSync } from 'node:fs';
import { generateFiles } from './generated-files.ts';

/** Writes the generated files. Review the diff before you commit it. */
for (const [file, text] of await generateFiles()) writeFileSync(file, text);
