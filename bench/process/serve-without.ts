import { importBuilt } from '../built.ts';

/** A gateway, in a process of its own, in which the cache that it is told keeps nothing. */
const [, , without] = process.argv;
const { readConfig } = await importBuilt('src/runtime/config.js');
const { serve } = await importBuilt('adapters/process/serve.js');
await serve(readConfig(), (name) => name !== without);
