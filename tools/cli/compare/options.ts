import type { Command, OptionValues } from '@commander-js/extra-typings';
import { comparedForms } from '../../migration/mapping/forms.ts';
import { readBaseUrl, readBaseUrlOrPath, readCount, readName } from '../option-parsers.ts';

const readSample = (text: string) => {
  const [count = '', seed] = text.split(':');
  return { count: readCount(count), seed: seed === undefined ? undefined : readCount(seed) };
};

const helpText = `
In this process the time is FIXED_NOW, by default noon of the newest day in the catalogue.\nKeys for --base-url are CURRENT_KEY and VARIANT_KEY, or OVERRIDE_KEY for one key with the envelope override.

Examples:
  artist-gateway compare --html report.html
  artist-gateway compare --catalogue /data/charts-2026 --all
  CURRENT_KEY=… VARIANT_KEY=… artist-gateway compare --base-url https://api.example.com --all

Exit codes: 0 no unexpected difference, 1 an unexpected difference or an incomplete run, 2 invalid arguments or nothing\ncompared.`;

const addSubjects = (command: Command) =>
  command
    .addOption(
      command
        .createOption('--catalogue <folder>', 'compare over this catalogue, in this process')
        .conflicts('baseUrl'),
    )
    .addOption(
      command.createOption('--base-url <url>', 'compare a running gateway').argParser(readBaseUrl),
    )
    .option(
      '--pairs <file>',
      'pairs of identifiers, as [{"current", "variant"}], instead of pairing by name and day',
    )
    .option(
      '--max-wait <seconds>',
      'maximum number of seconds to wait for the end of a quota window',
      readCount,
      3700,
    )
    .option(
      '--all',
      'also compare the whole shortlist, and name the artists that cannot be reached',
    );

const addAlternatives = <Options extends OptionValues>(command: Command<[], Options>) =>
  command
    .addOption(
      command
        .createOption(
          '--form <form>',
          'compare one form of two gateways, with --against or --record',
        )
        .choices(comparedForms)
        .conflicts(['catalogue', 'all']),
    )
    .addOption(
      command
        .createOption(
          '--sample <count[:seed]>',
          'instead of the cases compare this many artists of the shortlist, chosen at random; a seed chooses the same ones again',
        )
        .argParser(readSample)
        .conflicts(['form', 'all', 'case']),
    )
    .option(
      '--against <url|file>',
      'the second gateway, or a file that --record wrote',
      readBaseUrlOrPath,
    )
    .addOption(
      command
        .createOption(
          '--record <file>',
          'write the replies of the gateway to this file, and compare nothing',
        )
        .conflicts(['against', 'html', 'junit', 'json', 'baseline']),
    );

const addCases = <Options extends OptionValues>(command: Command<[], Options>) =>
  command
    .addOption(
      command
        .createOption('--cases <folders...>', 'folders with more cases')
        .default([], 'only the cases of the package'),
    )
    .addOption(
      command
        .createOption('--case <names...>', 'only these cases, as spikes-*')
        .default([], 'all cases'),
    )
    .option('--dry-run', 'print the cases and their requests, and send none');

const addReports = <Options extends OptionValues>(command: Command<[], Options>) =>
  command
    .option('--json', 'print a JSON object')
    .option('--html <file>', 'write a page with the answers side by side')
    .option('--junit <file>', 'write JUnit XML');

const addBaseline = <Options extends OptionValues>(command: Command<[], Options>) =>
  command
    .option('--baseline <file>', 'known differences, each with a reason and its last day')
    .option('--write-baseline', 'add the differences of this run to the baseline; needs --reason')
    .option('--reason <text>', 'the reason for --write-baseline', readName);

export const addCompareOptions = (command: Command) =>
  addBaseline(addReports(addCases(addAlternatives(addSubjects(command))))).addHelpText(
    'after',
    helpText,
  );

export type CompareOptions = Readonly<ReturnType<ReturnType<typeof addCompareOptions>['opts']>>;
