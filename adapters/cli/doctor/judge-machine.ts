import type { Config } from '../../../src/runtime/config.ts';
import { type Finding, mend, ok, remark } from './finding.ts';

/** The oldest version of Node that runs the gateway, and the oldest major version that still gets security fixes. */
const minNode = { major: 20, minor: 19 };
const minMaintained = 22;

/** Judges a version of Node, like `v22.11.0`. */
export const judgeNode = (version: string): Finding => {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const isOld = major < minNode.major || (major === minNode.major && minor < minNode.minor);
  if (isOld) return mend('node', version, `install Node ${minNode.major}.${minNode.minor} or later`);
  if (major < minMaintained)
    return remark('node', `${version}, without security fixes`, `use Node ${minMaintained} or later`);
  return ok('node', version);
};

/** Judges the settings of a gateway, or the error of reading them. */
export const judgeSettings = (settings: Config | Error): Finding[] => {
  if (settings instanceof Error) return [mend('settings', settings.message, 'correct the variable')];
  const { sandbox, remarks } = settings;
  const found = remarks.map((text) => remark('settings', text, 'see "Settings" in docs/operating.md'));
  if (sandbox !== undefined)
    found.push(remark('settings', sandbox, 'set NODE_ENV=production, MONGODB_URL and REDIS_URL'));
  return found.length > 0 ? found : [ok('settings', 'valid')];
};
