#!/usr/bin/env node
// The program artist-gateway. `serve` loads what serves and no other file of `tools`; help and every
// other command are the operator's. Both import functions that an older Node lacks, which would end it with
// a SyntaxError.
const [major = 0, minor = 0] = process.version.slice(1).split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `artist-gateway needs Node 20.19 or later, and this is ${process.version}.\n`,
  );
  process.exit(1);
}
// Without a handler, Node opens a debugger for every user of the machine.
process.removeAllListeners('SIGUSR1').on('SIGUSR1', () => {});
const args = process.argv.slice(2);
if (args.join(' ') === 'serve')
  await (await import('../../adapters/process/start.ts')).startGateway();
else await (await import('./main.ts')).runCommand(args);
