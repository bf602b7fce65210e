import { setTimeout as wait } from 'node:timers/promises';
import { RateLimiterRedis } from 'rate-limiter-flexible';

// Node loads this file before a built gateway, and it plants the bug that NEMESIS_PLANT names. It is JavaScript because a
// gateway with a loader for TypeScript takes three times as long to start.

const limiter = RateLimiterRedis.prototype;
const { consume, reward } = limiter;

const plants = {
  'double refund'() {
    limiter.reward = async function (...given) {
      await reward.apply(this, given);
      return reward.apply(this, given);
    };
  },
  'late window'() {
    limiter.consume = async function (key, points, options) {
      const result = await consume.call(this, key, points, options);
      const msLeft = result.msLeft.bind(result);
      return Object.assign(result, { msLeft: (index) => msLeft(index) + options.windows[index].seconds * 1000 });
    };
  },
  'other limit'() {
    limiter.consume = function (key, points, options) {
      const times = key.includes('org_tight') ? 4 : 1;
      const windows = options.windows.map((window) => ({ ...window, limit: times * window.limit }));
      return consume.call(this, key, points, { ...options, windows });
    };
  },
  'fail-open'() {
    limiter.consume = function (...given) {
      const granted = wait(100).then(() => this._getRateLimiterRes('', 1, [0, 1, 30_000, 1, 30_000]));
      return Promise.race([consume.apply(this, given), granted]);
    };
  },
};

plants[process.env.NEMESIS_PLANT]();
