import type { Server } from 'node:http';

/** Tells the bench that started this process where it listens, and ends with it. */
export const announce = (server: Server): void => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.');
  process.send?.(address.port);
  process.on('disconnect', () => process.exit());
};
