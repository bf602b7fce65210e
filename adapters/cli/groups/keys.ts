import { Command } from 'commander';
import { issueCommand } from '../keys/issue.ts';
import { listCommand } from '../keys/list.ts';
import { logCommand } from '../keys/log.ts';
import { pinCommand } from '../keys/pin.ts';
import { revokeCommand } from '../keys/revoke.ts';
import { rotateCommand } from '../keys/rotate.ts';
import { setCommand } from '../keys/set.ts';
import { showCommand } from '../keys/show.ts';
import { sunsetCommand } from '../keys/sunset.ts';

/** What an operator does with the keys of partners. */
export const keysCommand = (): Command =>
  new Command('keys')
    .description('issue, look at, change and end the keys of partners (in MONGODB_URL)')
    .addHelpText('after', '\nExample:\n  artist-gateway keys list --organization acme')
    .addCommand(issueCommand())
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(rotateCommand())
    .addCommand(revokeCommand())
    .addCommand(setCommand())
    .addCommand(pinCommand())
    .addCommand(sunsetCommand())
    .addCommand(logCommand());
