import { setFlagsFromString } from 'node:v8';
import { Command } from 'commander';
import { gatewaySettings } from './settings.ts';

/**
 * The heap grows by a fifth at most, in percent, before V8 collects all of it. It would go on to twice of what is in use: a
 * gateway keeps what it has and makes short-lived things besides, so that collecting a little more often costs nothing.
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
      const { serve } = await import('../main.ts'); // much to load, of which the other commands need nothing
      await serve(settings);
    });
