#!/usr/bin/env node
// The program artist-gateway. `serve` loads what serves and no file of `tools`; help and every other
// command are the operator's.
const args = process.argv.slice(2);
if (args.join(' ') === 'serve') await (await import('../adapters/process/start.ts')).startGateway();
else await (await import('../tools/cli/main.ts')).runCommand(args);
