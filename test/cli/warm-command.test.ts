import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type CommandResult, run } from '../support/cli/run.ts';
import { createWarmCommand } from '../support/cli/warm-command.ts';
import { rejectionOf } from '../support/wait.ts';

/** Ends as its second argument says. */
const program = `
import { createServer } from 'node:net';
const [, how] = process.argv.slice(2);
console.log(how, process.env.TIER);
if (how === 'fail') process.exit(3);
if (how === 'find') process.exitCode = 1;
if (how === 'listen') createServer().listen(0, '127.0.0.1');
`;

describe('a command in a process that stays', function () {
  this.timeout(60_000);

  it('prints and exits like one in a process of its own', async () => {
    const command = createWarmCommand();
    const runs = [['keys', 'list'], ['keys'], ['keys', 'list', '--help'], ['--nonsense']];
    const warm: CommandResult[] = [];
    const own: CommandResult[] = [];
    try {
      for (const args of [['keys'], ['--nonsense'], ...runs]) warm.push(await command.run({}, args));
    } finally {
      await command.stop();
    }
    for (const args of runs) own.push(await run({}, args));
    expect(warm.slice(-runs.length)).to.deep.equal(own);
  });

  it('has its settings and exit code for itself, and is refused when it would not have ended', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'artist-gateway-program-'));
    const file = join(folder, 'program.mjs');
    await writeFile(file, program);
    const command = createWarmCommand(file);
    try {
      await command.run({}, ['end', 'pass']); // in a process of its own
      const runs = ['fail', 'find', 'pass'].map((how) => command.run({ TIER: how.toUpperCase() }, ['end', how]));
      expect(await Promise.all(runs)).to.deep.equal([
        { code: 3, stdout: 'fail FAIL\n', stderr: '' },
        { code: 1, stdout: 'find FIND\n', stderr: '' },
        { code: 0, stdout: 'pass PASS\n', stderr: '' },
      ]);
      expect(await rejectionOf(command.run({}, ['end', 'listen']))).to.equal('end listen leaves open: TCPServerWrap');
    } finally {
      await command.stop();
      await rm(folder, { recursive: true });
    }
  });
});
