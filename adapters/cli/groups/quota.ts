import { Command } from 'commander';
import { resetCommand } from '../commands/quota-reset.ts';
import { showCommand } from '../commands/quota-show.ts';

/** What an operator does with the counted requests of an organization or a key. */
export const quotaCommand = (): Command =>
  new Command('quota')
    .description('look at and reset what was counted (in REDIS_URL) for an organization or a key (in MONGODB_URL)')
    .addHelpText('after', '\nExample:\n  artist-gateway quota show acme')
    .addCommand(showCommand())
    .addCommand(resetCommand());
