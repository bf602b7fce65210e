/** What asks a process to end: Ctrl-C, `kill`, a terminal that was closed. */
const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Catches signals that ask the process to end, until the returned function is called. One Ctrl-C may
 * come twice: npm sends its own too.
 */
export const catchSignals = (receive: (signal: NodeJS.Signals) => void): (() => void) => {
  for (const signal of endSignals) process.on(signal, receive);
  return () => {
    for (const signal of endSignals) process.removeListener(signal, receive);
  };
};

/** Does work that no signal interrupts. The process ends by the signal after the command. */
export const holdSignals = async (work: () => Promise<void>): Promise<void> => {
  const release = catchSignals((signal) => {
    // a shell ends a loop only when its command died of the signal
    process.once('exit', () => process.kill(process.pid, signal));
  });
  await work().finally(release);
};
