/** A gateway, in a process of its own, in which the cache that it is told keeps nothing. */
const [, , root, without] = process.argv;
// Casts: of what is built the compiler sees the sources only.
const { readConfig } = (await import(
  `${root}dist/src/runtime/config.js`
)) as typeof import('../../src/runtime/config.ts');
const { serve } = (await import(
  `${root}dist/adapters/process/serve.js`
)) as typeof import('../../adapters/process/serve.ts');
await serve(readConfig(), (name) => name !== without);
