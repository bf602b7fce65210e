import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { serve } from '../main.ts';

/** Runs the gateway. */
export const serveCommand = (): Command =>
  new Command('serve')
    .description('run the gateway; its settings are environment variables')
    .addHelpText('after', '\nExample:\n  PORT=8080 artist-gateway serve')
    .action(() => serve(readConfig()));
