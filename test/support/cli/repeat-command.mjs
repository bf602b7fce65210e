/**
 * Runs the program that its argument names as often as it is asked to, in one process: modules are loaded once, and the program
 * itself is evaluated anew. `warm-command.ts` starts it and sends `{ args, env, mark }`; the end of each run is marked on both
 * outputs and answered with the exit code and the resources that would have kept a process of its own from ending.
 */
import { setTimeout as sleep } from 'node:timers/promises';

const [node, , program] = process.argv;
const longestEndMs = 60_000; // a command that leaves something open fails after it

/** Thrown instead of ending the process. */
class Exit extends Error {
  constructor(code) {
    super('exit');
    this.code = code;
  }
}
process.exit = (code) => {
  throw new Exit(code ?? process.exitCode);
};

/** What keeps the process alive beside `before`; empty as soon as nothing does. */
const leftOpen = async (before) => {
  for (const end = performance.now() + longestEndMs; ; ) {
    await sleep(2, undefined, { ref: false }); // what is opened in the next tick is open then
    const left = process.getActiveResourcesInfo();
    for (const one of before) if (left.includes(one)) left.splice(left.indexOf(one), 1);
    if (left.length === 0 || performance.now() > end) return left;
  }
};

let runs = 0;
const repeat = async ({ args, env, mark }) => {
  process.argv = [node, program, ...args];
  process.env = env;
  process.exitCode = undefined;
  for (const output of [process.stdout, process.stderr]) output.removeAllListeners('error');
  const before = process.getActiveResourcesInfo(); // with both outputs, which are opened when they are first used
  runs += 1;
  try {
    await import(`${program}?run=${runs}`);
  } catch (thrown) {
    if (!(thrown instanceof Exit)) throw thrown;
    process.exitCode = thrown.code;
  }
  const left = await leftOpen(before);
  process.stdout.write(mark);
  process.stderr.write(mark);
  process.send({ code: process.exitCode ?? 0, left });
};

process.on('message', repeat);
