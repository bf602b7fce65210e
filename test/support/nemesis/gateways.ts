import { createClient, type GatewayProcess, startGatewayProcess } from '../gateway-process.ts';
import { createSettableClock } from './settable-clock.ts';
import { type Fault, gatewayCount, type Topology } from './topology.ts';

/** Seconds that a gateway's clock is set to, in turn. */
const clockSteps = [3_600, -90, 86_400 * 10, -86_400 * 400, 0];

/**
 * Starts the gateways of a nemesis: processes that are killed, frozen, and whose clocks are set.
 */
export const startGateways = async (
  topology: Topology,
  folder: string,
  settings: Record<string, string>,
) => {
  const client = createClient(512);
  const indexes = Array.from({ length: gatewayCount }, (_, index) => index);
  const clocks = indexes.map((index) => createSettableClock(folder, `gateway-${index}`));
  const start = (index: number): Promise<GatewayProcess> =>
    startGatewayProcess({
      ...settings,
      REDIS_URL: topology.url(index),
      ...clocks[index]?.environment,
    });
  const gateways = await Promise.all(indexes.map(start));
  let turn = 0;
  let steps = 0;
  const next = (): number => (turn = (turn + 1) % gatewayCount);
  /** Each strikes the next gateway. */
  const faults: readonly Fault[] = [
    {
      name: 'kill a gateway',
      begin: () => gateways[next()]?.signal('SIGKILL'),
      async end() {
        await gateways[turn]?.exit;
        gateways[turn] = await start(turn);
      },
    },
    {
      name: 'freeze a gateway',
      begin: () => gateways[next()]?.signal('SIGSTOP'),
      end: () => gateways[turn]?.signal('SIGCONT'),
    },
    {
      name: 'set the clock of a gateway',
      begin: () => clocks[next()]?.set(clockSteps[steps++ % clockSteps.length] ?? 0),
    },
  ];
  return {
    get: (index: number, path: string, key: string) =>
      client.get(`${gateways[index]?.url}${path}`, { Authorization: `Bearer ${key}` }),
    faults,
    /** Throws when one has ended that no fault has killed. */
    expectAlive() {
      const ended = gateways.find((gateway) => !gateway.isAlive());
      if (ended !== undefined)
        throw new Error(`a gateway has ended:\n${ended.lines.slice(-5).join('\n')}`);
    },
    async stop() {
      client.end();
      await Promise.all(gateways.map((gateway) => gateway.stop()));
    },
  };
};

export type NemesisGateways = Awaited<ReturnType<typeof startGateways>>;
