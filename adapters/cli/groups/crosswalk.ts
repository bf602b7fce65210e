import { Command } from 'commander';
import { idsCommand } from '../commands/crosswalk-ids.ts';

/** What an operator takes out of the crosswalk for a partner who moves. */
export const crosswalkCommand = (): Command =>
  new Command('crosswalk')
    .description('what a partner needs who moves from one form to the other (in MONGODB_URL)')
    .addHelpText('after', '\nExample:\n  artist-gateway crosswalk ids --org acme --csv > acme-ids.csv')
    .addCommand(idsCommand());
