import { Command } from 'commander';
import { gatewaySettings } from './settings.ts';

/** Runs the gateway. */
export const serveCommand = (): Command =>
  new Command('serve')
    .description('run the gateway; its settings are environment variables')
    .addHelpText('after', '\nExample:\n  PORT=8080 artist-gateway serve')
    .action(async () => {
      const settings = gatewaySettings();
      const { serve } = await import('../main.ts'); // much to load, of which the other commands need nothing
      await serve(settings);
    });
