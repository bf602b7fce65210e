import { startGateway } from '../../adapters/process/start.ts';
import { SettingError } from '../shared/http.ts';

const stores = ['MONGODB_URL', 'MONGODB_URL_FILE', 'REDIS_URL', 'REDIS_URL_FILE'];

const readTime = (text: string): string => {
  const time = new Date(text);
  if (/T.*(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(time.getTime()))
    return time.toISOString();
  throw new SettingError('--at takes a time with its zone, like 2026-08-22T12:00Z.');
};

/**
 * Starts the service with the example catalogue and demo keys. It writes nothing to the disk.
 *
 * @param at the constant time of its clock; by default the system's time
 */
export const startSandbox = async (
  host: string,
  port: number,
  at: string | undefined,
): Promise<void> => {
  const set = stores.find((name) => process.env[name]);
  if (set !== undefined)
    throw new SettingError(`${set} is set: the sandbox has no database. Remove the variable.`);
  const settings = { HOST: host, PORT: String(port), OPERATIONS_PORT: '0' };
  Object.assign(process.env, settings, at !== undefined && { FIXED_NOW: readTime(at) });
  await startGateway();
};
