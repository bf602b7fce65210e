import { databaseOf } from '../../adapters/stores/databases.ts';
import {
  type Config,
  readConfig,
  readStoreSettings,
  type StoreSettings,
} from '../../src/runtime/config.ts';
import { UsageError } from './terminal/usage-error.ts';

/**
 * Turns an invalid variable, or a URL of no known database, into a `UsageError`, as for an invalid
 * option.
 */
const orUsageError = <Settings extends StoreSettings>(read: () => Settings): Settings => {
  try {
    const settings = read();
    if (settings.mongodbUrl !== undefined) databaseOf(settings.mongodbUrl);
    return settings;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
};

/** The settings of the stores. Throws a `UsageError` that names an invalid variable. */
export const storeSettings = (): StoreSettings => orUsageError(readStoreSettings);

/**
 * How soon gateways with these settings apply a change of a key or an organization: `within 5
 * seconds`.
 */
export const effectDelay = (): string =>
  `within ${Math.ceil(storeSettings().keysRefreshMs / 1000) + 1} seconds`;

/** The settings of a gateway. Throws a `UsageError` that names an invalid variable. */
export const gatewaySettings = (): Config => orUsageError(readConfig);
