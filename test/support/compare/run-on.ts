import { openRunningTarget } from '../../../tools/compare/targets/running-target.ts';
import type { ComparisonTarget } from '../../../tools/compare/targets/target.ts';
import { createTestGateway, type TestGatewayOptions } from '../gateway.ts';
import { spikes } from './open-target.ts';

type GivenOptions = Partial<Parameters<typeof openRunningTarget>[0]> &
  Pick<Parameters<typeof openRunningTarget>[0], 'keys'>;

/**
 * Runs a comparison with a gateway from outside. Waiting for a quota advances the gateway's clock.
 */
export const runOn = async <Result>(
  options: TestGatewayOptions,
  given: GivenOptions,
  run: (target: ComparisonTarget) => Promise<Result>,
) => {
  const gateway = await createTestGateway(options);
  try {
    const target = await openRunningTarget({
      baseUrl: new URL(`http://127.0.0.1:${gateway.port}`),
      pairs: [],
      maxWaitSeconds: 3700,
      spikes,
      async wait(_form, seconds) {
        gateway.clock.advance(seconds * 1000);
        await Promise.all([gateway.gateway.keys.refresh(), gateway.gateway.catalogue.refresh()]);
      },
      ...given,
    });
    return await run(target);
  } finally {
    await gateway.close();
  }
};
