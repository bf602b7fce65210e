import { Command } from 'commander';
import { importCommand } from '../catalogue/import.ts';
import { indexesCommand } from '../catalogue/indexes.ts';
import { statsCommand } from '../catalogue/stats.ts';
import { validateCommand } from '../catalogue/validate.ts';

/** What an operator does with artists, their histories and the labels looked for. */
export const catalogueCommand = (): Command =>
  new Command('catalogue')
    .description('import, check and look over artists, histories and labels')
    .addHelpText('after', '\nExample:\n  artist-gateway catalogue import /data/charts-2026')
    .addCommand(importCommand())
    .addCommand(validateCommand())
    .addCommand(statsCommand())
    .addCommand(indexesCommand());
