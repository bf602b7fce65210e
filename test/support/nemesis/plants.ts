import { setTimeout as wait } from 'node:timers/promises';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

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
    RateLimiterRedis.prototype.consume = async function (...given) {
      const result = await consume.apply(this, given);
      const later = result.msBeforeNext + this.duration * 1000;
      return new RateLimiterRes(result.remainingPoints, later, result.consumedPoints, result.isFirstInDuration);
    };
  },
  'other limit'() {
    RateLimiterRedis.prototype.consume = async function (key, ...given) {
      if (!String(key).includes('org_tight')) return consume.call(this, key, ...given);
      const own = this.points;
      this.points = 4 * own;
      try {
        return await consume.call(this, key, ...given);
      } finally {
        this.points = own;
      }
    };
  },
  'fail-open'() {
    RateLimiterRedis.prototype.consume = function (...given) {
      const granted = wait(100).then(() => new RateLimiterRes(1, 30_000, 1, false));
      return Promise.race([consume.apply(this, given), granted]);
    };
  },
};

for (const [name, plant] of Object.entries(plants)) if (process.env['NEMESIS_PLANT'] === name) plant();
