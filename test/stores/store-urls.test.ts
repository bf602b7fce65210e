import { expect } from 'chai';
import { withoutSecrets } from '../../adapters/process/standard-error.ts';
import { requireUsableUrls } from '../../adapters/stores/databases.ts';
import { SettingError } from '../../src/runtime/config.ts';
import { run } from '../support/cli/run.ts';
import { runHere } from '../support/cli/run-here.ts';

const quotes = 'it has quotes around it: remove them';
const unseen = (code: string, where: string) =>
  `it has a blank or unseen character (U+${code}) ${where}: remove it`;
const encode = (character: string, part: string, code: string) =>
  `"${character}" in its ${part} must be written as ${code}`;
const utf8 = 'a code like %E4 in its user or password is not UTF-8: encode them again';
const host =
  'one of its hosts is not HOST or HOST:PORT, with a port from 1 to 65535 and an IPv6 address in brackets';
const noDatabase = 'no database in its path: write /NAME behind its hosts';
const databaseName =
  'the name of its database, its path, has a blank or one of / \\ . " $ * < > : |';
const mongoSchemes = 'mongodb:// or mongodb+srv://';
const redisSchemes = 'redis:// or rediss:// or redis+sentinel:// or rediss+sentinel://';
const unknown = (name: string) => `its option "${name}" is unknown`;
const noDriverValue = (name: string) =>
  `its option "${name}" has a value that the driver does not know`;

/** Wrong values of `MONGODB_URL` and their causes. The password of each has "hush". */
const mongodb: readonly (readonly [url: string, cause: string])[] = [
  ['"mongodb://u:hush@h/db"', quotes],
  ["'mongodb://u:hush@h/db'", quotes],
  ['mongodb://u:hush@h/db"', quotes],
  ['“mongodb://u:hush@h/db”', quotes],
  [' mongodb://u:hush@h/db', unseen('0020', 'at its start')],
  ['mongodb://u:hush@h/db ', unseen('0020', 'at its end')],
  ['\ufeffmongodb://u:hush@h/db', unseen('FEFF', 'at its start')],
  ['mongodb://u:hush@h/db\n', 'it has a line end at its end: remove it'],
  ['mongodb://u:hush@h/db\nOTHER=1', 'it has a line end in it: remove it'],
  ['mongodb://u:hush@h/d b', 'it has a blank or unseen character (U+0020) in it'],
  ['http://u:hush@db', `it begins with http:// and must begin with ${mongoSchemes}`],
  ['MongoDB://u:hush@h/db', `it begins with MongoDB:// and must begin with ${mongoSchemes}`],
  ['u:hush@db/a', `it must begin with ${mongoSchemes}`],
  ['mongodb://u:hu sh@h/db', 'a blank (U+0020) in its password must be written as %20'],
  ['mongodb://u:hush#1@h/db', encode('#', 'password', '%23')],
  ['mongodb://u:hush@1@h/db', encode('@', 'password', '%40')],
  ['mongodb://u:hush/1@h/db', encode('/', 'password', '%2F')],
  ['mongodb://u:12/hush@h/db', encode('/', 'password', '%2F')],
  ['mongodb://u:hush?1@h/db', encode('?', 'password', '%3F')],
  ['mongodb://u:hush%1@h/db', encode('%', 'password', '%25')],
  ['mongodb://u:hush:1@h/db', encode(':', 'password', '%3A')],
  ['mongodb://u:hush[1@h/db', encode('[', 'password', '%5B')],
  ['mongodb://m@il:hush@h/db', encode('@', 'user', '%40')],
  ['mongodb://u:hush%FF@h/db', utf8],
  ['mongodb://u:hush@h', noDatabase],
  ['mongodb://u:hush@h/?replicaSet=rs0', noDatabase],
  ['mongodb://u:hush@/db', 'it names no host'],
  ['mongodb://u:hush@h:port/db', host],
  ['mongodb://u:hush@h:70000/db', host],
  ['mongodb://u:hush@a,,b/db', host],
  ['mongodb://u:hush@a,mongodb://b/db', host],
  ['mongodb://u:hush@h/a/b', databaseName],
  ['mongodb://u:hush@h/my.db', databaseName],
  ['mongodb://u:hush@h/db&tls=true', 'its options must begin with "?"'],
  ['mongodb://h/db?appName=me@home', '"@" in its options must be written as %40'],
  ['mongodb://u:12/db?hush=x@h', '"@" in its options must be written as %40'],
  ['mongodb://u:hush@h/db#x', '"#" must be written as %23'],
];

/** Wrong values that the driver refuses, when it is loaded. */
const driver: readonly (readonly [url: string, cause: string])[] = [
  ['mongodb://u:hush@h/db?replicaset=a&foo=1', `${unknown('foo')}: the driver does not know it`],
  ['mongodb://u:hush@h/db?replicaSet', 'its option "replicaSet" has no value'],
  ['mongodb://u:hush@h/db?tls=true&tls=false', 'its option "tls" is there twice'],
  ['mongodb://u:hush@h/db?tls=yes', 'its option "tls" must be true or false'],
  ['mongodb://u:hush@h/db?authMechanism=hush', noDriverValue('authMechanism')],
  ['mongodb://u:hush@h/db?localThresholdMS=-1', noDriverValue('localThresholdMS')],
  [
    'mongodb://u:hush@a,b/db?directConnection=true',
    'directConnection=true is for one host, and not for mongodb+srv://',
  ],
  ['mongodb+srv://u:hush@a.b.c:27017/db', 'mongodb+srv:// has no port'],
  ['mongodb://:hush@h/db', 'its user is empty: write USER:PASSWORD@ before the host, or nothing'],
];

/** Wrong values of `REDIS_URL` and their causes. */
const redis: readonly (readonly [url: string, cause: string])[] = [
  ['"redis://u:hush@h"', quotes],
  ['redis://u:hush@h ', unseen('0020', 'at its end')],
  ['\tredis://u:hush@h', unseen('0009', 'at its start')],
  ['redis://u:hush@h\n', 'it has a line end at its end: remove it'],
  ['http://u:hush@h', `it begins with http:// and must begin with ${redisSchemes}`],
  [
    'redis-sentinel://a/main',
    `it begins with redis-sentinel:// and must begin with ${redisSchemes}`,
  ],
  ['u:hush@h', `it must begin with ${redisSchemes}`],
  ['redis://a b:hush@h', 'a blank (U+0020) in its user must be written as %20'],
  ['redis://u:hush#1@h', encode('#', 'password', '%23')],
  ['redis://u:hush/1@h', encode('/', 'password', '%2F')],
  ['redis://u:hush?1@h', encode('?', 'password', '%3F')],
  ['redis://u:hush@1@h', encode('@', 'password', '%40')],
  ['redis://:hush%zz@h', encode('%', 'password', '%25')],
  ['redis://u:hush%FF@h', utf8],
  ['redis://:hush@a,redis://:hush@b', encode('@', 'password', '%40')],
  ['redis://hush@h', 'it has a user without a password: add it, or set REDIS_PASSWORD'],
  ['redis://', 'it names no host'],
  ['redis:///0', 'it names no host'],
  ['redis://h:port', host],
  ['redis://h:0', host],
  ['redis://h:70000', host],
  ['redis://::1', host],
  ['redis://a,,b', host],
  ...['redis://h/one', 'redis://h/0/1', 'redis+sentinel://a/main/x'].map(
    (url) =>
      [
        url,
        'the last part of its path must be the number of a database, as in redis://HOST/3',
      ] as const,
  ),
  ['redis://h#1', '"#" must be written as %23'],
  ['redis://h?tls=true', `${unknown('tls')}: redis:// takes none, and rediss:// is for TLS`],
  ['redis://a,b/1', 'a Cluster, which is several hosts, has no numbered database'],
  ...['redis+sentinel://a', 'redis+sentinel://a/'].map(
    (url) =>
      [
        url,
        'the name of the primary is missing in its path, as in redis+sentinel://HOST/NAME',
      ] as const,
  ),
  ['redis+sentinel://a/main/1/2', 'its path must be /NAME or /NAME/DATABASE'],
  [
    'redis+sentinel://a/main?password=hush',
    `${unknown('password')}: it may have sentinel_username and sentinel_password`,
  ],
  ['redis+sentinel://a/main?sentinel_password=', 'its option "sentinel_password" has no value'],
  [
    'redis+sentinel://a/main?sentinel_username=hush',
    'it has sentinel_username without sentinel_password',
  ],
];

const messageOf = async (work: () => unknown): Promise<string> => {
  try {
    await work();
    return 'accepted';
  } catch (error) {
    // by name: commands are loaded by another loader than this file
    expect(error).to.have.property('name', 'SettingError');
    return error instanceof Error ? error.message : '';
  }
};

describe('a wrong URL of a store', () => {
  for (const [variable, urls] of [
    ['MONGODB_URL', [...mongodb, ...driver]],
    ['REDIS_URL', redis],
  ] as const)
    for (const [url, cause] of urls)
      it(`is told with its cause and without its password: ${variable}=${JSON.stringify(url)}`, async () => {
        const other = { MONGODB_URL: 'mongodb://127.0.0.1:1/db', REDIS_URL: 'redis://127.0.0.1:1' };
        const settings = { ...other, [variable]: url };
        const message = await messageOf(() => runHere(settings, 'keys', 'list'));
        expect(message).to.equal(`${variable} is not usable: ${cause}.`);
        expect(message).to.not.match(/hush|\n/);
        expect(withoutSecrets(message), 'as standard error shows it').to.equal(message);
      });

  it('is named before anything is opened, but for what only the driver knows', () => {
    for (const [mongodbUrl] of mongodb)
      expect(() => requireUsableUrls({ mongodbUrl }), mongodbUrl).to.throw(SettingError);
    for (const [redisUrl] of redis)
      expect(() => requireUsableUrls({ redisUrl }), redisUrl).to.throw(SettingError);
  });

  it('stops `serve`, a command and `doctor` with the same line', async () => {
    const both = { MONGODB_URL: 'mongodb://127.0.0.1:1/db', REDIS_URL: 'redis://127.0.0.1:1' };
    for (const [variable, url] of [
      ['MONGODB_URL', mongodb[14]?.[0] ?? ''],
      ['MONGODB_URL', driver[0]?.[0] ?? ''],
      ['REDIS_URL', redis[8]?.[0] ?? ''],
    ] as const) {
      const settings = { ...both, [variable]: url, PORT: '0', OPERATIONS_PORT: '0' };
      const expected = await messageOf(() => runHere(settings, 'keys', 'list'));
      const served = await run(settings, ['serve']);
      expect({ code: served.code, stderr: served.stderr }).to.deep.equal({
        code: 2,
        stderr: `${expected}\n`,
      });
      const listed = await run(settings, ['keys', 'list']);
      expect({ code: listed.code, stderr: listed.stderr }).to.deep.equal({
        code: 2,
        stderr: `${expected}\n`,
      });
      const { stdout } = await run(settings, ['doctor', '--json']);
      const found: readonly { readonly found: string }[] = JSON.parse(stdout);
      expect(found.map((line) => line.found)).to.include(expected);
    }
  });
});

describe('a URL of a store', () => {
  for (const [variable, url] of [
    ['mongodbUrl', 'mongodb://h/db?appName=me%40home'],
    ['mongodbUrl', 'mongodb://u:p%40%23%2F@a:1,[::1]:2/db?replicaSet=rs0&tls=true'],
    ['mongodbUrl', 'mongodb+srv://u:p@cluster.example.com/db'],
    ['mongodbUrl', 'mongodb://%2Ftmp%2Fmongodb.sock/db'],
    ['redisUrl', 'redis+sentinel://h/main?sentinel_password=a@b'],
    ['redisUrl', 'redis://u:a:b@h'],
  ] as const)
    it(`may be ${url}`, () => {
      expect(() => requireUsableUrls({ [variable]: url })).to.not.throw();
    });
});
