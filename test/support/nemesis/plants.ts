import { setTimeout as wait } from 'node:timers/promises';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { CountOptions, WindowsLimiter, WindowsRes } from '../../../adapters/stores/redis/limiter.ts';

/** Bugs that are planted into a built gateway, to show that the checker finds them. */
export type Plant = 'double refund' | 'late window' | 'other limit' | 'fail-open';

/** The environment of a gateway with a bug: Node loads this file before the gateway. */
export const plantEnvironment = (plant: Plant): Record<string, string> => ({
  NEMESIS_PLANT: plant,
  NODE_OPTIONS: `--import=tsx --import=${import.meta.url}`,
});

const { consume, reward } = RateLimiterRedis.prototype;

const plants: Readonly<Record<Plant, () => void>> = {
  'double refund'() {
    RateLimiterRedis.prototype.reward = async function (...given) {
      await reward.apply(this, given);
      return reward.apply(this, given);
    };
  },
  'late window'() {
    RateLimiterRedis.prototype.consume = async function (key, points, options: CountOptions) {
      const result = (await consume.call(this, key, points, options)) as WindowsRes;
      const msLeft = result.msLeft.bind(result);
      return Object.assign(result, {
        msLeft: (index: number) => msLeft(index) + (options.windows[index]?.seconds ?? 0) * 1000,
      });
    };
  },
  'other limit'() {
    RateLimiterRedis.prototype.consume = function (key, points, options: CountOptions) {
      const times = String(key).includes('org_tight') ? 4 : 1;
      const windows = options.windows.map((window) => ({ ...window, limit: times * window.limit }));
      return consume.call(this, key, points, { ...options, windows });
    };
  },
  'fail-open'() {
    RateLimiterRedis.prototype.consume = function (...given) {
      const { _getRateLimiterRes: read } = this as unknown as WindowsLimiter; // the only limiter of a gateway
      const granted = wait(100).then(() => read('', 1, [0, 1, 30_000, 1, 30_000]));
      return Promise.race([consume.apply(this, given), granted]);
    };
  },
};

for (const [name, plant] of Object.entries(plants)) if (process.env['NEMESIS_PLANT'] === name) plant();
