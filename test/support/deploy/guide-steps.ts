import { readProjectFile } from './working-copy.ts';

const guides = ['deploying', 'operating', 'comparing'].map((name) =>
  readProjectFile(`docs/${name}.md`),
);

/** The commands of a section of the operator's guides, up to the next heading. */
export const guideSteps = (heading: string): string => {
  const [, section] = guides.join('\n').split(new RegExp(`^#+ ${heading}\n`, 'm'));
  const [own = ''] = (section ?? '').split(/^#+ /m, 1);
  const steps = [...own.matchAll(/^```sh\n([^`]+)```$/gm)].map(([, code]) => code).join('');
  if (steps === '') throw new Error(`The operator's guides have no commands below "${heading}"`);
  return steps;
};
