import type { RedisServer } from './redis-server.ts';

/**
 * Prepares to move the slots `first` to `last` of a cluster, in the steps of `redis-cli --cluster
 * reshard`, each for all slots. `servers` are all primaries of the cluster.
 */
export const createResharding = (
  servers: readonly RedisServer[],
  from: RedisServer,
  to: RedisServer,
  first: number,
  last: number,
) => {
  const slots = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const idOf = async (server: RedisServer): Promise<string> =>
    String(await server.command('CLUSTER', 'MYID'));
  const setSlots = async (server: RedisServer, state: string, node: RedisServer): Promise<void> => {
    const id = await idOf(node);
    await server.commands(slots.map((slot) => ['CLUSTER', 'SETSLOT', slot, state, id]));
  };
  return {
    /**
     * From now on `from` answers `ASK` for keys it does not have, and `to` serves them after
     * `ASKING`.
     */
    async begin() {
      await setSlots(to, 'IMPORTING', from);
      await setSlots(from, 'MIGRATING', to);
    },
    /** Moves the keys that `from` still has; resolves to their number. */
    async moveKeys() {
      const found = await from.commands(
        slots.map((slot) => ['CLUSTER', 'GETKEYSINSLOT', slot, 100]),
      );
      const keys = found.flat().map(String);
      await from.commands(keys.map((key) => ['MIGRATE', '127.0.0.1', to.port, key, 0, 1_000]));
      return keys.length;
    },
    /** Makes `to` the owner. */
    async finish() {
      for (const server of [to, from, ...servers.filter((each) => each !== to && each !== from)])
        await setSlots(server, 'NODE', to);
    },
  };
};

export type Resharding = ReturnType<typeof createResharding>;
