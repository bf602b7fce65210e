import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { unavailableError } from '../../adapters/stores/redis/errors.ts';
import { useCleanup } from '../support/cleanup.ts';
import { examine } from '../support/cli/examine.ts';
import { freePort } from '../support/ports.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { startScriptedMongo } from '../support/stores/scripted-mongo.ts';

/** What Redis or its driver says, and what an operator does about it. */
const remedies: readonly (readonly [said: string, remedy: RegExp])[] = [
  ['WRONGPASS invalid username-password pair', /^correct the user and the password in REDIS_URL$/],
  ['NOAUTH Authentication required.', /^correct the user and the password in REDIS_URL$/],
  ["NOPERM User x has no permissions to run the 'evalsha' command", /^grant its user the rights/],
  ["READONLY You can't write against a read only replica.", /^name the primary in REDIS_URL/],
  ["OOM command not allowed when used memory > 'maxmemory'.", /^give it more memory/],
  ['MISCONF Redis is configured to save RDB snapshots', /^free its disk/],
  ['NOREPLICAS Not enough good replicas to write.', /^start its replicas, or lower/],
  ['ERR DB index is out of range', /^name a database that it has/],
  ['QUOTALATE the deadline is not ahead by the clock of Redis', /^synchronise the clocks/],
  ['LOADING Redis is loading the dataset in memory', /^wait until it has loaded its data$/],
  ['CLUSTERDOWN The cluster is down', /^start the missing nodes/],
  ['All sentinels are unreachable. Retrying', /^correct the Sentinels and the name/],
  [
    'Command timed out',
    /^look at its log and its load, or correct host, port and TLS in REDIS_URL$/,
  ],
  ['Stream isn’t writeable', /^start it, or correct REDIS_URL$/],
];

describe('a Redis that does not count', () => {
  const cleanup = useCleanup(after);

  for (const [said, remedy] of remedies)
    it(`has a remedy for: ${said}`, () => {
      const { message, remedy: told } = unavailableError(new Error(said));
      expect(message).to.match(/^Redis: /);
      expect(told).to.match(remedy);
    });

  it('is told by `doctor` with its reason and what to do, and without its password', async () => {
    const redis = await cleanup.start(startRedisServer());
    await redis.command('ACL', 'SETUSER', 'known', 'on', '>hush', '~*', '+@all');
    const silent = await cleanup.start(startScriptedMongo());
    const closingPort = await freePort();
    const closing = createServer((socket) => void socket.resume().end());
    cleanup.add(closing.listen(closingPort, '127.0.0.1'), (server) =>
      once(server.close(), 'close'),
    );
    await once(closing, 'listening');
    for (const [REDIS_URL, said] of [
      [
        `redis://known:hush1@127.0.0.1:${redis.port}`,
        'fail: user or password refused → correct the user and the password in REDIS_URL',
      ],
      [
        'redis://:hush@127.0.0.1:1',
        'fail: connection refused (127.0.0.1:1) → start it, or correct REDIS_URL',
      ],
      [
        `rediss://:hush@127.0.0.1:${redis.port}`,
        /^fail: (no answer|connection lost) → .*, or correct host, port and TLS in REDIS_URL$/,
      ],
      [
        `redis://:hush@127.0.0.1:${closingPort}`,
        'fail: connection lost → look at its log and its load, or correct host, port and TLS in REDIS_URL',
      ],
      [
        `redis://:hush@127.0.0.1:${silent.port}`,
        /^fail: (no answer|connection lost).* → look at its log/,
      ],
    ] as const) {
      const found = (await examine({ REDIS_URL })).get('redis') ?? '';
      if (typeof said === 'string') expect(found).to.equal(said);
      else expect(found).to.match(said);
      expect(found).to.not.include('hush');
    }
  });
});
