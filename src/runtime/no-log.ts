import type { Log } from '../ports.ts';

/** A log that writes nothing, for commands: they print their findings themselves. */
export const noLog: Log = { info() {}, warn() {}, error() {} };
