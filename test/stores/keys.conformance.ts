import { expect } from 'chai';
import { keyText } from '../../src/keys/key-format.ts';
import type { KeySource } from '../../src/ports.ts';
import { buildKey } from '../support/builders.ts';
import { useStarted } from '../support/cleanup.ts';
import type { StoredDocument } from '../support/documents.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';

export interface StoredKeys {
  readonly api_keys: readonly StoredDocument[];
  readonly organizations: readonly StoredDocument[];
}

/** A store of keys under test, and how to change its documents. */
export interface KeysUnderTest {
  readonly source: KeySource;
  /** Replaces the stored documents. */
  write(documents: StoredKeys): Promise<void>;
  close(): Promise<void>;
}

const current = buildKey({ id: 'cur' });
const variant = buildKey({ id: 'var', form: 'variant' });
const unissued = keyText('stranger', 'x'.repeat(43));

const keyDocument = ({ record }: typeof current): StoredDocument => ({
  _id: record.id,
  hash: record.hash,
  organization_id: 'acme',
  partner: record.partner,
  form: record.form,
  scopes: [...record.scopes],
  created_at: '2026-01-01T00:00:00.000Z',
});

const organization: StoredDocument = {
  _id: 'acme',
  name: 'Acme',
  quota: { per_minute: 1000, per_day: 1000 },
};
const good: StoredKeys = {
  api_keys: [keyDocument(current), keyDocument(variant)],
  organizations: [organization],
};

const withOrganization = (change: StoredDocument): StoredKeys => ({
  ...good,
  organizations: [{ ...organization, ...change }],
});
const withKeys = (change: StoredDocument): StoredKeys => ({
  ...good,
  api_keys: good.api_keys.map((key) => ({ ...key, ...change })),
});

const revoked = { revoked_at: '2026-08-22T11:00:00.000Z' };
const suspended = { suspended_at: '2026-08-22T11:00:00.000Z' };

/**
 * Documents that cannot be read, and the member that is reported: `key-documents.test.ts` has the
 * other members.
 */
const unreadable: readonly (readonly [
  title: string,
  documents: StoredKeys,
  member: string,
  ownForm?: string,
])[] = [
  ['their organization has no name', withOrganization({ name: null }), 'name'],
  ['their expiry is no instant', withKeys({ expires_at: 'yesterday' }), 'expires_at'],
  ['their hash is missing', withKeys({ hash: null }), 'hash'],
  [
    'their form is none, which leaves the current one',
    withKeys({ form: 7 }),
    'form',
    '503 current',
  ],
];

/** Describes what every store of keys must do, as partners see it. */
export const describeKeyStore = (name: string, open: () => Promise<KeysUnderTest>): void => {
  describe(`key store: ${name}`, () => {
    let gateway: TestGateway;
    afterEach(() => gateway.close());
    const store = useStarted(open, ({ close }) => close(), true);

    const start = async (documents: StoredKeys): Promise<void> => {
      await store.write(documents);
      gateway = await createTestGateway({ keys: store.source });
    };
    const change = async (documents: StoredKeys): Promise<void> => {
      await store.write(documents);
      await gateway.gateway.keys.refresh();
    };
    /** The status and the form that each key, and one that was never issued, is answered with. */
    const answers = async (): Promise<readonly string[]> => {
      const replies = [current.text, variant.text, unissued].map((text) =>
        gateway.get('/api/v1/artists?limit=1', text),
      );
      return (await Promise.all(replies)).map(
        ({ status, headers }) => `${status} ${headers['x-envelope-served']}`,
      );
    };
    const served = ['200 current', '200 variant', '401 current'];
    /** What the log reports, apart from requests. */
    const told = () =>
      gateway.log.entries.flatMap(({ event, facts }) =>
        'reason' in facts && event !== 'request'
          ? [`${event}: ${String(facts.reason).split(':')[0]}`]
          : [],
      );

    for (const [title, documents, member, ownForm = '500 variant'] of unreadable) {
      it(`serves the last good version of keys when ${title}, and reports it once until it is mended`, async () => {
        await start(good);
        expect(await answers()).to.deep.equal(served);
        for (let load = 0; load < 3; load++) await change(documents);
        expect(await answers()).to.deep.equal(served);
        const lines = told();
        expect(new Set(lines)).to.deep.equal(
          new Set([`document unreadable, serving its last good version: ${member}`]),
        );
        expect(lines).to.have.length(documents.organizations === good.organizations ? 2 : 1);
        await change(good);
        expect(await answers()).to.deep.equal(served);
      });

      it(`refuses keys in their own form as unavailable, not as wrong, when ${title} from the start`, async () => {
        await start(documents);
        expect(await answers()).to.deep.equal(['503 current', ownForm, '401 current']);
        expect(told()).to.include(`document left out: ${member}`);
        await change(good);
        expect(await answers()).to.deep.equal(served);
      });
    }

    for (const [title, key, owner, tried, own] of [
      ['that cannot be read', { created_at: 'never' }, {}, '503 current', '500 variant'],
      ['whose organization has no name', {}, { name: 5 }, '503 current', '500 variant'],
      ['whose organization is missing', {}, { _id: 'other' }, '401 current', '401 variant'],
    ] as const)
      it(`refuses a key ${title} in the form that it tries, and after the trial in its own`, async () => {
        const trying = (until: string): StoredKeys => ({
          ...withOrganization(owner),
          api_keys: withKeys({ ...key, trial: { form: 'current', until } }).api_keys,
        });
        await start(trying('2099-01-01T00:00:00.000Z'));
        expect((await answers())[1]).to.equal(tried);
        await change(trying('2026-01-02T00:00:00.000Z'));
        expect((await answers())[1]).to.equal(own);
      });

    it('finds keys by their hash when their id cannot be read', async () => {
      await start({
        ...good,
        api_keys: [{ ...keyDocument(variant), _id: 'not base62!' }, keyDocument(current)],
      });
      expect(await answers()).to.deep.equal(['200 current', '500 variant', '401 current']);
    });

    it('refuses a wrong secret of a key that cannot be read', async () => {
      await start(withKeys({ scopes: 'artists:read' }));
      const wrong = keyText('cur', 'T'.repeat(43));
      expect((await gateway.get('/api/v1/artists', wrong)).status).to.equal(401);
    });

    it('ignores scopes that it does not know, and reports them', async () => {
      await start(
        withKeys({ scopes: ['artists:read', 'spikes:read', 'signings:read', 'charts:read'] }),
      );
      expect(await answers()).to.deep.equal(served);
      expect(told().filter((line) => line === 'member left out: scopes.3')).to.have.length(2);
    });

    it('refuses keys at once that are revoked, expired or suspended, whatever instant is stored and whatever cannot be read', async () => {
      const refused = ['401 current', '401 variant', '401 current'];
      await start(good);
      const ended = '2026-08-22T11:00:00.000Z';
      for (const documents of [
        withKeys({ scopes: 'artists:read', revoked_at: ended }),
        withKeys({ scopes: 'artists:read', expires_at: ended }),
        withOrganization({ name: 7, suspended_at: ended }),
        withKeys({ revoked_at: 'yesterday' }),
        withKeys({ scopes: 'artists:read', revoked_at: true }),
        withKeys({ revoked_at: '2099-01-01T00:00:00Z' }),
        withOrganization({ suspended_at: 20_260_822 }),
        withOrganization({ suspended_at: '2099-01-01T00:00:00Z' }),
      ]) {
        await change(documents);
        expect(await answers()).to.deep.equal(refused);
        await change(good);
        expect(await answers()).to.deep.equal(served);
      }
    });

    for (const [title, documents] of [
      ['are revoked, and their scopes are no list', withKeys({ scopes: 5, ...revoked })],
      ['are revoked, at no instant', withKeys({ revoked_at: true })],
      [
        'are of a suspended organization without a name',
        withOrganization({ name: 7, ...suspended }),
      ],
      [
        'are of an organization that was suspended at no instant',
        withOrganization({ suspended_at: 7 }),
      ],
      [
        'are revoked, and of an organization without a name',
        { ...withOrganization({ name: 7 }), api_keys: withKeys(revoked).api_keys },
      ],
    ] as const)
      it(`refuses keys from the start that ${title}`, async () => {
        await start(documents);
        expect(await answers()).to.deep.equal(['401 current', '401 variant', '401 current']);
      });

    it('refuses a key that was removed, and one whose organization was in its own form', async () => {
      await start(good);
      await change({ ...good, api_keys: [keyDocument(current)] });
      expect(await answers()).to.deep.equal(['200 current', '401 current', '401 current']);
      await change({ ...good, organizations: [{ ...organization, _id: 'other' }] });
      expect(await answers()).to.deep.equal(['401 current', '401 variant', '401 current']);
    });

    for (const [collection, unavailable, refused] of [
      ['api_keys', '503 current', '401 current'],
      ['organizations', '500 variant', '401 variant'],
    ] as const) {
      it(`serves the last copy when ${collection} is found empty, until a document appears`, async () => {
        await start(good);
        for (let load = 0; load < 3; load++) await change({ ...good, [collection]: [] });
        expect(await answers()).to.deep.equal(served);
        const reports = gateway.log.entries.filter(
          ({ event }) => event === 'collection empty, serving the last copy',
        );
        expect(
          reports.map(({ level, facts }) => [level, 'collection' in facts && facts.collection]),
        ).to.deep.equal([['error', collection]]);
        expect(gateway.gateway.keys.isFresh()).to.equal(true);
        const [first = {}] = good[collection];
        await change({ ...good, [collection]: [{ ...first, _id: 'appeared' }] });
        expect(await answers()).to.deep.equal(['401 current', refused, '401 current']);
      });

      it(`refuses every key as unavailable, in its form where that is known, while ${collection} never had a document`, async () => {
        await start({ ...good, [collection]: [] });
        expect(await answers()).to.deep.equal(['503 current', unavailable, '503 current']);
        expect(told()).to.include(
          `collection empty, not ready: there is no ${collection === 'api_keys' ? 'key' : 'organization'}`,
        );
        await change(good);
        expect(await answers()).to.deep.equal(served);
      });
    }
  });
};
