import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { MongoServerError } from 'mongodb';
import { withUsableUrls } from '../../adapters/stores/load-stores.ts';
import { openMongo } from '../../adapters/stores/mongodb/connection.ts';
import { describeMongoFailure, explainMongoFailure } from '../../adapters/stores/mongodb/errors.ts';
import { explainRedisFailure } from '../../adapters/stores/redis/errors.ts';
import { probeRedis } from '../../adapters/stores/redis/probe.ts';
import { explainFailure } from '../../src/runtime/store-error.ts';
import { useCleanup } from '../support/cleanup.ts';
import { run } from '../support/cli/run.ts';
import { startMongoProcess } from '../support/mongo-server.ts';
import { rejectionOf, until } from '../support/wait.ts';

type Line = readonly [error: unknown, line: RegExp];

const coded = (code: string, members: object = {}): Error =>
  Object.assign(new Error(`${code} of Node`), { code, ...members });
const refused = coded('ECONNREFUSED', { address: '127.0.0.1', port: 1 });
const mongo = (code: number, message: string) => new MongoServerError({ code, message });
const mayNot = (command: string) => mongo(13, `not authorized on db to execute command ${command}`);
const reply = 'look at its log and its load, or correct host, port and TLS in URL';

const network: readonly Line[] = [
  [refused, /^connection refused \(127\.0\.0\.1:1\) → start it, or correct URL$/],
  [new Error('of a driver', { cause: refused }), /^connection refused \(127\.0\.0\.1:1\) → /],
  [new AggregateError([refused], ''), /^connection refused \(127\.0\.0\.1:1\) → /],
  [coded('ENOTFOUND', { hostname: 'h' }), /^unknown host \(h\) → correct the host in URL$/],
  [coded('EAI_AGAIN'), /^the name server does not answer → bring /],
  [coded('ETIMEDOUT'), new RegExp(`^no reply → ${reply}$`)],
  [new Error('connection 2 to 127.0.0.1:27017 timed out'), /^no reply → /],
  [new Error('pool cleared: "connection 2 to [::1]:27017 closed"'), /^connection lost → /],
  [coded('CERT_HAS_EXPIRED'), /^its certificate has expired → /],
  [coded('DEPTH_ZERO_SELF_SIGNED_CERT'), /^its certificate is not trusted → .*NODE_EXTRA_CA_CERTS/],
  [
    coded('ERR_TLS_CERT_ALTNAME_INVALID'),
    /^its certificate is for another host → correct the host/,
  ],
  [coded('EPROTO'), /^it does not speak TLS → correct the port in URL, or leave TLS out of it$/],
  [new Error('odd\n  text'), /^odd text → look at its log, or correct URL$/],
];

const mongodb: readonly Line[] = [
  [mongo(18, 'Authentication failed.'), /^user or password refused → .* authSource in MONGODB_URL/],
  [mongo(13, 'command find requires authentication'), /^it requires a user → write the user/],
  [mayNot('{ insert: "api_keys", hush: 1 }'), /^its user needs insert on db\.api_keys → grant it/],
  [mayNot('{ update: "usage", hush: 1 }'), /^its user needs insert and update on db\.usage → /],
  [mayNot('{ createIndexes: "artists" }'), /^its user needs createIndex on db\.artists → /],
  [mayNot('(action: remove)'), /^its user needs remove on db → /],
  [mongo(10_107, 'not primary'), /^the server is not the primary of its set → name all members/],
  [mongo(50, 'operation exceeded time limit'), /^too slow: .* → look at its load; "artist-gateway/],
  [mongo(9, 'odd'), /^odd → look at its log, or correct MONGODB_URL$/],
];

const redis: readonly Line[] = [
  ['WRONGPASS invalid username-password pair', /^user or password refused → correct the user and/],
  ["NOPERM User x has no permissions to run 'evalsha'", /^NOPERM .* → grant its user the rights/],
  ["READONLY You can't write against a read only replica.", / → name the primary in REDIS_URL/],
  ['NOREPLICAS Not enough good replicas to write.', / → start its replicas, or lower/],
  ['ERR max number of clients reached', /^its maximum number .* → raise its maxclients/],
  ['LOADING Redis is loading the dataset', /^connected, but not ready yet → wait if it is loading/],
  [
    "ERR unknown command 'evalsha', with args beginning with: 'hush'",
    /'evalsha' → undo its rename/,
  ],
  ['QUOTALATE the deadline is not ahead', /^the command reached it after .* → look at its load/],
  ['All sentinels are unreachable. Retrying', / → correct the Sentinels and the name/],
  ['Unknown RESP type 72 "H". Please report this.', /^it speaks HTTP → correct the port/],
  ['Command timed out', /^no reply → look at its log/],
  ["Stream isn't writeable", /^not connected → start it, or correct REDIS_URL$/],
  ['odd', /^odd → look at its log, or correct REDIS_URL$/],
].map(([said, line]) => [new Error(String(said)), line as RegExp]);

describe('a failure of a store', () => {
  for (const [store, lines, explain] of [
    ['any store', network, (error: unknown) => explainFailure(error, 'URL')],
    ['MongoDB', mongodb, explainMongoFailure],
    ['Redis', redis, explainRedisFailure],
  ] as const)
    for (const [error, line] of lines)
      it(`has a cause and a remedy for ${store}: ${String(error).slice(0, 60)}`, () => {
        const { reason, remedy } = explain(error);
        expect(`${reason} → ${remedy}`).to.match(line).and.not.include('hush');
      });

  it('is not attributed to MongoDB if neither the driver nor the network failed', () => {
    expect(describeMongoFailure(coded('EACCES', { path: '/backup' }))).to.equal(undefined);
  });
});

describe('a MongoDB without a primary', () => {
  const cleanup = useCleanup(after);

  it('is reported with replicaSet as the setting to correct', async () => {
    const server = await cleanup.start(startMongoProcess());
    const url = `mongodb://127.0.0.1:${server.port}/db?replicaSet=rs0`;
    const { connect, failure } = cleanup.add(openMongo(url), ({ close }) => close());
    connect();
    await until('its server is known', () => failure() !== undefined);
    expect(describeMongoFailure(failure())).to.match(
      /^MongoDB cannot be reached \(no primary of the replica set .*\): correct replicaSet in MONGODB_URL/,
    );
  });
});

describe('a Redis that does not become ready', () => {
  const cleanup = useCleanup(afterEach);

  const startServer = async (serve: (socket: Socket) => void): Promise<string> => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket.on('error', () => {}));
      serve(socket);
    }).listen(0, '127.0.0.1');
    cleanup.add(server, async (open) => {
      open.close();
      for (const socket of sockets) socket.destroy();
    });
    await once(server, 'listening');
    return `redis://127.0.0.1:${Object(server.address()).port}`;
  };
  const loading = '$31\r\nloading:1\r\nloading_eta_seconds:9\r\n';

  for (const [what, serve, line] of [
    [
      'ends connections',
      (socket: Socket) => socket.end(),
      /ended the connection before it was ready/,
    ],
    [
      'loads its data',
      (socket: Socket) =>
        socket.on('data', (data) => {
          for (const name of String(data).match(/info|client/gi) ?? [])
            socket.write(/info/i.test(name) ? loading : '+OK\r\n');
        }),
      /connected, but not ready yet/,
    ],
    ['speaks HTTP', (socket: Socket) => socket.end('HTTP/1.1 400 Bad\r\n\r\n'), /it speaks HTTP/],
  ] as const)
    it(`is reported with the reason: ${what}`, async () => {
      const url = await startServer(serve);
      expect(await rejectionOf(probeRedis(url))).to.match(line);
    });
});

const quotes = /quotes around it: remove them/;
const unseen = /blank or an unseen character/;
const reserved = /reserved character in its user, password or an option must be encoded/;
const host = /one of its hosts is not HOST or HOST:PORT/;
const noDatabase = /no database in its path: write \/NAME behind its hosts/;
const databaseName = /the name of its database/;
const scheme = /it must begin with \w+:\/\/ or /;
const noHost = /it names no host/;

/** Invalid URLs and their causes. The password of each contains "hush". */
const wrongUrls: readonly (readonly [url: string, cause: RegExp])[] = [
  ['"mongodb://u:hush@h/db"', quotes],
  ['“mongodb://u:hush@h/db”', quotes],
  ['mongodb://u:hush@h/db\n', /it has a line end: remove it/],
  [' mongodb://u:hush@h/db', unseen],
  ['\ufeffmongodb://u:hush@h/db', unseen],
  ['mongodb://u:hu sh@h/db', unseen],
  ['http://u:hush@db', scheme],
  ...'hush#1 hush@1 12/hush hush?1 hush%1 hush:1 hush[1 hush%FF'
    .split(' ')
    .map((password) => [`mongodb://u:${password}@h/db`, reserved] as const),
  ['mongodb://m@il:hush@h/db', reserved],
  ['mongodb://h/db?appName=me@home', reserved],
  ['mongodb://u:hush@h/db#x', reserved],
  ['mongodb://u:hush@h', noDatabase],
  ['mongodb://u:hush@h/?replicaSet=rs0', noDatabase],
  ['mongodb://u:hush@/db', noHost],
  ...['h:port', 'h:70000', 'a,,b'].map((hosts) => [`mongodb://u:hush@${hosts}/db`, host] as const),
  ['mongodb://u:hush@h/a/b', databaseName],
  ['mongodb://u:hush@h/my.db', databaseName],
  ['mongodb://u:hush@h/db&tls=true', /its options must begin with "\?"/],
  ['mongodb://u:hush@h/db?w=0', /with w=0 no write is confirmed/],
  ['mongodb://u:hush@h/db?tls=true&timeoutMS=9', /it has an option that changes how/],
  // in the driver's words, without values
  ['mongodb://u:hush@h/db?foo=1', /option foo is not supported/],
  ['mongodb://u:hush@h/db?replicaSet', /"replicaSet" cannot be specified with no value/],
  ['mongodb://u:hush@h/db?authMechanism=hush', /authMechanism one of .*, got …/],
  ['mongodb://u:hush@a,b/db?directConnection=true', /directConnection option requires/],
  ['mongodb+srv://u:hush@a.b.c:27017/db', /mongodb\+srv URI cannot have port number/],
  ['mongodb://h/db?tls=true&tlsCAFile=/nowhere/ca.pem', /its tlsCAFile: ENOENT: .*ca\.pem/],
  ['"redis://u:hush@h"', quotes],
  ['redis://u:hush@h\n', /it has a line end/],
  ['redis-sentinel://a/main', scheme],
  ['redis://u:hush@1@h', reserved],
  ['redis://u:hush/1@h', reserved],
  ['redis://:hush@a,redis://:hush@b', reserved],
  ['redis://hush@h', /it has a user without a password: add it, or set REDIS_PASSWORD/],
  ['redis://', noHost],
  ...['h:port', 'h:0', '::1', 'a,,b'].map((hosts) => [`redis://${hosts}`, host] as const),
  ...['one', '0/1'].map((path) => [`redis://h/${path}`, /the number of a database/] as const),
  ['redis://h?tls=true', /it takes no options/],
  ['redis://a,b/1', /a Cluster, which is several hosts, has no numbered database/],
  ...['', '/', '/main/x', '/main/1/2'].map(
    (path) => [`redis+sentinel://a${path}`, /its path must be the name of the primary/] as const,
  ),
  ...['password=hush', 'sentinel_password=', 'sentinel_username=hush'].map(
    (query) => [`redis+sentinel://a/main?${query}`, /its options must be sentinel_pass/] as const,
  ),
];

const tryUrl = (variable: string, url: string): void => {
  withUsableUrls({ [variable === 'REDIS_URL' ? 'redisUrl' : 'mongodbUrl']: url });
  if (variable === 'MONGODB_URL') void openMongo(url).close();
};

describe('the URL of a store', () => {
  for (const [url, cause] of wrongUrls) {
    const variable = url.includes('redis') ? 'REDIS_URL' : 'MONGODB_URL';
    it(`is rejected with its cause, without its password: ${JSON.stringify(url)}`, () => {
      expect(() => tryUrl(variable, url))
        .to.throw(new RegExp(`^${variable} is not usable: .*${cause.source}`))
        .with.property('message')
        .that.does.not.match(/hush|\n/);
    });
  }

  for (const url of [
    'mongodb://h/db?appName=me%40home',
    'mongodb://u:p%40%23%2F@a:1,[::1]:2/db?replicaSet=rs0&tls=true',
    'mongodb+srv://u:p@cluster.example.com/db',
    'mongodb://%2Ftmp%2Fmongodb.sock/db',
  ])
    it(`accepts ${url}`, () => expect(() => tryUrl('MONGODB_URL', url)).to.not.throw());

  it('stops `serve`, a command and `doctor` with the same line', async () => {
    const settings = {
      ...{ MONGODB_URL: 'mongodb://h/db?foo=1', REDIS_URL: 'redis://127.0.0.1:1' },
      ...{ PORT: '0', OPERATIONS_PORT: '0' },
    };
    const { stderr } = await run(settings, ['serve']);
    expect(stderr).to.match(/^MONGODB_URL is not usable: option foo/);
    expect(await run(settings, ['keys', 'list'])).to.include({ code: 2, stderr });
    const { stdout } = await run(settings, ['doctor', '--json']);
    const findings: readonly { readonly found: string }[] = JSON.parse(stdout);
    expect(findings.map(({ found }) => `${found}\n`)).to.include(stderr);
  });
});
