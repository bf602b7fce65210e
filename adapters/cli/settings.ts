import { type Config, readConfig, readStoreSettings, type StoreSettings } from '../../src/runtime/config.ts';
import { UsageError } from './terminal/usage-error.ts';

/** A variable that is not usable is a wrong call, as a wrong option is. */
const orMisuse = <Settings>(read: () => Settings): Settings => {
  try {
    return read();
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
};

/** Where the stores are. */
export const storeSettings = (): StoreSettings => orMisuse(readStoreSettings);

/** Everything a gateway is told. */
export const gatewaySettings = (): Config => orMisuse(readConfig);
