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
import { isDuplicate } from '../../adapters/stores/mongodb/errors.ts';
import { createMongoHistory } from '../../adapters/stores/mongodb/histories.ts';
import { createMongoKeys } from '../../adapters/stores/mongodb/keys.ts';
import type { DocumentFault } from '../../src/domain/document-fault.ts';
import {
  type CollectionName,
  collections,
  type StoredDocument,
  toBson,
} from '../support/documents.ts';
import { createMemoryLog } from '../support/log.ts';
import { useMongo } from '../support/stores/mongo-database.ts';
import {
  artistDocument,
  keyDocument,
  organizationDocument,
  pathsIn,
  seriesDocument,
  withMember,
} from '../support/stores/stored-documents.ts';

/** What a server sends of a text with this in it is not UTF-8. */
const marker = 'NOTUTF8!';

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
  // another number than the double: MongoDB holds equal ones for the same _id
  decimal: Decimal128.fromString('2.5'),
  'least key': new MinKey(),
  'greatest key': new MaxKey(),
  'text that is not UTF-8': `a ${marker} b`,
};

/** A good document of each collection. */
const good: Readonly<Record<CollectionName, Document>> = {
  artists: { ...artistDocument, _id: 'good', id: 'art_good' },
  history: { ...seriesDocument, _id: 'good', artist_id: 'art_good' },
  labels: { _id: 'good', name: 'Good Label', aliases: [] },
  organizations: { ...organizationDocument, _id: 'org_good' },
  api_keys: { ...keyDocument, _id: 'good', organization_id: 'org_good' },
};
/** What makes it another document. */
const others: Readonly<Record<CollectionName, Document>> = {
  artists: { id: 'art_broken' },
  history: { metric: 'social_score' },
  labels: { name: 'Broken Label', aliases: ['alias'] },
  organizations: {},
  api_keys: { hash: 'f'.repeat(64) },
};

const sameType =
  /\.\d+$|^songs\.1|^songs\.0\..*url|_(followers|listeners)$|tiktok$|website$|^status\.[vsc]|^freshness\.[ahs]/;

/** Fields of each type that the gateway reads, and an unknown field. */
const fieldsOf = (document: StoredDocument): readonly string[] => [
  ...pathsIn(document).filter((path) => path !== '_id' && !sameType.test(path)),
  'unread',
];

const notUtf8 = (chunk: Buffer): Buffer => {
  const text = chunk.toString('latin1').replaceAll(marker, '\xff\xc0\xfe\x80\xed\xa0\x80\xff');
  return Buffer.from(text, 'latin1');
};

describe('a document of any kind in MongoDB', () => {
  const mongo = useMongo();

  const insert = (collection: string, ...documents: readonly unknown[]): Promise<unknown> =>
    mongo.db.collection(collection).insertMany([...documents] as Document[]); // whatever they hold
  /** Adds the documents that the server stores: no kind of server stores all values everywhere. */
  const insertMost = async (collection: string, documents: readonly unknown[]): Promise<void> => {
    const refusedOf = (some: readonly unknown[]): Promise<readonly unknown[]> =>
      insert(collection, ...some).then(
        () => [],
        async (failure: unknown) => {
          if (some.length === 1) return isDuplicate(failure) ? [] : [failure];
          const half = Math.ceil(some.length / 2);
          return [
            ...(await refusedOf(some.slice(0, half))),
            ...(await refusedOf(some.slice(half))),
          ];
        },
      );
    const refused = await refusedOf(documents);
    expect(refused.length, String(refused[0])).to.be.lessThan(documents.length / 6);
  };

  beforeEach(async () => {
    for (const name of collections) await insert(name, toBson(good[name]));
  });

  /** Loads everything twice, as a gateway does, expects the good documents, and returns the faults. */
  const faultsNextToGood = async (): Promise<readonly DocumentFault[]> => {
    mongo.proxy.rewrite(notUtf8);
    const catalogue = createMongoCatalogue(mongo.proxied);
    const keys = createMongoKeys(mongo.proxied, formNames);
    await Promise.all([catalogue.load(), keys.load()]);
    const [contents, records] = await Promise.all([catalogue.load(), keys.load()]);
    const found = contents.artists.find(({ artist }) => artist.id === 'art_good');
    if (found === undefined) throw new Error('The good artist is not loaded.');
    expect(found.recent.map(({ metric }) => metric)).to.include('monthly_listeners');
    expect(contents.labels.map(({ name }) => name)).to.include('Good Label');
    expect(records.keys.map(({ id }) => id)).to.include('good');
    expect(records.organizations.map(({ id }) => id)).to.include('org_good');
    const options = { timeoutMs: 5_000, log: createMemoryLog() };
    const { series } = await createMongoHistory(mongo.proxied, options).read(found.artist);
    expect(series).to.not.deep.equal([]);
    mongo.proxy.rewrite((chunk) => chunk);
    const faults = [...contents.faults, ...(records.faults ?? [])];
    return faults.filter(({ document }) => document !== 'good');
  };

  for (const collection of collections) {
    const broken = toBson({ ...good[collection], ...others[collection] });

    it(`in ${collection} does not affect other documents, with any _id`, async () => {
      // MongoDB rejects those
      const isId = (value: unknown) => !(Array.isArray(value) || value instanceof BSONRegExp);
      const ids = Object.values(values).filter(isId);
      await insertMost(
        collection,
        ids.map((_id) => ({ ...broken, _id })),
      );
      const faults = await faultsNextToGood();
      expect(faults.length).to.be.greaterThan(0);
      for (const fault of faults) expect(fault.document).to.match(/\S/);
      if (collection === 'artists')
        expect(faults.map(({ reason }) => reason)).to.include('_id: is not UTF-8');
    });

    it(`in ${collection} does not affect other documents, with any value, which is named`, async () => {
      const cases = fieldsOf(broken).flatMap((path) =>
        Object.entries(values).map(([type, value]) => ({ path, type, value })),
      );
      const documents = cases.map(({ path, value }, index) =>
        withMember(withMember(broken, path, value), '_id', `n${index}`),
      );
      await insertMost(collection, documents);
      const faults = await faultsNextToGood();
      expect(faults.length).to.be.greaterThan(5);
      for (const { collection: reported, document, reason } of faults) {
        const { path = '', type } = cases[Number(document.slice(1))] ?? {};
        const named = new RegExp(`^${path.split('.')[0]}\\b|same identifier|no organization`);
        expect(reported).to.equal(collection);
        expect(reason, `${path} ${type}`).to.match(named);
      }
    });
  }
});
