import { Command } from 'commander';
import { listCommand } from '../organizations/list.ts';
import { setCommand } from '../organizations/set.ts';
import { resumeCommand, suspendCommand } from '../organizations/suspend.ts';

/** What an operator does with the customers that keys belong to. */
export const organizationsCommand = (): Command =>
  new Command('organizations')
    .description('create, change, suspend and resume the customers that keys belong to (in MONGODB_URL)')
    .addHelpText('after', '\nExample:\n  artist-gateway organizations set acme --name "Acme Music"')
    .addCommand(setCommand())
    .addCommand(listCommand())
    .addCommand(suspendCommand())
    .addCommand(resumeCommand());
