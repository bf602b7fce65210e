import { dirname, join } from 'node:path';
import { Copy, DockerfileParser, type Env, From, type Instruction } from 'dockerfile-ast';
import { z } from 'zod';
import { runProgram } from './run-program.ts';

export const argumentsOf = (instruction: Instruction): string[] =>
  instruction.getArguments().map((one) => one.getValue());

/** The texts of the last instruction of a kind in exec form, which is JSON. */
export const execForm = (instructions: readonly Instruction[], keyword: string): string[] => {
  const content =
    instructions.findLast((one) => one.getKeyword() === keyword)?.getArgumentsContent() ?? '';
  return z.array(z.string()).parse(JSON.parse(content.slice(content.indexOf('['))));
};

/**
 * The stage that a COPY takes its sources from. `getFromFlag` of the parser knows no other flag
 * beside it.
 */
export const fromOf = (copy: Copy): string | undefined =>
  copy
    .getFlags()
    .find((flag) => flag.getName() === 'from')
    ?.getValue() ?? undefined;

const withoutFiles = ['ENV', 'USER', 'EXPOSE', 'HEALTHCHECK', 'ENTRYPOINT', 'CMD'];

/** The command of a shell that does what an instruction does, in the folder of its stage. */
const shellOf = (instruction: Instruction, root: string, context: string): string | undefined => {
  const keyword = instruction.getKeyword();
  const given = argumentsOf(instruction);
  if (instruction instanceof From)
    return `stage='${root}/${instruction.getBuildStage() ?? 'last'}'; mkdir "$stage"`;
  if (keyword === 'WORKDIR') return `mkdir -p "$stage${given[0]}"; cd "$stage${given[0]}"`;
  if (keyword === 'RUN') return `(${given.join(' ')})`;
  if (withoutFiles.includes(keyword)) return undefined;
  if (!(instruction instanceof Copy)) throw new Error(`the test cannot follow ${keyword}`);
  const from = fromOf(instruction);
  const paths = given.filter((path) => !path.startsWith('--'));
  const sources = paths
    .slice(0, -1)
    .map((path) => `'${join(from === undefined ? context : join(root, from), path)}'`);
  const target = paths.at(-1) ?? '';
  return `mkdir -p '${dirname(target)}'; cp -R ${sources.join(' ')} '${target}'`;
};

/** How the containers of an image are started, as the last stage of its Dockerfile says. */
export const readImageSettings = (text: string) => {
  const instructions = DockerfileParser.parse(text).getInstructions();
  const last = (keyword: string) => instructions.findLast((one) => one.getKeyword() === keyword);
  const textOf = (keyword: string): string => last(keyword)?.getArgumentsContent() ?? '';
  const variables = (last('ENV') as Env).getProperties(); // the parser's class for the keyword
  return {
    workingFolder: textOf('WORKDIR'),
    environment: Object.fromEntries(variables.map((one) => [one.getName(), one.getValue() ?? ''])),
    user: textOf('USER'),
    command: [...execForm(instructions, 'ENTRYPOINT'), ...execForm(instructions, 'CMD')],
    healthCommand: execForm(instructions, 'HEALTHCHECK'),
  };
};

/**
 * Follows a Dockerfile without a container engine: every stage is a folder, and COPY and RUN run in
 * the folder that WORKDIR names. Base images are not there, so commands find the programs of this
 * machine.
 */
export const buildInFolders = async (text: string, context: string, folder: string) => {
  const script = DockerfileParser.parse(text)
    .getInstructions()
    .flatMap((one) => shellOf(one, folder, context) ?? []);
  await runProgram('sh', ['-euc', script.join('\n')]);
  const settings = readImageSettings(text);
  return { ...settings, workingFolder: join(folder, 'last', settings.workingFolder) };
};

/** What the last stage of a Dockerfile leaves: its files, and how its container is started. */
export type BuiltImage = Readonly<Awaited<ReturnType<typeof buildInFolders>>>;
