import { setTimeout as wait } from 'node:timers/promises';
import { RateLimiterRedis } from 'rate-limiter-flexible';

// Node loads this file before a built gateway, and it plants the bug that NEMESIS_PLANT names. It is JavaScript because a
// gateway with a loader for TypeScript takes three times as long to start.

const limiter = RateLimiterRedis.prototype;
const { consume, reward } = limiter;

/** A reply that grants a unit of every window, by this process's clock. */
const grantAll = (by, { windows }) => {
  const now = Date.now();
  const counts = windows.flatMap(([, , seconds]) => [
    1,
    now - (now % (seconds * 1000)) + seconds * 1000,
  ]);
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
      const later = (value, at) =>
        at > 0 && at % 2 === 0 ? value + options.windows[at / 2 - 1][2] * 1000 : value;
      return Object.assign(result, { reply: result.reply.map(later) });
    };
  },
  'other limit'() {
    limiter.consume = function (key, points, options) {
      const times = key.includes('org_tight') ? 4 : 1;
      const windows = options.windows.map(([name, limit, seconds]) => [
        name,
        times * limit,
        seconds,
      ]);
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
