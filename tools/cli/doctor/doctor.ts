import { loadSharedQuotas, withUsableUrls } from '../../../adapters/stores/load-stores.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { type Config, readConfig, SettingError } from '../../../src/runtime/config.ts';
import { explainFailure } from '../../../src/runtime/store-error.ts';
import { type DefineCommand, example } from '../command.ts';
import { type Column, printListing } from '../terminal/table.ts';
import { examineMongo } from './examine-mongodb.ts';
import { type Finding, fail, ok } from './finding.ts';
import { judgeNode, judgeRedis, judgeSettings } from './judge.ts';
import { judgeState } from './judge-state.ts';

const columns: readonly Column<Finding>[] = [
  { title: 'check', show: ({ check }) => check },
  { title: 'state', show: ({ state }) => state },
  { title: 'found', show: ({ found }) => found },
  { title: 'what to do', show: ({ advice }) => advice },
];

const readSettings = (): Config | Error => {
  try {
    return withUsableUrls(readConfig());
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
};

const examine = async (
  check: string,
  setting: string,
  look: () => Promise<Finding[]>,
): Promise<Finding[]> => {
  try {
    return [ok(check, 'reachable'), ...(await look())];
  } catch (thrown) {
    if (thrown instanceof SettingError) return [fail(check, thrown.message, `correct ${setting}`)];
    const { reason, remedy } = explainFailure(thrown, setting);
    return [fail(check, reason, remedy)];
  }
};

const examineStores = async (settings: Config): Promise<Finding[]> => {
  const {
    mongodbUrl,
    redisUrl,
    stateFolder,
    keysMaxStalenessMs: keys,
    maxStalenessMs: catalogue,
  } = settings;
  const { now } = systemClock();
  const lookAtRedis = async (url: string) => {
    const { probe } = await loadSharedQuotas();
    return judgeRedis(await probe(url));
  };
  const found = await Promise.all([
    mongodbUrl === undefined
      ? []
      : examine('mongodb', 'MONGODB_URL', () => examineMongo(mongodbUrl, now)),
    redisUrl === undefined ? [] : examine('redis', 'REDIS_URL', () => lookAtRedis(redisUrl)),
    stateFolder === undefined ? [] : judgeState(stateFolder, { keys, catalogue }, now()),
  ]);
  return found.flat();
};

export const doctorCommand: DefineCommand = (command) =>
  command
    .option('--json', 'print a JSON array')
    .description('check settings, stores, rights, indexes, clocks and keys, and say what to do')
    .addHelpText(...example('artist-gateway doctor'))
    .action(async (options) => {
      const settings = readSettings();
      const stores = settings instanceof Error ? [] : await examineStores(settings);
      const findings = [judgeNode(process.version), ...judgeSettings(settings), ...stores];
      printListing(findings, columns, options);
      const broken = findings.filter(({ state }) => state === 'fail').length;
      if (broken > 0) throw new Error(`Failed checks: ${broken}.`);
    });
