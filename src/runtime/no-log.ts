import type { Log } from '../ports.ts';

/** A log that writes nothing, for commands: they say themselves what they find. */
export const noLog: Log = { info() {}, warn() {}, error() {} };
