import { SettingError } from '../../src/runtime/config.ts';
import { readGatewaySettings } from '../stores/databases.ts';
import { serve } from './serve.ts';
import { exitWith, writeLine } from './standard-error.ts';

/** Ends the process with one line that says why. */
const fail = (error: unknown, code: number): Promise<never> => {
  writeLine(error instanceof Error ? error.message : String(error));
  return exitWith(code);
};

/**
 * The program `artist-gateway serve`: runs a gateway with the settings of the environment until a
 * signal ends it. What keeps it from starting is one line on standard error, and ends the process
 * with 2 for settings, else with 1.
 */
export const startGateway = async (): Promise<void> => {
  process.stderr.on('error', () => {}); // a terminal that was closed: the gateway serves on
  try {
    await serve(readGatewaySettings());
  } catch (error) {
    await fail(error, error instanceof SettingError ? 2 : 1);
  }
};
