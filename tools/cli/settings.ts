import { withUsableUrls } from '../../adapters/stores/load-stores.ts';
import { readStoreSettings, type StoreSettings } from '../../src/runtime/config.ts';

/** The settings of the stores. Throws a `SettingError` that names an invalid variable. */
export const storeSettings = (): StoreSettings => withUsableUrls(readStoreSettings());

/**
 * How soon gateways with these settings apply a change of a key or an organization: `within 5
 * seconds`.
 */
export const effectDelay = (): string =>
  `within ${Math.ceil(storeSettings().keysRefreshMs / 1000) + 1} seconds`;
