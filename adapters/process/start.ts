import { readConfig, SettingError } from '../../src/runtime/config.ts';
import { withUsableUrls } from '../stores/load-stores.ts';
import { serve } from './serve.ts';
import { exitWith, writeLine } from './standard-error.ts';

/** Ends the process with the reason on one line. */
const fail = (error: unknown, code: number): Promise<never> => {
  writeLine(error instanceof Error ? error.message : String(error));
  return exitWith(code);
};

/**
 * The program `artist-gateway serve`: runs a gateway with the environment's settings until a signal
 * ends it. If it cannot start, it prints the reason on one line of standard error, and exits with 2
 * for settings, else with 1.
 */
export const startGateway = async (): Promise<void> => {
  process.stderr.on('error', () => {}); // the gateway continues after its terminal closes
  try {
    await serve(withUsableUrls(readConfig()));
  } catch (error) {
    await fail(error, error instanceof SettingError ? 2 : 1);
  }
};
