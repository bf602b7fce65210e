/**
 * Runs programs in JavaScript one after the other in one process, which has loaded the modules of
 * Node.js that they use. `warm-program.ts` starts it and sends `{ file, args, env, mark }`. A run
 * ends as a process does: when nothing keeps it alive, with `process.exit`, or with an error that
 * nothing catches. Its end is marked on both outputs, and answered with the exit code and whether
 * nothing of it is left.
 */
import { pathToFileURL } from 'node:url';

/** Thrown by `process.exit`, since nothing after it may run. */
class Exit extends Error {}

const [node] = process.argv;
const outputs = [process.stdout, process.stderr];
const channel = process.channel;
const countOpen = () => process.getActiveResourcesInfo().length;

let run;

/** Ends the run, and listens for the next one. */
const finish = (code, isFree) => {
  const { mark } = run;
  run = undefined;
  channel.ref();
  for (const output of outputs) output.write(mark);
  process.send({ code, isFree });
};

/** Ends the run as soon as what throws has been left. */
const finishSoon = (code) => {
  const { open } = run;
  setImmediate(() => {
    if (run !== undefined) finish(code, countOpen() <= open);
  });
};

process.exit = (code = process.exitCode ?? 0) => {
  finishSoon(code);
  throw new Exit(`exit ${code}`);
};

const fail = (error) => {
  if (error instanceof Exit) return;
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  if (run !== undefined) finishSoon(1);
};
process.on('uncaughtException', fail);

process.on('beforeExit', () => {
  // 13 is the code of a program that waits for what never comes.
  finish(process.exitCode ?? (run.isLoaded ? 0 : 13), true);
});

process.on('message', ({ file, args, env, mark }) => {
  process.argv = [node, file, ...args];
  process.env = env;
  process.exitCode = undefined;
  for (const output of outputs) output.removeAllListeners('error');
  channel.unref();
  run = { mark, open: countOpen(), isLoaded: false };
  const { href } = pathToFileURL(file);
  import(href).then(() => {
    if (run !== undefined) run.isLoaded = true;
  }, fail);
});
