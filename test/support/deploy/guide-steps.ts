import { readProjectFile } from './working-copy.ts';

const guide = readProjectFile('docs/operating.md');

/** The commands of a section of the operator's guide: its first block of them. */
export const guideSteps = (heading: string): string => {
  const [, section] = guide.split(new RegExp(`^#+ ${heading}\n`, 'm'));
  const steps = /^```sh\n([^`]+)```$/m.exec(section ?? '')?.[1];
  if (steps === undefined) throw new Error(`docs/operating.md has no commands below "${heading}"`);
  return steps;
};
