import { startTcpProxy } from '../tcp-proxy.ts';
import type { SettableClock } from './settable-clock.ts';
import { gatewayCount, startNode, type Topology } from './topology.ts';

/** Milliseconds for which Redis may hold back its append-only file (`everysec`) before a crash. */
const maxUnwrittenMs = 2_000;

/** One server with an append-only file. Each gateway reaches it through a proxy of its own. */
export const startSingle = async (clock: SettableClock): Promise<Topology> => {
  const { server, proxy, stop } = await startNode(clock, () => ['--appendfsync', 'everysec']);
  const proxies = await Promise.all(
    Array.from({ length: gatewayCount }, () => startTcpProxy(server.port)),
  );
  const [first] = proxies;
  return {
    url: (gateway) => server.url((proxies[gateway] ?? proxy).port),
    faults: [
      {
        name: 'kill',
        begin: () => server.kill(),
        end: () => server.restart(),
        losesFrom: maxUnwrittenMs,
        isOutage: true,
      },
      { name: 'freeze', begin: () => server.pause(), end: () => server.resume(), isOutage: true },
      {
        name: 'cut the network',
        begin: () => proxies.forEach((each) => void each.hold()),
        end: () => proxies.forEach((each) => void each.release()),
        isOutage: true,
      },
      { name: 'cut one gateway off', begin: () => first?.hold(), end: () => first?.release() },
      { name: 'reset connections', begin: () => proxies.forEach((each) => void each.reset()) },
      {
        name: 'slow network',
        begin: () => proxies.forEach((each) => void each.delay(120)),
        end: () => proxies.forEach((each) => void each.delay(0)),
      },
    ],
    settled: async () => {},
    async stop() {
      await Promise.all(proxies.map((each) => each.close()));
      await stop();
    },
  };
};
