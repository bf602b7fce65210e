import { expect } from 'chai';
import fc from 'fast-check';
import { formNames } from '../../adapters/forms/forms.ts';
import { createEmbeddedKeys } from '../../adapters/stores/embedded/keys.ts';
import { createMongoKeys } from '../../adapters/stores/mongodb/keys.ts';
import { authenticate, buildKeyDirectory } from '../../src/keys/authenticate.ts';
import { keyText } from '../../src/keys/key-format.ts';
import type { KeyRecords } from '../../src/ports.ts';
import { buildKey } from '../support/builders.ts';
import { useCleanup, useStarted } from '../support/cleanup.ts';
import { insertDocuments, readFixtures } from '../support/documents.ts';
import { createDocumentFolder } from '../support/stores/document-folder.ts';
import { useMongo } from '../support/stores/mongo-database.ts';

/**
 * Who is let in (decisions, "Freshness and caching"), as one law: after any changes of keys and
 * organizations each store answers every key as the model below says, also after a restart.
 */

const now = Date.parse('2026-08-22T12:00:00Z');
const past = '2026-08-22T11:00:00.000Z';

/** When a document ended; with the last three, which are no instants, it cannot be read. */
const ends = [undefined, past, '2099-01-01T00:00:00Z', 'yesterday', true, 20_260_822] as const;
const isReadable = (end: (typeof ends)[number]): boolean => ends.indexOf(end) < 3;
/** What makes a key's document unreadable. */
const breaks: readonly Readonly<Record<string, unknown>>[] = [
  { scopes: 'artists:read' },
  { partner: 7 },
  { created_at: 'never' },
  { hash: null },
];

interface Key {
  readonly broken: (typeof breaks)[number] | undefined;
  readonly revoked: (typeof ends)[number];
  readonly isExpired: boolean;
  /** Of the current form while the trial lasts. */
  readonly trial: 'running' | 'over' | undefined;
  readonly organization: 0 | 1;
}
interface Organization {
  readonly isBroken: boolean;
  readonly suspended: (typeof ends)[number];
}
interface World {
  /** The first is of the current form, the second of the variant form; the last never changes. */
  readonly keys: readonly (Key | undefined)[];
  readonly organizations: readonly (Organization | undefined)[];
  readonly lost: 'api_keys' | 'organizations' | undefined;
}

const forms = ['current', 'variant', 'current'] as const;
const texts = forms.map((form, index) => buildKey({ id: `key${index}`, form }));
const stranger = keyText('stranger', 'x'.repeat(43));
const wrongSecret = keyText('key0', 'T'.repeat(43));

const goodKey: Key = {
  ...{ broken: undefined, revoked: undefined, isExpired: false, trial: undefined, organization: 0 },
};
const begin: World = {
  keys: [goodKey, goodKey, { ...goodKey, organization: 1 }],
  organizations: [0, 1].map(() => ({ isBroken: false, suspended: undefined })),
  lost: undefined,
};

const mostly = <Value>(usual: Value, ...others: readonly Value[]) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, fc.constantFrom(usual, ...others));
const anyKey = fc.record({
  broken: mostly<Key['broken']>(undefined, ...breaks),
  revoked: mostly<Key['revoked']>(...ends),
  isExpired: mostly(false, true),
  trial: mostly<Key['trial']>(undefined, 'running', 'over'),
  organization: mostly<0 | 1>(0, 1),
});
const anyOrganization = fc.record({
  isBroken: mostly(false, true),
  suspended: mostly<Organization['suspended']>(...ends),
});
const anyWorld = fc.record({
  keys: fc
    .tuple(...[0, 1].map(() => fc.option(anyKey, { freq: 5, nil: undefined })))
    .map((keys) => [...keys, begin.keys[2]]),
  organizations: fc
    .tuple(fc.option(anyOrganization, { freq: 5, nil: undefined }))
    .map((organizations) => [...organizations, begin.organizations[1]]),
  lost: mostly<World['lost']>(undefined, 'api_keys', 'organizations'),
});

const documentsOf = ({ keys, organizations, lost }: World) => ({
  api_keys: keys.flatMap((key, index) =>
    key === undefined || lost === 'api_keys'
      ? []
      : [
          {
            _id: `key${index}`,
            hash: texts[index]?.record.hash,
            ...{ organization_id: `org_${key.organization}`, partner: 'Partner' },
            ...{ form: forms[index], scopes: ['artists:read'], created_at: past },
            ...(key.isExpired && { expires_at: past }),
            ...(key.revoked !== undefined && { revoked_at: key.revoked }),
            ...(key.trial && {
              trial: {
                form: 'current',
                until: new Date(key.trial === 'over' ? now - 1 : now + 1),
              },
            }),
            ...key.broken,
          },
        ],
  ),
  organizations: organizations.flatMap((one, index) =>
    one === undefined || lost === 'organizations'
      ? []
      : [
          {
            ...{ _id: `org_${index}`, name: one.isBroken ? 7 : 'Name', quota: {} },
            ...(one.suspended !== undefined && { suspended_at: one.suspended }),
          },
        ],
  ),
});

/** A document as it is remembered: its last good version, and whether it has ended since. */
interface Remembered<Stored> {
  /** `undefined`: it never could be read. */
  readonly good: Stored | undefined;
  readonly stored: Stored;
}
interface Memory {
  readonly keys: readonly (Remembered<Key> | undefined)[];
  readonly organizations: readonly (Remembered<Organization> | undefined)[];
}
const none: Memory = { keys: [], organizations: [] };

const remember = <Stored>(
  list: readonly (Stored | undefined)[],
  before: readonly (Remembered<Stored> | undefined)[],
  amend: (stored: Stored, good: Stored | undefined) => Stored | undefined,
): Memory[keyof Memory] & readonly (Remembered<Stored> | undefined)[] =>
  list.map((stored, index) =>
    stored === undefined ? undefined : { stored, good: amend(stored, before[index]?.good) },
  ) as never;

/** What a load leaves: an end counts at once, everything else waits until it can be read. */
const loadOf = ({ keys, organizations, lost }: World, before: Memory): Memory => ({
  keys:
    lost === 'api_keys'
      ? before.keys
      : remember<Key>(keys, before.keys, (key, good) =>
          key.broken === undefined && isReadable(key.revoked)
            ? key
            : good && {
                ...good,
                revoked: key.revoked ?? good.revoked,
                isExpired: key.isExpired || good.isExpired,
              },
        ),
  organizations:
    lost === 'organizations'
      ? before.organizations
      : remember<Organization>(organizations, before.organizations, (one, good) =>
          !one.isBroken && isReadable(one.suspended)
            ? one
            : good && { ...good, suspended: one.suspended ?? good.suspended },
        ),
});

/** What each key is answered, by what is remembered. */
const answersOf = ({ keys, organizations }: Memory): readonly string[] => {
  const isMissing = keys.length === 0 || organizations.length === 0;
  const answers = texts.map((_, index) => {
    const key = keys[index];
    if (key === undefined) return isMissing ? '503 current' : '401 current';
    const { trial, revoked, isExpired, organization } = key.good ?? key.stored;
    const form = trial === 'running' ? 'current' : forms[index];
    const owner = organizations[organization];
    if (isMissing) return `503 ${form}`;
    if (key.good === undefined && revoked !== undefined) return `401 ${form}`;
    if (owner === undefined && key.good !== undefined) return `401 ${form}`;
    if (key.good === undefined || owner === undefined) return `503 ${form}`;
    const hasEnded = revoked !== undefined || isExpired;
    if (owner.good === undefined)
      return owner.stored.suspended !== undefined || revoked !== undefined
        ? `401 ${form}`
        : `503 ${form}`;
    return `${hasEnded || owner.good.suspended !== undefined ? 401 : 200} ${form}`;
  });
  const unknown = isMissing ? '503 current' : '401 current';
  // any key matches a document whose hash cannot be read
  const [first] = keys;
  const isAny = first?.good === undefined && first?.stored.broken?.['hash'] === null;
  return [...answers, unknown, isAny ? (answers[0] ?? '') : unknown];
};

/** The same of what was loaded. */
const answersOfLoaded = (records: KeyRecords): readonly string[] => {
  const directory = buildKeyDirectory(records);
  return [...texts.map(({ text }) => text), stranger, wrongSecret].map((text) => {
    const found = authenticate(`Bearer ${text}`, directory, true, now);
    if ('caller' in found) return `200 ${found.caller.key.form}`;
    const status = found.problem.kind === 'unauthorized' ? 401 : 503;
    return `${status} ${found.keyOwner?.form ?? 'current'}`;
  });
};

describe('the last good copy of keys', () => {
  const mongo = useMongo();
  const cleanup = useCleanup(afterEach);

  const openFiles = async () => {
    const { path, write, close } = await createDocumentFolder();
    cleanup.add(close, (end) => end());
    const { load } = createEmbeddedKeys(path, formNames, { sandbox: true });
    return { write: (world: World) => write(documentsOf(world)), load, restart: undefined };
  };
  const openMongo = async () => {
    let source = createMongoKeys(mongo.db, formNames);
    return {
      write: (world: World) => insertDocuments(mongo.db, documentsOf(world)),
      load: () => source.load(),
      restart() {
        source = createMongoKeys(mongo.db, formNames);
      },
    };
  };

  for (const [name, open] of [
    ['files', openFiles],
    ['MongoDB', openMongo],
  ] as const)
    it(`accepts the keys that the model accepts, after any changes and restarts: ${name}`, async () => {
      const step = fc.record({ world: anyWorld, restarts: fc.boolean() });
      const first = { world: begin, restarts: false };
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
          const { write, load, restart } = await open();
          let memory = none;
          for (const { world, restarts } of [first, ...steps]) {
            await write(world);
            const records = await load();
            memory = loadOf(world, memory);
            expect(answersOfLoaded(records), JSON.stringify([world, memory])).to.deep.equal(
              answersOf(memory),
            );
            expect(await load(), 'the same while nothing changes').to.equal(records);
            if (!restarts || restart === undefined) continue;
            restart();
            memory = none;
          }
        }),
        { numRuns: Number(process.env['LAW_RUNS'] ?? 30) },
      );
    });
});

const { api_keys, organizations } = readFixtures();
const [key = {}, ...keys] = api_keys;
const [organization = {}, ...others] = organizations;
const endedAt = '2026-08-01T00:00:00Z';
const at = Date.parse(endedAt);

describe('keys in files', () => {
  const folder = useStarted(createDocumentFolder, ({ close }) => close(), true);
  const load = async (given: object) => {
    await folder.write({ api_keys, organizations, ...given });
    return createEmbeddedKeys(folder.path, formNames, { sandbox: true }).load();
  };
  const found = (list: readonly { readonly id: string }[], { _id: id }: typeof key) =>
    list.find((one) => one.id === id);

  it('keep the first of two keys with one id, and report the other', async () => {
    const records = await load({ api_keys: [...api_keys, { ...key, partner: 'Another' }] });
    expect(records.keys).to.have.length(api_keys.length);
    expect(found(records.keys, key)).to.include({ partner: key['partner'] });
    const [fault, ...more] = records.faults ?? [];
    expect(more).to.deep.equal([]);
    expect(fault).to.include({
      event: 'invalid document ignored',
      reason: 'another document with the same identifier is kept',
    });
    expect(fault?.document).to.match(/api_keys\.json line \d+ column \d+$/);
  });

  for (const isFirst of [true, false])
    it(`prefer the revoked key and suspended organization ${isFirst ? 'before' : 'after'} a duplicate`, async () => {
      const inOrder = <One>(one: One, ended: One): One[] => (isFirst ? [ended, one] : [one, ended]);
      const records = await load({
        api_keys: [...inOrder(key, { ...key, revoked_at: endedAt }), ...keys],
        organizations: [
          ...inOrder(organization, { ...organization, suspended_at: endedAt }),
          ...others,
        ],
      });
      expect(found(records.keys, key)).to.include({ revokedAt: at });
      expect(found(records.organizations, organization)).to.include({ suspendedAt: at });
      const columns = records.faults?.map(({ document }) => Number(document.split(' ').at(-1)));
      expect(columns?.map((column) => column > 2)).to.deep.equal([isFirst, isFirst]);
    });

  it('count the revocation in an unreadable document next to another with the id', async () => {
    const broken = { ...key, revoked_at: endedAt, partner: 7 };
    for (const list of [
      [broken, ...api_keys],
      [...api_keys, broken],
    ])
      expect(found((await load({ api_keys: list })).keys, key)).to.include({ revokedAt: at });
  });
});

describe('keys in MongoDB', () => {
  const mongo = useMongo();
  const load = () => createMongoKeys(mongo.db, formNames).load();

  it('omit demo keys, and report them without their text', async () => {
    await insertDocuments(mongo.db, { organizations });
    const { _id, ...demo } = key;
    await mongo.db.collection('api_keys').insertOne(demo);
    const { keys: loaded, unreadable, faults } = await load();
    expect([loaded, unreadable]).to.deep.equal([[], []]);
    expect(faults).to.have.length(1);
    expect(JSON.stringify(faults)).not.to.include(String(key['demo_key']));
  });

  it('are parsed again only if a byte of them has changed', async () => {
    await insertDocuments(mongo.db, { api_keys, organizations });
    const source = createMongoKeys(mongo.db, formNames);
    const reads = async (): Promise<number> => {
      mongo.finds.length = 0;
      await source.load();
      return mongo.finds.filter(({ find }) => find === 'api_keys').length;
    };
    expect([await reads(), await reads()]).to.deep.equal([1, 1]);
    await mongo.db.collection('api_keys').updateMany({}, { $set: { warning: 'not read' } });
    expect([await reads(), await reads()]).to.deep.equal([2, 1]);
  });

  it('are reported if their organization is unknown', async () => {
    await insertDocuments(mongo.db, { api_keys: [key] });
    expect(JSON.stringify((await load()).faults)).to.include('there is no organization');
  });
});
