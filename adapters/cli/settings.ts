import { type Config, readConfig, readStoreSettings, type StoreSettings } from '../../src/runtime/config.ts';
import { UsageError } from './terminal/usage-error.ts';

/** Turns an invalid variable into a `UsageError`, as for an invalid option. */
const orUsageError = <Settings>(read: () => Settings): Settings => {
  try {
    return read();
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
};

/** The settings of the stores. Throws a `UsageError` that names an invalid variable. */
export const storeSettings = (): StoreSettings => orUsageError(readStoreSettings);

/** The settings of a gateway. Throws a `UsageError` that names an invalid variable. */
export const gatewaySettings = (): Config => orUsageError(readConfig);
