import { register } from 'node:module';

/** Loaded before the gateway's own code: leaves out the cache that `BENCH_WITHOUT` names. */
register('./hooks.js', import.meta.url);
