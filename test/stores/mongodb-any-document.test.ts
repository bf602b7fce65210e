import { expect } from 'chai';
import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  Decimal128,
  type Document,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'mongodb';
import { formNames } from '../../adapters/forms/forms.ts';
import { createMongoCatalogue } from '../../adapters/stores/mongodb/catalogue.ts';
import { createMongoHistory } from '../../adapters/stores/mongodb/histories.ts';
import { createMongoKeys } from '../../adapters/stores/mongodb/keys.ts';
import type { DocumentFault } from '../../src/domain/document-fault.ts';
import { createManualClock } from '../support/clock.ts';
import { type CollectionName, collections, toBson } from '../support/documents.ts';
import { createMemoryLog } from '../support/log.ts';
import { chosenServer, type ServerName } from '../support/mongo-launchers.ts';
import { useMongo } from '../support/stores/mongo-database.ts';
import {
  artistDocument,
  keyDocument,
  organizationDocument,
  pathsIn,
  seriesDocument,
  withMember,
} from '../support/stores/stored-documents.ts';

/** A value of every type that a stored document can hold. */
const values: Readonly<Record<string, unknown>> = {
  double: new Double(1.5),
  'not a number': Number.NaN,
  infinity: Number.POSITIVE_INFINITY,
  text: 'text',
  'empty text': '',
  object: { a: 1 },
  'object with toString': { toString: 1, valueOf: 2, toHexString: 'x', inspect: 3, constructor: 4 },
  'object like a reference': { $ref: 'artists', $id: 1 },
  list: [1, 'two'],
  binary: new Binary(Buffer.from([0xff, 0xfe])),
  uuid: new Binary(Buffer.alloc(16), Binary.SUBTYPE_UUID),
  'object id': new ObjectId('66a18b869b2e81c0c5295000'),
  boolean: true,
  date: new Date('2026-08-01T00:00:00Z'),
  'date out of range': new Date(8.64e15),
  null: null,
  'regular expression': new BSONRegExp('a(?i)b', 'i'),
  code: new Code('function () {}'),
  'code with scope': new Code('function () {}', { a: 1 }),
  symbol: new BSONSymbol('symbol'),
  int: new Int32(7),
  timestamp: new Timestamp({ t: 1, i: 1 }),
  long: Long.fromString('9007199254740993'),
  decimal: Decimal128.fromString('2.5'), // another number than the double: MongoDB holds equal ones for the same _id
  'least key': new MinKey(),
  'greatest key': new MaxKey(),
};

/** What a server does not store, as docs/contributing.md says: as any member, and as `_id` only. */
const refused: Readonly<
  Partial<Record<ServerName, { readonly members: readonly string[]; readonly ids: readonly string[] }>>
> = {
  secantus: { members: ['date out of range'], ids: ['code with scope', 'object like a reference'] },
};
const { members: refusedMembers, ids: refusedIds } = refused[chosenServer()] ?? { members: [], ids: [] };

/** A document of each collection that is good, and one that the test breaks. */
const goodDocuments: Readonly<Record<CollectionName, Document>> = {
  artists: { ...artistDocument, _id: 'good', id: 'art_good' },
  history: { ...seriesDocument, _id: 'good', artist_id: 'art_good' },
  labels: { _id: 'good', name: 'Good Label', aliases: [] },
  organizations: { ...organizationDocument, _id: 'org_good' },
  api_keys: { ...keyDocument, _id: 'good', organization_id: 'org_good' },
};
const brokenDocuments: Readonly<Record<CollectionName, Document>> = {
  artists: { ...artistDocument, _id: 'broken', id: 'art_broken' },
  history: { ...seriesDocument, _id: 'broken', artist_id: 'art_good', metric: 'social_score' },
  labels: { _id: 'broken', name: 'Broken Label', aliases: ['alias'] },
  organizations: { ...organizationDocument, _id: 'org_broken' },
  api_keys: { ...keyDocument, _id: 'broken', organization_id: 'org_good', hash: 'f'.repeat(64) },
};

/** The members that the gateway reads, without some of the same type, and one that it does not. */
const membersOf = (collection: CollectionName): readonly string[] => [
  ...pathsIn(brokenDocuments[collection]).filter(
    (path) => path !== '_id' && !/\.\d+$|^songs\.1|^songs\.0\..*url|_(followers|listeners)$/.test(path),
  ),
  'unread',
];

describe('a document of any kind in MongoDB', () => {
  const mongo = useMongo();

  const insertAny = (collection: string, ...documents: unknown[]): Promise<unknown> =>
    mongo.db.collection(collection).insertMany(documents as Document[]); // whatever they hold
  const insert = (collection: string, ...documents: Document[]): Promise<unknown> =>
    insertAny(collection, ...documents.map((document) => toBson(document)));

  const insertGood = async (): Promise<void> => {
    for (const name of collections) await insert(name, goodDocuments[name]);
  };

  /** Loads everything twice, as a gateway does, and expects every good document. Returns the faults. */
  const expectGood = async (title: string): Promise<readonly DocumentFault[]> => {
    const log = createMemoryLog();
    const catalogue = createMongoCatalogue(mongo.proxied, createManualClock());
    const keys = createMongoKeys(mongo.proxied, formNames);
    await Promise.all([catalogue.load(), keys.load()]);
    const [contents, records] = await Promise.all([catalogue.load(), keys.load()]);
    const good = contents.artists.find(({ artist }) => artist.id === 'art_good');
    expect(
      good?.recent.some(({ metric }) => metric === 'monthly_listeners'),
      title,
    ).to.equal(true);
    expect(
      contents.labels.map(({ name }) => name),
      title,
    ).to.include('Good Label');
    expect(
      records.keys.map(({ id }) => id),
      title,
    ).to.include('good');
    expect(
      records.organizations.map(({ id }) => id),
      title,
    ).to.include('org_good');
    const histories = createMongoHistory(mongo.proxied, { timeoutMs: 5_000, log });
    const history = good === undefined ? undefined : await histories.read(good.artist);
    expect(history?.series.length, title).to.be.greaterThan(0);
    return [...contents.faults, ...(records.faults ?? [])];
  };

  it('is stored by the server, except what the guide names for it', async () => {
    const refusedAs = async (member: string): Promise<string[]> => {
      const found: string[] = [];
      for (const [type, value] of Object.entries(values)) {
        if (member === '_id' && (Array.isArray(value) || value instanceof BSONRegExp)) continue; // MongoDB refuses them
        await insertAny('artists', { [member]: value }).catch(() => found.push(type));
      }
      return found;
    };
    expect(await refusedAs('unread')).to.have.members(refusedMembers);
    expect(await refusedAs('_id')).to.have.members([...refusedMembers, ...refusedIds]);
  });

  for (const collection of collections) {
    it(`in ${collection}: whatever its _id is, every other document is loaded`, async () => {
      await insertGood();
      for (const [type, _id] of Object.entries(values)) {
        if (Array.isArray(_id) || _id instanceof BSONRegExp) continue; // MongoDB refuses them
        if (refusedMembers.includes(type) || refusedIds.includes(type)) continue;
        await insert(collection, { ...brokenDocuments[collection], _id }).catch((cause: unknown) => {
          throw new Error(`not stored: ${type}`, { cause });
        });
      }
      const faults = await expectGood(collection);
      expect(faults.length).to.be.greaterThan(0);
      for (const fault of faults) expect(fault.document).to.match(/\S/);
    });

    it(`in ${collection}: whatever a member holds, every other document is loaded, and the member is named`, async function () {
      this.timeout(60_000);
      await insertGood();
      const broken = toBson(brokenDocuments[collection]);
      const cases = membersOf(collection).flatMap((path) =>
        Object.entries(values)
          .filter(([type]) => !refusedMembers.includes(type))
          .map(([type, value]) => ({ path, type, value })),
      );
      const documents = cases.map(({ path, value }, index) =>
        withMember(withMember(broken, path, value), '_id', `n${index}`),
      );
      await insertAny(collection, ...documents);
      const faults = (await expectGood(collection)).filter(({ document }) => document !== 'good');
      expect(faults.length).to.be.greaterThan(5);
      for (const { collection: reported, document, reason } of faults) {
        const { path = '', type } = cases[Number(document.slice(1))] ?? {};
        expect(reported).to.equal(collection);
        expect(reason, `${path} ${type}`).to.match(
          new RegExp(`^${path.split('.')[0]}\\b|same identifier|no organization`),
        );
      }
    });

    it(`in ${collection}: whatever text is not UTF-8, every other document is loaded`, async function () {
      this.timeout(60_000);
      const marker = 'NOTUTF8!';
      mongo.proxy.rewrite((chunk) =>
        Buffer.from(chunk.toString('latin1').replaceAll(marker, '\xff\xc0\xfe\x80\xed\xa0\x80\xff'), 'latin1'),
      );
      for (const path of ['_id', ...membersOf(collection)]) {
        for (const name of collections) await mongo.db.collection(name).deleteMany({});
        await insertGood();
        await insertAny(collection, withMember(toBson(brokenDocuments[collection]), path, `a ${marker} b`));
        await expectGood(`${collection} ${path}`);
      }
      mongo.proxy.rewrite((chunk) => chunk);
    });
  }

  it('reads what else it can of a document with bytes that are not BSON, and reports the member', async () => {
    const illegal = Buffer.from('\x08illegal\x00\x01', 'latin1');
    mongo.proxy.rewrite((chunk) => {
      for (let at = chunk.indexOf(illegal); at >= 0; at = chunk.indexOf(illegal)) {
        chunk.writeUInt8(7, at + illegal.length - 1); // a boolean is 0 or 1
      }
      return chunk;
    });
    await insertGood();
    const { artists } = brokenDocuments;
    await insert('artists', { ...artists, _id: 'unread', id: 'art_unread', unread: { illegal: true } });
    await insert('artists', { ...artists, _id: 'optional', id: 'art_optional', editorial: { illegal: true } });
    await insert('artists', { ...artists, _id: 'required', id: 'art_required', metrics: { illegal: true } });
    const faults = await expectGood('illegal bytes');
    expect(faults.map(({ event, document, reason }) => `${event}: ${document} ${reason.split(':')[0]}`)).to.deep.equal([
      'member left out: optional editorial',
      'document left out: required metrics',
    ]);
    mongo.proxy.rewrite((chunk) => chunk);
  });
});
