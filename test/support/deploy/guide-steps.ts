import { readProjectFile } from './working-copy.ts';

const guides = ['deploying', 'operating'].map((name) => readProjectFile(`docs/${name}.md`));

/** The commands of a section of the operator's guides: its first block of them. */
export const guideSteps = (heading: string): string => {
  const [, section] = guides.join('\n').split(new RegExp(`^#+ ${heading}\n`, 'm'));
  const steps = /^```sh\n([^`]+)```$/m.exec(section ?? '')?.[1];
  if (steps === undefined)
    throw new Error(`The operator's guides have no commands below "${heading}"`);
  return steps;
};
