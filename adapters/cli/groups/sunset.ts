import { Command } from 'commander';
import { reportCommand } from '../commands/sunset-report.ts';

/** What an operator looks at while the variant form ends for partners. */
export const sunsetCommand = (): Command =>
  new Command('sunset')
    .description('who still calls in the variant form near its end (set it with "keys sunset")')
    .addHelpText('after', '\nExample:\n  artist-gateway sunset report --within 60')
    .addCommand(reportCommand());
