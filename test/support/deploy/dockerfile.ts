import { cp, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Copy, DockerfileParser, type Env, From, type Instruction } from 'dockerfile-ast';
import { z } from 'zod';
import { runProgram } from './run-program.ts';

/** What the last stage of a Dockerfile leaves: its files, and how its container is started. */
export interface BuiltImage {
  readonly folder: string;
  readonly workingFolder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string;
  readonly command: readonly string[];
  readonly healthCommand: readonly string[];
}

interface Stage {
  readonly folder: string;
  workingFolder: string;
}

const argumentsOf = (instruction: Instruction): string[] => instruction.getArguments().map((one) => one.getValue());

/** The texts of an instruction in exec form, which is JSON. */
const execForm = (instruction: Instruction): string[] => {
  const content = instruction.getArgumentsContent() ?? '';
  return z.array(z.string()).parse(JSON.parse(content.slice(content.indexOf('['))));
};

/** The stage that a COPY takes its sources from. `getFromFlag` of the parser knows no other flag beside it. */
export const fromOf = (copy: Copy): string | undefined =>
  copy
    .getFlags()
    .find((flag) => flag.getName() === 'from')
    ?.getValue() ?? undefined;

/** Copies the sources of a COPY: to a folder when the target is one, else under the target's name. */
const copyInto = async (stage: Stage, sources: readonly string[], from: string, target: string): Promise<void> => {
  for (const source of sources) {
    const isFolder = target === './' || target.endsWith('/');
    const to = join(stage.workingFolder, target, isFolder ? basename(source) : '');
    await cp(join(from, source), to, { recursive: true, verbatimSymlinks: true });
  }
};

/**
 * Follows a Dockerfile without a container engine: every stage is a folder, COPY copies, and RUN runs its command in the folder
 * that WORKDIR names. Base images are not there, so commands find the programs of this machine.
 */
export const buildInFolders = async (text: string, context: string): Promise<BuiltImage> => {
  const root = await mkdtemp(join(tmpdir(), 'artist-gateway-image-'));
  const stages = new Map<string, Stage>();
  let stage: Stage = { folder: root, workingFolder: root };
  const environment: Record<string, string> = {};
  let user = '';
  const commands: Record<'ENTRYPOINT' | 'CMD' | 'HEALTHCHECK', string[]> = { ENTRYPOINT: [], CMD: [], HEALTHCHECK: [] };

  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    const keyword = instruction.getKeyword();
    const given = argumentsOf(instruction);
    if (instruction instanceof From) {
      const folder = join(root, String(stages.size));
      await mkdir(folder);
      stage = { folder, workingFolder: folder };
      stages.set(instruction.getBuildStage() ?? String(stages.size), stage);
    } else if (keyword === 'WORKDIR') {
      stage.workingFolder = join(stage.folder, given[0] ?? '');
      await mkdir(stage.workingFolder, { recursive: true });
    } else if (instruction instanceof Copy) {
      const from = fromOf(instruction);
      const paths = given.filter((path) => !path.startsWith('--'));
      const target = paths.pop() ?? '';
      await copyInto(stage, paths, from ? (stages.get(from)?.folder ?? '') : context, target);
    } else if (keyword === 'RUN') {
      await runProgram('sh', ['-c', given.join(' ')], stage.workingFolder);
    } else if (keyword === 'ENV') {
      for (const property of (instruction as Env).getProperties())
        environment[property.getName()] = property.getValue() ?? ''; // the parser's class for the keyword
    } else if (keyword === 'USER') user = given[0] ?? '';
    else if (keyword === 'ENTRYPOINT' || keyword === 'CMD' || keyword === 'HEALTHCHECK') {
      commands[keyword] = execForm(instruction);
    } else if (!['ARG', 'EXPOSE'].includes(keyword)) throw new Error(`the test cannot follow ${keyword}`);
  }
  return {
    folder: root,
    workingFolder: stage.workingFolder,
    environment,
    user,
    command: [...commands.ENTRYPOINT, ...commands.CMD],
    healthCommand: commands.HEALTHCHECK,
  };
};
