import { type DefineCommand, example } from './command.ts';
import { gatewaySettings } from './settings.ts';
import { note } from './terminal/messages.ts';

/** Runs the gateway. */
export const serveCommand: DefineCommand = (command) =>
  command
    .description('run the gateway; its settings are environment variables')
    .addHelpText(...example('PORT=8080 artist-gateway serve'))
    .action(async () => {
      const settings = gatewaySettings();
      for (const remark of settings.remarks) note(remark);
      const { serve } = await import('../process/serve.ts'); // loads the HTTP stack, which `--help` does not need
      await serve(settings);
    });
