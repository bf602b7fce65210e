import type { RedisServer } from './redis-server.ts';

/** Slots of a cluster on their way from one node to another, in the steps of `redis-cli --cluster reshard`, each for all slots. */
export interface Resharding {
  /** From now on `from` answers `ASK` for keys it does not have, and `to` serves them after `ASKING`. */
  begin(): Promise<void>;
  /** Moves the keys that `from` still has; resolves to their number. */
  moveKeys(): Promise<number>;
  /** Makes `to` the owner. */
  finish(): Promise<void>;
}

/** Prepares to move the slots `first` to `last`. `servers` are all primaries of the cluster. */
export const createResharding = (
  servers: readonly RedisServer[],
  from: RedisServer,
  to: RedisServer,
  first: number,
  last: number,
): Resharding => {
  const slots = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const idOf = async (server: RedisServer): Promise<string> => String(await server.command('CLUSTER', 'MYID'));
  const setSlots = async (server: RedisServer, state: string, node: RedisServer): Promise<void> => {
    const id = await idOf(node);
    await server.commands(slots.map((slot) => ['CLUSTER', 'SETSLOT', slot, state, id]));
  };
  return {
    async begin() {
      await setSlots(to, 'IMPORTING', from);
      await setSlots(from, 'MIGRATING', to);
    },
    async moveKeys() {
      const found = await from.commands(slots.map((slot) => ['CLUSTER', 'GETKEYSINSLOT', slot, 100]));
      const keys = found.flat().map(String);
      await from.commands(keys.map((key) => ['MIGRATE', '127.0.0.1', to.port, key, 0, 1_000]));
      return keys.length;
    },
    async finish() {
      for (const server of [to, from, ...servers.filter((each) => each !== to && each !== from)])
        await setSlots(server, 'NODE', to);
    },
  };
};
