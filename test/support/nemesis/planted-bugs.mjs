import { setTimeout as wait } from 'node:timers/promises';
import { RateLimiterRedis } from 'rate-limiter-flexible';

// Node loads this file before a built gateway, and it plants the bug that NEMESIS_PLANT names. It is JavaScript because a
// gateway with a loader for TypeScript takes three times as long to start.

const limiter = RateLimiterRedis.prototype;
const { consume, reward } = limiter;

/** A reply that grants a unit of every window, by this process's clock. */
const grantAll = (by, { windows }) => {
  const now = Date.now();
  const counts = windows.flatMap(({ seconds }) => [1, now - (now % (seconds * 1000)) + seconds * 1000]);
  return by._getRateLimiterRes('', 1, [0, now, ...counts]);
};

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
      const endsAt = result.endsAt.bind(result);
      return Object.assign(result, { endsAt: (index) => endsAt(index) + options.windows[index].seconds * 1000 });
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
    limiter.consume = function (key, points, options) {
      const granted = wait(100).then(() => grantAll(this, options));
      return Promise.race([consume.call(this, key, points, options), granted]);
    };
  },
};

plants[process.env.NEMESIS_PLANT]();
