import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { readConfig, readStoreSettings } from '../../src/runtime/config.ts';
import { useCleanup } from '../support/cleanup.ts';

const urls = { MONGODB_URL: 'mongodb://db.example/artists', REDIS_URL: 'redis://cache.example' };

/** A variable, its setting, the default, a valid text, and what it is read as. */
const given: readonly (readonly [
  name: string,
  member: string,
  fallback: unknown,
  text: string,
  value: unknown,
])[] = [
  ['HOST', 'host', '127.0.0.1', '0.0.0.0', '0.0.0.0'],
  ['PORT', 'port', 3000, '0', 0],
  ['OPERATIONS_HOST', 'operationsHost', '127.0.0.1', '::1', '::1'],
  ['OPERATIONS_PORT', 'operationsPort', 9090, '65535', 65_535],
  [
    'PUBLIC_URL',
    'publicUrl',
    undefined,
    'http://127.0.0.1:8080/music//',
    'http://127.0.0.1:8080/music',
  ],
  ['SUPPORT_CONTACT', 'supportContact', undefined, 'api@partners.test', 'api@partners.test'],
  [
    'SANDBOX_URL',
    'sandboxUrl',
    undefined,
    'https://sandbox.partners.test/',
    'https://sandbox.partners.test',
  ],
  ['UNKNOWN_KEY_FORM', 'unknownKeyForm', 'current', 'variant', 'variant'],
  ['MONGODB_URL', 'mongodbUrl', undefined, urls.MONGODB_URL, urls.MONGODB_URL],
  ['REDIS_URL', 'redisUrl', undefined, urls.REDIS_URL, urls.REDIS_URL],
  ['CATALOGUE_DIR', 'catalogueFolder', undefined, '/data', '/data'],
  ['KEYS_DIR', 'keysFolder', undefined, '/keys', '/keys'],
  ['STATE_DIR', 'stateFolder', undefined, '/state', '/state'],
  ['CATALOGUE_REFRESH_SECONDS', 'catalogueRefreshMs', 15_000, '0.01', 10],
  ['KEYS_REFRESH_SECONDS', 'keysRefreshMs', 4_000, '1.5', 1500],
  ['MAX_STALENESS_SECONDS', 'maxStalenessMs', 900_000, '60', 60_000],
  ['KEYS_MAX_STALENESS_SECONDS', 'keysMaxStalenessMs', 300_000, '30', 30_000],
  ['SPIKE_FLOOR', 'spikeFloor', 1000, '0', 0],
  ['SPIKE_THRESHOLD_PERCENT', 'spikeThresholdPercent', 20, '12.5', 12.5],
  ['STORE_TIMEOUT_MS', 'storeTimeoutMs', 250, '10', 10],
  ['BODY_CACHE_MB', 'bodyCacheMb', 96, '1', 1],
  [
    'FIXED_NOW',
    'fixedNow',
    undefined,
    '2026-08-22T14:00:00+02:00',
    Date.parse('2026-08-22T12:00:00Z'),
  ],
  ['LOG_LEVEL', 'logLevel', 'info', 'silent', 'silent'],
  ['KEEP_ALIVE_SECONDS', 'keepAliveMs', 65_000, '1.005', 1_005],
  ['SHUTDOWN_GRACE_SECONDS', 'shutdownGraceMs', 10_000, '999999', 999_999_000],
  ['USAGE_FLUSH_SECONDS', 'usageFlushMs', 15_000, '0.2', 200],
];

const seconds = given.map(([name]) => name).filter((name) => name.endsWith('_SECONDS'));

/** Addresses with an invalid port or host. */
const brokenAddresses = [
  'https://partners.test:99999',
  'https://partners.test:0',
  'https://[::1',
  'https://partners..test',
  `https://${'a'.repeat(64)}.test`,
];

/**
 * A variable, what its message says is allowed, and values that are not; those with a password are
 * not repeated.
 */
const refused: readonly (readonly [string, string, readonly string[]])[] = [
  [
    'PORT',
    'a whole number from 0 to 65535',
    ['-1', '65536', '80.5', 'http', ' 80', '0x50', '1e3', '9'.repeat(40)],
  ],
  ['BODY_CACHE_MB', 'a whole number from 1 to 65536', ['0', '65537', '1.5', '-1', '96 MB']],
  ['STORE_TIMEOUT_MS', 'a whole number from 10 to 10000', ['9', '10001', '0', 'soon']],
  [
    'FIXED_NOW',
    'an ISO 8601 instant',
    ['today', '2026-08-22', '2026-08-22T12:00:00', '2026-02-30T12:00:00Z', '0'],
  ],
  [
    'PUBLIC_URL',
    'an http:// or https:// address without a query, like https://api.example.com',
    [
      'api.partners.test',
      'ftp://partners.test',
      'https://',
      'https://partners.test?key=1',
      'https://partners.test#docs',
      'https://u:hush@partners.test/a',
      ...['$(id)', '`', '"', "'", ';', '&', '|', '\\', '!', '*', '\u202e'].flatMap((part) => [
        `https://partners.test${part}`,
        `https://partners.test/a${part}`,
      ]),
      ...brokenAddresses,
    ],
  ],
  ['SANDBOX_URL', 'an http:// or https:// address', brokenAddresses],
  [
    'SUPPORT_CONTACT',
    'an e-mail address or an http:// or https:// address',
    [
      ...[
        'support',
        '@partners.test',
        'api@',
        'a b@partners.test',
        'ftp://partners.test',
        '<api@partners.test>',
      ],
      ...['https://u:hush@partners.test/help', 'u:hush@partners.test'],
      ...brokenAddresses,
    ],
  ],
  ['STATE_DIR', 'a folder', ['file:///var/lib/gateway', 'mongodb://db/artists']],
  ...['CATALOGUE_DIR', 'KEYS_DIR', 'STATE_DIR'].map(
    (name) =>
      [
        name,
        'a folder',
        ['mongodb://u:hush@db/a', 'u:hush@db', 'mongodb+srv://u:h@hush@db'],
      ] as const,
  ),
  ['HOST', 'a host name', ['mongodb://u:hush@db/a', 'u:hush@db']],
  ['LOG_LEVEL', 'trace, debug, info, warn, error, fatal, silent', ['INFO', 'loud', '30']],
  ...seconds.map(
    (name) =>
      [
        name,
        'a number of seconds from 0.01 to 999999',
        ['0', '-1', '0.001', '15s', '1e3', 'NaN', '999999.001', '9999999'],
      ] as const,
  ),
  ...['SPIKE_FLOOR', 'SPIKE_THRESHOLD_PERCENT'].map(
    (name) =>
      [name, 'a number, 0 or more', ['-1', '20%', 'NaN', 'Infinity', '1e3', '.5', ',5']] as const,
  ),
];

const messageOf = (variables: NodeJS.ProcessEnv): string => {
  try {
    return `accepted as ${JSON.stringify(readConfig(variables))}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

describe('configuration', () => {
  it('has these defaults', () => {
    const defaults = Object.fromEntries(given.map(([, member, fallback]) => [member, fallback]));
    expect(readConfig({})).to.deep.include({
      ...defaults,
      bodyCacheBytes: 96 * 1024 * 1024,
    });
  });

  it('reads every variable', () => {
    const variables = Object.fromEntries(given.map(([name, , , text]) => [name, text]));
    const expected = Object.fromEntries(given.map(([, member, , , value]) => [member, value]));
    const config = readConfig(variables);
    expect(config).to.deep.include({ ...expected, bodyCacheBytes: 1_048_576 });
    expect(config.spikes).to.deep.equal({ floor: 0, thresholdPercent: 12.5 });
  });

  for (const [name, meant] of [
    ['MONGODB_URI', 'MONGODB_URL'],
    ['MONGO_URL', 'MONGODB_URL'],
    ['mongodb_url', 'MONGODB_URL'],
    ['REDIS_ULR', 'REDIS_URL'],
    ['CATALOG_DIR', 'CATALOGUE_DIR'],
    ['SPIKE_FLOOD', 'SPIKE_FLOOR'],
  ] as const)
    it(`rejects ${name} and names ${meant}`, () =>
      expect(messageOf({ [name]: 'x' })).to.equal(
        `${name} is set, but the setting is ${meant}: rename or remove it.`,
      ));

  it('ignores unknown names, even if they resemble a configured setting', () => {
    const others = { REDIS_HOST: 'x', NODE_OPTIONS: 'x', HOSTNAME: 'x', PROT: '80', HOSTS: 'x' };
    const given = { ...urls, ...others, MONGODB_URI: 'x', REDIS_URI: 'x' };
    expect(readConfig(given)).to.deep.equal(readConfig(urls));
  });

  it('rejects a NODE_ENV that resembles production', () => {
    const misspelt = ['prod', 'PROD', 'Production', 'producton', 'prd', 'live'];
    const quoted = ['"production"', "'prod'", ' production', '" live"'];
    for (const mode of [...misspelt, ...quoted])
      expect(messageOf({ ...urls, NODE_ENV: mode })).to.equal(
        `NODE_ENV is ${JSON.stringify(mode)}: write NODE_ENV=production, or leave it out for the sandbox.`,
      );
    for (const mode of ['test', 'development', 'staging', '"test"'])
      expect(readConfig({ NODE_ENV: mode }).port).to.equal(3000);
  });

  it('explains why a gateway is a sandbox', () => {
    const sandbox = (variables: NodeJS.ProcessEnv) => readConfig(variables).sandbox;
    const files = 'serves the example catalogue (set MONGODB_URL)';
    const quotas = 'counts quotas in this process (set REDIS_URL)';
    expect(sandbox({})).to.equal(`Sandbox, not for production: it ${files} and ${quotas}.`);
    expect(sandbox({ REDIS_URL: urls.REDIS_URL, CATALOGUE_DIR: '/data' })).to.equal(
      'Sandbox, not for production: it serves the files in /data (set MONGODB_URL).',
    );
    expect(sandbox({ MONGODB_URL: urls.MONGODB_URL })).to.equal(
      `Sandbox, not for production: it ${quotas}.`,
    );
    expect(sandbox(urls)).to.equal(undefined);
  });

  it('reads a PUBLIC_URL as programs send it', () => {
    for (const [given, read] of [
      ['https://müsik.example/künstler//', 'https://xn--msik-0ra.example/k%C3%BCnstler'],
      ['http://10.0.0.5:3000/', 'http://10.0.0.5:3000'],
    ])
      expect(readConfig({ PUBLIC_URL: given }).publicUrl).to.equal(read);
  });

  it('accepts a URL as SUPPORT_CONTACT', () => {
    const supportContact = 'https://partners.test/help?for=api';
    expect(readConfig({ SUPPORT_CONTACT: supportContact })).to.include({ supportContact });
  });

  it('treats an empty variable as not set', () => {
    expect(readConfig(Object.fromEntries(given.map(([name]) => [name, ''])))).to.deep.equal(
      readConfig({}),
    );
  });

  for (const [name, allowed, values] of refused) {
    it(`rejects an invalid ${name} with what is allowed, and without its password`, () => {
      for (const value of values) {
        const message = messageOf({ [name]: value });
        const told = value.includes('hush') ? 'not usable' : JSON.stringify(value);
        expect(message.startsWith(`${name} is ${told}: it must be `), message).to.equal(true);
        expect(message)
          .to.include(allowed)
          .and.to.not.match(/\n|hush/);
      }
    });
  }

  const tooOld = 'the interval must be at most half of it, or healthy copies go stale.';
  for (const [variables, message] of [
    [
      { CATALOGUE_REFRESH_SECONDS: '1800' },
      `CATALOGUE_REFRESH_SECONDS is 1800 and MAX_STALENESS_SECONDS is 900: ${tooOld}`,
    ],
    [
      { KEYS_REFRESH_SECONDS: '150.001' },
      `KEYS_REFRESH_SECONDS is 150.001 and KEYS_MAX_STALENESS_SECONDS is 300: ${tooOld}`,
    ],
    [
      { PORT: '9090', HOST: '0.0.0.0' },
      'PORT and OPERATIONS_PORT are both 9090: use two different ports.',
    ],
  ] as const)
    it(`rejects ${JSON.stringify(variables)} and names both variables`, () =>
      expect(messageOf(variables)).to.equal(message));

  it('accepts an interval of half of its staleness, and port 0 twice', () => {
    const half = { CATALOGUE_REFRESH_SECONDS: '450', KEYS_REFRESH_SECONDS: '150' };
    expect(readConfig({ ...half, PORT: '0', OPERATIONS_PORT: '0' })).to.include({
      catalogueRefreshMs: 450_000,
    });
  });

  it('lists the settings that change responses', () => {
    const settings = { SPIKE_FLOOR: '7', UNKNOWN_KEY_FORM: 'variant' };
    expect(readConfig(settings).responseSettings).to.include(settings);
  });

  for (const [problem, variables, name] of [
    ['without a database', { REDIS_URL: urls.REDIS_URL }, 'MONGODB_URL'],
    ['without Redis', { MONGODB_URL: urls.MONGODB_URL }, 'REDIS_URL'],
    ['with a fixed clock', { ...urls, FIXED_NOW: '2026-08-22T12:00:00Z' }, 'FIXED_NOW'],
  ] as const) {
    it(`rejects production ${problem}, and names ${name}`, () => {
      expect(messageOf({ NODE_ENV: 'production', ...variables })).to.match(new RegExp(`^${name} `));
      expect(readConfig(variables)).to.have.property('port', 3000);
    });
  }

  describe('REDIS_USERNAME and REDIS_PASSWORD', () => {
    const odd = 'p@ss/w:rd#%"';
    const encoded = 'p%40ss%2Fw%3Ard%23%25%22';
    for (const [REDIS_URL, given, expected] of [
      ['redis://h', { REDIS_PASSWORD: odd }, `redis://:${encoded}@h`],
      ['redis://h/3', { REDIS_USERNAME: 'u', REDIS_PASSWORD: odd }, `redis://u:${encoded}@h/3`],
      ['redis://u@h', { REDIS_PASSWORD: odd }, `redis://u:${encoded}@h`],
      ['redis://:own@h', { REDIS_USERNAME: 'u', REDIS_PASSWORD: odd }, 'redis://u:own@h'],
      ['rediss://a,b', { REDIS_USERNAME: 'u', REDIS_PASSWORD: 'p' }, 'rediss://u:p@a,b'],
      [
        'redis+sentinel://a/main?sentinel_password=x@y',
        { REDIS_PASSWORD: 'p' },
        'redis+sentinel://:p@a/main?sentinel_password=x@y',
      ],
      ['redis://u:p#w@h', { REDIS_PASSWORD: 'p' }, 'redis://u:p#w@h'], // its store says why
    ] as const)
      it(`complete ${REDIS_URL}`, () => {
        const config = readConfig({ REDIS_URL, ...given });
        expect(config.redisUrl).to.equal(expected);
        expect(config).to.not.have.any.keys('redisUsername', 'redisPassword');
        expect(readStoreSettings({ REDIS_URL, ...given }).redisUrl).to.equal(expected);
      });
  });

  describe('a variable that names a file', () => {
    const cleanup = useCleanup(after);
    const write = async (content: string | Buffer): Promise<string> => {
      const file = join(await cleanup.makeFolder('secret'), 'secret');
      await writeFile(file, content);
      return file;
    };
    const url = 'mongodb://u:hush@db.example/artists';

    it('holds the value of MONGODB_URL, REDIS_URL and REDIS_PASSWORD, without one line end', async () => {
      for (const end of ['', '\n', '\r\n']) {
        const config = readConfig({
          MONGODB_URL_FILE: await write(`${url}${end}`),
          REDIS_URL_FILE: await write(`redis://u@h${end}`),
          REDIS_PASSWORD_FILE: await write(` p w ${end}`),
        });
        expect(config.mongodbUrl).to.equal(url);
        expect(config.redisUrl).to.equal('redis://u:%20p%20w%20@h');
      }
    });

    it('is read for production too, and for commands', async () => {
      const files = {
        MONGODB_URL_FILE: await write(url),
        REDIS_URL_FILE: await write('redis://h'),
      };
      expect(readConfig({ NODE_ENV: 'production', ...files }).sandbox).to.equal(undefined);
      expect(readStoreSettings(files)).to.include({ mongodbUrl: url, redisUrl: 'redis://h' });
    });

    it('is rejected if the variable is set too', async () => {
      for (const name of ['MONGODB_URL', 'REDIS_URL', 'REDIS_PASSWORD'])
        expect(messageOf({ [name]: 'hush', [`${name}_FILE`]: await write('hush') })).to.equal(
          `${name} and ${name}_FILE are both set: leave one of them out.`,
        );
    });

    it('is rejected with its path and the reason, without its content', async () => {
      const folder = await cleanup.makeFolder('secrets');
      const locked = await write('hush');
      await chmod(locked, 0);
      const isRoot = process.getuid?.() === 0;
      const files: readonly (readonly [file: string, reason: string])[] = [
        [join(folder, 'gone'), 'does not exist'],
        [folder, 'is not a regular file'],
        ['/dev/zero', 'is not a regular file'],
        [await write(''), 'is empty'],
        [await write('\n'), 'is empty'],
        [await write('hush\nhush\n'), 'has more than one line'],
        [await write('hush\n\n'), 'has more than one line'],
        [await write('\ufeffhush'), 'is not UTF-8 without a byte order mark'],
        [await write(Buffer.from([0x68, 0xff])), 'is not UTF-8 without a byte order mark'],
        [await write('hush'.repeat(20_000)), 'has more than 64 KB'],
        ...(isRoot ? [] : [[locked, 'may not be read by this user'] as const]),
      ];
      for (const [file, reason] of files)
        expect(messageOf({ MONGODB_URL_FILE: file })).to.equal(
          `MONGODB_URL_FILE is ${JSON.stringify(file)}: the file ${reason}.`,
        );
      expect(messageOf({ REDIS_URL_FILE: 'redis://u:hush@h' })).to.equal(
        'REDIS_URL_FILE is not usable: it must be the path of a file.',
      );
    });

    it('is known where its name is misspelt', () => {
      expect(messageOf({ MONGODB_URL_FIEL: 'x' })).to.equal(
        'MONGODB_URL_FIEL is set, but the setting is MONGODB_URL_FILE: rename or remove it.',
      );
    });
  });
});
