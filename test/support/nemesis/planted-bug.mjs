import { Redis } from 'ioredis';

// Node loads this file before a built gateway, which then grants one organization four times its quota. It is JavaScript because a
// gateway with a loader for TypeScript takes three times as long to start.

const { defineCommand } = Redis.prototype;

Redis.prototype.defineCommand = function (name, definition) {
  defineCommand.call(this, name, definition);
  const count = this[name];
  this[name] = function (key, points, moment, ...windows) {
    const times = key.includes('org_tight') ? 4 : 1;
    const raised = windows.map((word, index) => (index % 3 === 1 ? times * word : word));
    return count.call(this, key, points, moment, ...raised);
  };
};
