import { channel, subscribe } from 'node:diagnostics_channel';
import { z } from 'zod';
import { note } from './messages.ts';

/** Where commands to MongoDB are published. Its driver has no channel of its own, as that of Redis has. */
const mongodbChannel = 'artist-gateway:mongodb-command';
const redisChannel = 'tracing:ioredis:command:start';

const mongodbCommand = z.object({ name: z.string(), collection: z.string(), ms: z.number() });
const redisCommand = z.object({ command: z.string() });

/** Publishes one command to MongoDB: its name, its collection and milliseconds. */
type PublishCommand = (command: z.infer<typeof mongodbCommand>) => void;

/** How commands to MongoDB are published; `undefined` when nobody reads them, so that the driver need not report them. */
export const mongodbPublisher = (): PublishCommand | undefined => {
  const commands = channel(mongodbChannel);
  return commands.hasSubscribers ? (command) => commands.publish(command) : undefined;
};

/**
 * For `--verbose`: prints what is asked of which store to standard error, one line for each command, by name and collection
 * only: values may be hashes of keys.
 */
export const printStoreCommands = (): void => {
  subscribe(mongodbChannel, (message) => {
    const { name, collection, ms } = mongodbCommand.parse(message);
    note(`MongoDB: ${name} ${collection} (${ms.toFixed(0)} ms)`);
  });
  subscribe(redisChannel, (message) => note(`Redis: ${redisCommand.parse(message).command}`));
};
