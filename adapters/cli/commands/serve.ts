import { setFlagsFromString } from 'node:v8';
import { Command } from 'commander';
import { gatewaySettings } from '../settings.ts';

/**
 * By how many percent the heap may grow before V8 collects all of it. Left alone it would let the heap double; but a gateway
 * keeps what it has, and what it makes besides is short-lived, so that collecting all of it sooner costs next to nothing.
 */
const heapGrowth = 20;

/** Runs the gateway. */
export const serveCommand = (): Command =>
  new Command('serve')
    .description('run the gateway; its settings are environment variables')
    .addHelpText('after', '\nExample:\n  PORT=8080 artist-gateway serve')
    .action(async () => {
      const settings = gatewaySettings();
      setFlagsFromString(`--heap-growing-percent=${heapGrowth}`);
      const { serve } = await import('../../../src/main.ts'); // much to load, of which the other commands need nothing
      await serve(settings);
    });
