import { describeSettings } from '../../src/runtime/config.ts';
import { type DefineCommand, example } from './command.ts';
import { drawTable } from './terminal/draw-table.ts';

/** Runs the gateway. */
export const serveCommand: DefineCommand = (command) =>
  command
    .description('run the gateway; its settings are environment variables')
    .addHelpText(...example('PORT=8080 artist-gateway serve'))
    .addHelpText('after', () => `\nVariables:\n${drawTable(describeSettings())}`)
    .addHelpText('after', '\nThe guide docs/operating.md says what each is for.')
    .action(async () => {
      // loads the HTTP stack, which `--help` does not need
      await (await import('../../adapters/process/start.ts')).startGateway();
    });
