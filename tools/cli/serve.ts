import { describeSettings } from '../../src/runtime/config.ts';
import { type DefineCommand, example } from './command.ts';
import { drawTable } from './terminal/draw-table.ts';

const variables = () =>
  describeSettings().map(({ name, meaning, allowed, byDefault }) => [
    name,
    `${meaning} (${allowed}${byDefault === undefined ? '' : `; default: ${byDefault}`})`,
  ]);

/** Runs the gateway. */
export const serveCommand: DefineCommand = (command) =>
  command
    .description('run the gateway; its settings are environment variables')
    .addHelpText(...example('PORT=8080 artist-gateway serve'))
    .addHelpText('after', () => `\nVariables:\n${drawTable(variables())}`)
    .action(async () => {
      // loads the HTTP stack, which `--help` does not need
      await (await import('../../adapters/process/start.ts')).startGateway();
    });
