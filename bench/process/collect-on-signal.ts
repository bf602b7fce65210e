/** Loaded into a gateway before its own code: collects garbage on a signal, and does nothing else. */
process.on('SIGUSR2', () => globalThis.gc?.());
