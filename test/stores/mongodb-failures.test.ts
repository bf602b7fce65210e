import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { formNames } from '../../adapters/forms/forms.ts';
import { openMongo } from '../../adapters/stores/mongodb/connection.ts';
import { mongodb } from '../../adapters/stores/mongodb/database.ts';
import { describeMongoFailure } from '../../adapters/stores/mongodb/errors.ts';
import { openLog } from '../../adapters/telemetry/log.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { createFollower } from '../../src/runtime/follower.ts';
import { useCleanup } from '../support/cleanup.ts';
import { examine } from '../support/cli/examine.ts';
import { type Reply, startScriptedMongo } from '../support/stores/scripted-mongo.ts';

type Server = Readonly<{ self?: object; reply?: (name: string) => Reply }>;

const refusal = (code: number, codeName: string, errmsg: string) => () => ({
  ...{ ok: 0, code, codeName, errmsg },
});

/** Why MongoDB does not answer, how the URL ends, and what log and `doctor` say of it. */
interface Cause {
  readonly server?: Server;
  /** `undefined`: that of the server. */
  readonly host?: string;
  readonly credentials?: string;
  readonly options?: string;
  readonly reason: RegExp;
  readonly remedy: RegExp;
}

const secondary = { setName: 'rs0', isWritablePrimary: false, secondary: true, hosts: [] };
const unauthorized =
  'not authorized on gateway to execute command { find: "artists", filter: { hush: 1 }, $db: "gateway" }';

const causes: Readonly<Record<string, Cause>> = {
  'a refused connection': {
    host: '127.0.0.1:1',
    reason: /^connection refused \(127\.0\.0\.1:1\)$/,
    remedy: /^start it, or correct MONGODB_URL$/,
  },
  'an unknown host': {
    host: 'nowhere.invalid',
    reason: /^(unknown host|the name server does not answer) \(nowhere\.invalid\)$/,
    remedy: /^(correct the host in MONGODB_URL|bring this machine's name server back)$/,
  },
  'TLS to a server without it': {
    server: {},
    options: '?tls=true',
    reason: /^it ended the connection before TLS began$/,
    remedy: /^correct the port in MONGODB_URL, or leave TLS out of it$/,
  },
  'a certificate file that is missing': {
    server: {},
    options: '?tls=true&tlsCAFile=/nowhere/ca.pem',
    reason: /^the certificate file \/nowhere\/ca\.pem does not exist$/,
    remedy: /^correct tlsCAFile in MONGODB_URL$/,
  },
  'a wrong user or password': {
    server: { reply: refusal(18, 'AuthenticationFailed', 'Authentication failed.') },
    credentials: 'u:hush@',
    reason: /^user or password refused$/,
    remedy: /^correct the user and the password .+ looked for the user in the database "gateway"$/,
  },
  'a wrong authSource': {
    server: { reply: refusal(18, 'AuthenticationFailed', 'Authentication failed.') },
    credentials: 'u:hush@',
    options: '?authSource=admin',
    reason: /^user or password refused$/,
    remedy: /, or its authSource: MongoDB looked for the user in the database "admin"$/,
  },
  'no user where one is needed': {
    server: { reply: refusal(13, 'Unauthorized', 'command find requires authentication') },
    reason: /it serves only users that it knows/,
    remedy: /^write the user and the password into MONGODB_URL$/,
  },
  'another replica set': {
    server: { self: { setName: 'other', hosts: ['127.0.0.1:1'] } },
    options: '?replicaSet=rs0',
    reason: /^none of its servers is of the replica set "rs0"$/,
    remedy: /^correct replicaSet in MONGODB_URL .+, or leave it out for a single server$/,
  },
  'a single server where a set is named': {
    server: {},
    options: '?replicaSet=rs0',
    reason: /^none of its servers is of the replica set "rs0"$/,
    remedy: /, or leave it out for a single server$/,
  },
  'a set without a primary': {
    server: { self: secondary },
    options: '?replicaSet=rs0',
    reason: /^its replica set has no primary$/,
    remedy: /^start its other members: a majority of them elects one$/,
  },
  'a server that is not the primary': {
    server: { self: secondary, reply: refusal(10_107, 'NotWritablePrimary', 'not primary') },
    options: '?directConnection=true',
    reason: /the server is not the primary of its set/,
    remedy: /^name all members and replicaSet in MONGODB_URL, without directConnection/,
  },
  'a missing right': {
    server: { reply: refusal(13, 'Unauthorized', unauthorized) },
    reason: /its user needs find on gateway\.artists/,
    remedy: /^grant it: docs\/operating\.md, "MongoDB"/,
  },
  'a read that takes too long': {
    server: { reply: refusal(50, 'MaxTimeMSExpired', 'operation exceeded time limit') },
    reason: /too slow: it gave up a read that took too long/,
    remedy: /^look at its load; "artist-gateway catalogue indexes" creates missing indexes$/,
  },
};

const emptyCursor = { cursor: { id: 0n, ns: 'gateway.artists', firstBatch: [] } };

describe('a MongoDB that does not answer', () => {
  const cleanup = useCleanup(after);
  const urls = new Map<string, string>();
  const lines = new Map<string, Readonly<Record<string, string>>[]>();

  /** Follows keys and catalogue of a URL for some seconds, as a gateway does; returns its log. */
  const watch = async (url: string) => {
    const written: string[] = [];
    const stream = new Writable({
      write: (chunk, _encoding, done) => {
        written.push(String(chunk));
        done();
      },
    });
    const log = await openLog('info', stream);
    const clock = systemClock();
    const options = { clock, log, formNames, storeTimeoutMs: 250 };
    const stores = mongodb.openStores(url, options);
    const bounds = { intervalMs: 200, maxStalenessMs: 60_000, clock, log };
    const followers = [
      createFollower({ name: 'keys', load: () => stores.keys.load(), ...bounds }),
      createFollower({ name: 'catalogue', load: () => stores.catalogue.load(), ...bounds }),
    ];
    for (const follower of followers) void follower.start();
    await sleep(8_000); // two attempts of the driver, which take 3 s each
    for (const follower of followers) follower.stop();
    await stores.close();
    await log.flush(1_000);
    return written
      .join('')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  };

  before(async () => {
    for (const [what, { server, host, credentials = '', options = '' }] of Object.entries(causes)) {
      const scripted = await cleanup.start(
        startScriptedMongo({ ...server?.self }, server?.reply ?? (() => emptyCursor)),
      );
      urls.set(
        what,
        `mongodb://${credentials}${host ?? `127.0.0.1:${scripted.port}`}/gateway${options}`,
      );
    }
    await Promise.all(
      [...urls].map(async ([what, url]) => {
        lines.set(what, await watch(url));
      }),
    );
  });

  for (const [what, { reason, remedy }] of Object.entries(causes)) {
    it(`logs one line in 30 s with the reason, what to do and no stack: ${what}`, () => {
      const failures = lines.get(what)?.filter(({ msg }) => msg === 'refresh failed') ?? [];
      const shown = new Map(failures.map((line) => [line['reason'], line]));
      expect(shown.size, JSON.stringify(failures)).to.equal(failures.length);
      // Two collections may each lack a right, and a busy machine meets a timeout first.
      expect(failures.length, JSON.stringify(failures)).to.be.within(1, 2);
      const line = failures.find((each) => reason.test(each['reason']?.slice(9) ?? ''));
      expect(line?.['reason']?.replace('MongoDB: ', '')).to.match(reason);
      expect(line?.['remedy']).to.match(remedy);
      expect(JSON.stringify(lines.get(what))).to.not.match(/"stack"|hush/);
    });

    it(`is told by \`doctor\` in the same words: ${what}`, async () => {
      const found = [...(await examine({ MONGODB_URL: urls.get(what) ?? '' }))];
      const told = found.filter(([check]) => check.startsWith('mongodb'));
      const matching = told.filter(([, text]) => {
        const [said = '', advice = ''] = text.replace(/^fail: /, '').split(' → ');
        return reason.test(said) && remedy.test(advice);
      });
      expect(matching, JSON.stringify(told)).to.have.length(1);
      expect(JSON.stringify(told)).to.not.include('hush');
    });
  }

  it('is not blamed for a file that its URL does not name', async () => {
    const { db, close } = openMongo(
      'mongodb://127.0.0.1:1/gateway?tls=true&tlsCAFile=/nowhere/ca.pem',
      {},
    );
    const reading = (path: string) =>
      describeMongoFailure(
        Object.assign(new Error('x'), { code: 'EACCES', syscall: 'open', path }),
        db,
      );
    expect(reading('/nowhere/backup')).to.equal(undefined);
    expect(reading('/nowhere/ca.pem')).to.equal(
      'MongoDB cannot be reached (the certificate file /nowhere/ca.pem cannot be read (EACCES)): correct tlsCAFile in MONGODB_URL.',
    );
    await close();
  });

  it('has the remedy for a certificate that is not trusted in the file that its URL names', async () => {
    const { db, close } = openMongo(
      'mongodb://127.0.0.1:1/gateway?tls=true&tlsCAFile=/nowhere/ca.pem',
      {},
    );
    const error = Object.assign(new Error('x'), { code: 'SELF_SIGNED_CERT_IN_CHAIN' });
    expect(describeMongoFailure(error, db)).to.equal(
      'MongoDB cannot be reached (its certificate is not trusted): put the certificate of its authority into /nowhere/ca.pem and restart the gateways: they read it once.',
    );
    await close();
  });
});
