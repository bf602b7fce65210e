import type { Socket } from 'node:net';
import { expect } from 'chai';
import { type Db, Long, type MongoClient, MongoServerError } from 'mongodb';
import { createMongoCatalogue } from '../../adapters/stores/mongodb/catalogue.ts';
import { openMongo } from '../../adapters/stores/mongodb/connection.ts';
import { createMongoDocuments } from '../../adapters/stores/mongodb/documents.ts';
import { createMongoIndexes } from '../../adapters/stores/mongodb/indexes.ts';
import { createMongoUsage } from '../../adapters/stores/mongodb/usage.ts';
import type { DayTotal, HourTotal } from '../../src/domain/usage.ts';
import { createUsageReader } from '../../tools/operator/usage.ts';
import { useCleanup } from '../support/cleanup.ts';
import { insertDocuments, readFixtures, type StoredDocument } from '../support/documents.ts';
import { createMemoryLog } from '../support/log.ts';
import { startMongoProcess } from '../support/mongo-server.ts';
import { useMongo } from '../support/stores/mongo-database.ts';
import { dayTotal, hourTotal } from '../support/usage.ts';
import { rejectionOf, until } from '../support/wait.ts';

describe('MongoDB', () => {
  const fixtures = readFixtures();
  const [template = {}] = fixtures.artists;
  const mongo = useMongo();
  const insertArtists = (...artists: StoredDocument[]) =>
    insertDocuments(mongo.db, { artists: artists.map((artist) => ({ ...template, ...artist })) });

  it('limits server time of reads to 1.5 s, of the list to 10 s', async () => {
    await insertDocuments(mongo.db, fixtures);
    await createMongoCatalogue(mongo.db).load();
    const isList = ({ find, projection }: StoredDocument) =>
      find === 'artists' && projection !== undefined;
    const [lists, reads] = [true, false].map((is) => mongo.finds.filter((f) => isList(f) === is));
    expect(lists?.map((find) => find['maxTimeMS'])).to.deep.equal([10_000]);
    expect(reads?.length).to.be.greaterThan(3);
    for (const find of reads ?? [])
      expect(find, JSON.stringify(find)).to.include({ maxTimeMS: 1_500 });
  });

  it('reads 2^53 exactly, and leaves out a larger number', async () => {
    const [spotify_streams, monthly_listeners] = ['9007199254740993', '9007199254740992'].map(
      (text) => Long.fromString(text),
    );
    const metrics = { spotify_streams, monthly_listeners };
    await insertArtists({ _id: 'a', id: 'art_a', metrics });
    const { artists, faults } = await createMongoCatalogue(mongo.db).load();
    expect(artists[0]?.artist.metrics).to.deep.equal({ monthly_listeners: 2 ** 53 });
    const [fault] = faults;
    expect(fault).to.include({ event: 'invalid field ignored', document: 'a (id art_a)' });
    expect(fault?.reason).to.match(/^metrics\.spotify_streams: /);
  });

  it('reads a faulty document again at every load, until it is fixed', async () => {
    const country = { _id: 'bad', id: 'art_bad', country_code: 'Indonesia' };
    await insertArtists({ _id: 'good', id: 'art_good' }, country);
    const source = createMongoCatalogue(mongo.db);
    const contents = await source.load();
    mongo.finds.length = 0;
    expect(await source.load()).to.equal(contents);
    const filters = mongo.finds
      .filter(({ find }) => find === 'artists')
      .map(({ filter }) => filter);
    expect(filters).to.deep.equal([{}, { _id: { $in: ['bad'] } }]);
    await mongo.db
      .collection('artists')
      .updateOne({ id: 'art_bad' }, { $set: { country_code: 'ID' } });
    const { artists, faults } = await source.load();
    expect(artists.map(({ artist }) => artist.countryCode)).to.include('ID');
    expect(faults.map(({ event }) => event)).to.deep.equal([
      'content changed without a newer updated_at',
    ]);
  });

  it('reads from the primary only: a secondary may lag, and undo a revocation', () => {
    expect(mongo.db.client.options.readPreference.mode).to.equal('primary');
  });
});

interface Listed {
  readonly name: string;
  readonly key: Readonly<Record<string, number>>;
  readonly [option: string]: unknown;
}

/** Opens a database whose one collection has these indexes. */
const open = (collection: string, ...indexes: readonly Listed[]) => {
  const created: string[] = [];
  const list = (name: string) => async () => {
    if (name !== collection) throw new MongoServerError({ code: 26, message: 'no namespace' });
    return indexes;
  };
  // Seam: all that the indexes use.
  const db = {
    collection: (name: string) => ({
      listIndexes: () => ({ toArray: list(name) }),
      createIndexes: async (some: readonly Listed[]) =>
        created.push(...some.map((index) => `${name}.${index.name}`)),
    }),
  } as unknown as Db;
  return { ...createMongoIndexes(db), created };
};

const series = { artist_id: 1, song_id: 1, metric: 1 };
const unique = true;
const partialFilterExpression = { tier: 'x' };

const faults: readonly (readonly [collection: string, index: Listed, fault: string])[] = [
  ['artists', { name: 'stable_id', key: { id: 1 } }, 'is not unique'],
  ['artists', { name: 'stable_id', key: { name: 1 }, unique }, 'has another key'],
  ['artists', { name: 'id_1', key: { id: 1 } }, 'is not unique'],
  [
    'history',
    { name: 'series', key: { artist_id: 1, metric: 1, song_id: 1 }, unique },
    'has another key',
  ],
  ['history', { name: 's', key: series, unique, sparse: true }, 'is sparse'],
  ['usage', { name: 'day', key: { day: 1 }, unique }, 'is unique'],
  [
    'usage',
    { name: 'day', key: { day: 1 }, expireAfterSeconds: 60 },
    'removes documents (expireAfterSeconds)',
  ],
  [
    'usage',
    { name: 'old', key: { expires_at: 1 }, expireAfterSeconds: 9 },
    'has another expireAfterSeconds than 0',
  ],
  ['key_log', { name: 'newest', key: { at: 1, _id: 1 }, hidden: true }, 'is hidden'],
  [
    'artists',
    { name: 'followed', key: { _id: 1, updated_at: 1 }, partialFilterExpression },
    'does not hold every document in the order of code points',
  ],
];

const serving: readonly (readonly [collection: string, index: Listed, serves: string])[] = [
  ['artists', { name: 'mine', key: { id: 1 }, unique }, 'artists.stable_id'],
  ['labels', { name: 'name_1', key: { name: 1 }, unique }, 'labels.name'],
  ['usage', { name: 'ttl', key: { expires_at: 1 }, expireAfterSeconds: 0 }, 'usage.expiry'],
];

describe('indexes of MongoDB', () => {
  const mongo = useMongo();

  it('are missing until they are created, which is idempotent', async () => {
    const { check, needed, create } = createMongoIndexes(mongo.db);
    expect(needed).to.have.length(16);
    for (const documents of [{}, readFixtures()]) {
      await insertDocuments(mongo.db, documents);
      expect(await check()).to.deep.equal({ missing: needed, obstacles: [] });
    }
    for (let times = 0; times < 2; times += 1) await create();
    expect(await check()).to.deep.equal({ missing: [], obstacles: [] });
  });

  for (const [collection, index, fault] of faults)
    it(`reject an existing ${collection}.${index.name} that ${fault}, with the remedy`, async () => {
      const { check, create, created } = open(collection, index);
      const name = JSON.stringify(index.name);
      const sentence = `the index ${collection}.${index.name} ${fault}: remove it with db.${collection}.dropIndex(${name}) in mongosh, then run "artist-gateway catalogue indexes"`;
      expect((await check()).obstacles).to.deep.equal([sentence]);
      expect(await rejectionOf(create())).to.equal(
        `An index that is needed cannot be created: ${sentence}.`,
      );
      expect(created.filter((one) => one.startsWith(collection))).to.deep.equal([]);
    });

  for (const [collection, index, serves] of serving)
    it(`use an existing ${collection}.${index.name} as ${serves}`, async () => {
      const { check, create, created, needed } = open(collection, index);
      const missing = needed.filter((name) => name !== serves);
      expect(await check()).to.deep.equal({ missing, obstacles: [] });
      await create();
      expect(created).to.deep.equal(missing);
    });

  it('ignore an existing index with another name and a collation or a filter', async () => {
    const { check } = open(
      'artists',
      { name: 'a', key: { id: 1 }, unique, collation: { locale: 'de' } },
      { name: 'b', key: { id: 1 }, unique, partialFilterExpression },
    );
    const { missing, obstacles } = await check();
    expect(missing).to.include('artists.stable_id');
    expect(obstacles).to.deep.equal([]);
  });
});

const noon = Date.parse('2026-08-22T12:00:00Z');

describe('usage in MongoDB', () => {
  const mongo = useMongo();
  const writeDays = (...days: DayTotal[]) => createMongoUsage(mongo.db).write({ days, hours: [] });
  const writeHours = (...hours: HourTotal[]) =>
    createMongoUsage(mongo.db).write({ days: [], hours });
  const readDays = (from = '2026-08-22', organization?: string) =>
    createUsageReader(createMongoDocuments(mongo.db)).loadDays(from, organization);
  const counted = ({ id: _id, ...count }: DayTotal) => count;

  it('replaces a lower total, and never a higher one', async () => {
    for (const total of [dayTotal({ requests: 1 }), dayTotal(), dayTotal()]) await writeDays(total);
    expect(await readDays()).to.deep.equal([counted(dayTotal())]);
    await writeDays(dayTotal({ requests: 1 })).catch(() => {}); // it may also reject
    expect(await readDays()).to.deep.equal([counted(dayTotal())]);
  });

  it('sums days of several processes, even without a route', async () => {
    const lastAt = noon + 5;
    const refused = dayTotal({ id: 'two:2', route: undefined, status: 404, uses: {} });
    const uses = { new: 1, signed: 2 };
    await writeDays(dayTotal(), dayTotal({ id: 'two:1', requests: 4, uses, lastAt }), refused);
    const sum = { new: 3, 'fields=basic': 1, 'limit>100': 1, signed: 2 };
    const expected = [dayTotal({ requests: 7, uses: sum, lastAt }), refused];
    expect(await readDays()).to.have.deep.members(expected.map(counted));
  });

  it('reads days from a day on in order, of one organization or of all', async () => {
    await writeDays(
      dayTotal({ id: 'one:1', day: '2026-08-23' }),
      dayTotal({ id: 'one:2', organizationId: 'other' }),
      dayTotal({ id: 'one:3', day: '2026-08-21' }),
    );
    for (const [from, organization, ...days] of [
      ['2026-08-21', undefined, '2026-08-21', '2026-08-22', '2026-08-23'],
      ['2026-08-22', undefined, '2026-08-22', '2026-08-23'],
      ['2026-08-21', 'acme', '2026-08-21', '2026-08-23'],
    ] as const)
      expect((await readDays(from, organization)).map(({ day }) => day)).to.deep.equal(days);
  });

  it('sums minutes of an organization from a time on, in order', async () => {
    await writeHours(
      hourTotal({ 0: [2, 0], 30: [12, 2] }),
      hourTotal({ 30: [3, 1], 59: [1, 0] }, { id: 'two:1' }),
      hourTotal({ 30: [5, 5] }, { id: 'two:2', keyId: 'key2' }),
      hourTotal({ 5: [1, 0] }, { id: 'two:3', hour: noon - 3_600_000 }),
      hourTotal({ 30: [9, 9] }, { id: 'two:4', organizationId: 'other' }),
    );
    const at = (minute: number, requests: number, refused: number, keyId = 'key1') => ({
      ...{ keyId, organizationId: 'acme', minute: noon + minute * 60_000, requests, refused },
    });
    const later = [at(30, 15, 3), at(30, 5, 5, 'key2'), at(59, 1, 0)];
    const { loadMinutes } = createUsageReader(createMongoDocuments(mongo.db));
    expect(await loadMinutes('acme', noon + 60_000)).to.deep.equal(later);
    expect(await loadMinutes('acme', 0)).to.deep.equal([at(-55, 1, 0), at(0, 2, 0), ...later]);
  });

  it('expires days after 400 days, hours after 8 days, leases after a week', async () => {
    await writeDays(dayTotal());
    await writeHours(hourTotal({ 0: [1, 0] }));
    await createMongoIndexes(mongo.db).create();
    for (const [name, expiresAt, expireAfterSeconds] of [
      ['usage', new Date('2027-09-27T00:00:00.000Z'), 0],
      ['usage_minutes', new Date('2026-08-30T13:00:00.000Z'), 0],
      ['leases', undefined, 604_800],
    ] as const) {
      const collection = mongo.db.collection(name);
      expect((await collection.findOne())?.['expires_at'], name).to.deep.equal(expiresAt);
      const indexes = await collection.listIndexes().toArray();
      const expiry = indexes.find((index) => index['name'] === 'expiry');
      expect(expiry, name).to.deep.include({ key: { expires_at: 1 }, expireAfterSeconds });
    }
  });

  it('names the document that it cannot read', async () => {
    await mongo.db
      .collection<{ _id: string; day: string }>('usage')
      .insertOne({ _id: 'odd', day: '2026-08-22' });
    expect(await rejectionOf(readDays())).to.match(
      /^usage: key_id of the document odd cannot be read/,
    );
  });
});

/** What the driver keeps of its only server. */
interface DriverServer {
  readonly description: { readonly topologyVersion: object | null };
  readonly monitor: { readonly connection: { readonly socket: Socket } | null };
  readonly pool: { readonly connections: { first(): { readonly socket: Socket } | null } };
}

/** Seam: internal to the driver, without types. */
const serverOf = (client: MongoClient): DriverServer => {
  const { topology } = client as unknown as {
    topology: { s: { servers: Map<string, DriverServer> } };
  };
  const [server] = topology.s.servers.values();
  if (server === undefined) throw new Error('the client has no server');
  return server;
};

const stuck = 'MongoDB client stuck, reconnecting';

describe('a client of MongoDB that writes to a connection which has just ended', () => {
  const cleanup = useCleanup(afterEach);

  const start = async (options: Parameters<typeof openMongo>[1]) => {
    const log = createMemoryLog();
    const mongo = await cleanup.start(startMongoProcess());
    const { db } = cleanup.add(openMongo(mongo.url('stuck'), { ...options, log }), ({ close }) =>
      close(),
    );
    const ping = () => db.command({ ping: 1 });
    const answers = () => ping().then(() => true);
    await until('MongoDB answers', answers);
    const events = () => log.entries.map(({ event }) => event);
    return { events, mongo, client: db.client, ping, answers };
  };

  it('connects again when heartbeats stop', async () => {
    const times = { connectTimeoutMS: 200, heartbeatFrequencyMS: 500 };
    const { events, mongo, client, ping, answers } = await start(times);
    const { monitor, description } = serverOf(client);
    const written = new Promise<void>((resolve) => {
      client.once('serverHeartbeatStarted', () => {
        monitor.connection?.socket.destroy();
        resolve();
      });
    });
    const pings = Array.from({ length: 4 }, async () => {
      for (;;) await ping();
    });
    const failures = Promise.allSettled(pings);
    await written;
    // while commands wait for their replies: the driver marks the server as unknown
    await mongo.kill();
    await failures;
    await mongo.restart();
    await until('MongoDB answers again', answers);
    // If the server sends its topologyVersion, the driver drops the heartbeat of a failed command.
    expect(events()).to.deep.equal(description.topologyVersion === null ? [stuck] : []);
  });

  it('connects again when commands never end, even if all connections are in use', async () => {
    const { events, client, ping, answers } = await start({ socketTimeoutMS: 100 });
    const first = () => serverOf(client).pool.connections.first();
    for (let lost = 0; lost < 5; lost += 1) {
      await until('a connection is free', async () => {
        await ping().catch(() => {});
        return first() !== null;
      });
      first()?.socket.destroy();
      ping().catch(() => {}); // never settles
    }
    await until('MongoDB answers again', answers);
    expect(events()).to.include(stuck);
  });
});
