import { expect } from 'chai';
import { readRedisUrl } from '../../adapters/stores/redis/address.ts';

describe('REDIS_URL', () => {
  const plain = { username: undefined, password: undefined, tls: false, db: 0 };
  const node = (host: string, port: number) => ({ host, port });

  const noAccess = { sentinelUsername: undefined, sentinelPassword: undefined };
  const sentinel = { ...plain, ...noAccess, kind: 'sentinel', name: 'main' };

  const addresses: readonly [string, object][] = [
    ['redis://127.0.0.1', { ...plain, kind: 'single', node: node('127.0.0.1', 6379) }],
    [
      'redis://cache.internal:7000/3',
      { ...plain, kind: 'single', node: node('cache.internal', 7000), db: 3 },
    ],
    ['redis://[::1]:7000/', { ...plain, kind: 'single', node: node('::1', 7000) }],
    ['rediss://cache', { ...plain, kind: 'single', node: node('cache', 6379), tls: true }],
    [
      'redis://:p%40ss%2Cw%3Ard@cache',
      { ...plain, kind: 'single', node: node('cache', 6379), password: 'p@ss,w:rd' },
    ],
    [
      'redis://me:a:b@cache',
      { ...plain, kind: 'single', node: node('cache', 6379), username: 'me', password: 'a:b' },
    ],
    [
      'redis://a:1,b:2,c',
      { ...plain, kind: 'cluster', nodes: [node('a', 1), node('b', 2), node('c', 6379)] },
    ],
    ['redis://a:1,redis://b:2', { ...plain, kind: 'cluster', nodes: [node('a', 1), node('b', 2)] }],
    [
      'rediss://u:p@a,rediss://b',
      {
        kind: 'cluster',
        nodes: [node('a', 6379), node('b', 6379)],
        username: 'u',
        password: 'p',
        tls: true,
        db: 0,
      },
    ],
    ['redis+sentinel://a/main', { ...sentinel, sentinels: [node('a', 26379)] }],
    [
      'redis+sentinel://:p@a:1,b:2/main/5',
      { ...sentinel, sentinels: [node('a', 1), node('b', 2)], password: 'p', db: 5 },
    ],
    [
      'rediss+sentinel://u:p@a:1,rediss+sentinel://b/main?sentinel_password=s%26+1&sentinel_username=watch',
      {
        ...sentinel,
        sentinels: [node('a', 1), node('b', 26379)],
        username: 'u',
        password: 'p',
        tls: true,
        sentinelUsername: 'watch',
        sentinelPassword: 's&+1',
      },
    ],
  ];
  for (const [url, address] of addresses) {
    it(`accepts ${url}`, () => expect(readRedisUrl(url)).to.deep.equal(address));
  }
});
