import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { createMongoIndexes } from '../../adapters/stores/mongodb/indexes.ts';
import { writeHeader, writeRows } from '../../adapters/stores/state/copy-file.ts';
import { dayOf } from '../../src/domain/day.ts';
import { dayMs, hourMs, minuteMs } from '../../src/domain/time.ts';
import { judgeClock, judgeNode } from '../../tools/cli/doctor/judge.ts';
import { useCleanup } from '../support/cleanup.ts';
import { examine } from '../support/cli/examine.ts';
import { artistDocuments } from '../support/cli/input-folder.ts';
import { keyDocument, useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import type { Settings } from '../support/cli/run.ts';

const now = Date.now();

const artist = { ...artistDocuments(1)[0], _id: 'doc', updated_at: new Date(now) };
const acme = { _id: 'acme', name: 'Acme Music' };
const key = (id: string, given: Parameters<typeof keyDocument>[0] = {}) =>
  keyDocument({ id, createdAt: now - 3 * hourMs, ...given });

/** What is stored instead of an artist, a label, an organization and a key of it. */
type Stored = Readonly<
  Partial<Record<'artists' | 'labels' | 'organizations' | 'api_keys', readonly object[]>>
>;

const revoked = { revokedAt: now - hourMs };
const unreadable = { hash: 'none' };
const soon = { expiresAt: now + 20 * hourMs };
const refused = { form: 'variant', perHour: 0 };
const trial = { form: 'current', until: now + hourMs } as const;
const suspended = { ...acme, suspended_at: new Date(now) };

/** What is stored, and how the findings of checks begin. */
const states: Readonly<
  Record<string, readonly [stored: Stored, findings: Readonly<Record<string, string>>]>
> = {
  'nothing stored': [
    { artists: [], labels: [], organizations: [], api_keys: [] },
    {
      ...{ catalogue: 'fail: no artists → ', labels: 'note: no labels → ' },
      ...{ keys: 'fail: no keys → ', organizations: 'fail: no organizations → ' },
    },
  ],
  'an old catalogue, a key without an organization and an expiring key': [
    {
      artists: [{ ...artist, updated_at: new Date(now - 9 * dayMs) }],
      api_keys: [
        key('good'),
        key('lost', { organizationId: 'gone' }),
        key('soon', { expiresAt: now + 10.5 * dayMs }),
      ],
    },
    {
      catalogue: 'note: last changed 9 d ago → ',
      keys: 'ok: 2 of 3 accepted',
      organizations: 'fail: keys without an organization: lost (gone) → ',
      'expiring keys': 'note: soon in 10 d → ',
    },
  ],
  'no accepted key': [
    {
      organizations: [suspended],
      api_keys: [
        key('suspended1'),
        key('expired1', { expiresAt: now - hourMs }),
        key('revoked1', revoked),
        key('lost1', { organizationId: 'gone' }),
      ],
    },
    {
      keys: 'fail: none of 4 is accepted: 1 expired, 1 no organization, 1 revoked, 1 suspended → ',
    },
  ],
  'no readable key': [
    { api_keys: [key('broken1', unreadable)] },
    { keys: 'fail: none of 1 can be read → ' },
  ],
  'an unreadable key, and a revoked key without an organization': [
    {
      api_keys: [
        key('broken1', unreadable),
        key('gone1', { organizationId: 'gone', ...revoked }),
        key('good1'),
      ],
    },
    {
      keys: 'note: cannot be read: broken1 → ',
      organizations: 'ok: every key has an organization',
    },
  ],
  'only an unreadable revoked key': [
    { api_keys: [key('broken1', { ...unreadable, ...revoked })] },
    { keys: 'fail: none of 1 is accepted: 1 revoked → ' },
  ],
  'keys that all expire within a day': [
    { api_keys: [key('soon1', soon)] },
    { keys: 'fail: every accepted key expires within a day → run "artist-gateway keys rotate' },
  ],
  'rotated keys that all expire within a day': [
    { api_keys: [key('soon1', { ...soon, replacedBy: 'gone1' })] },
    { keys: 'fail: every accepted key expires within a day → run "artist-gateway keys issue' },
  ],
  'one key of two that expires within a day': [
    { api_keys: [key('soon1', soon), key('later1', { expiresAt: now + 2 * dayMs })] },
    { keys: 'ok: 2 of 2 accepted' },
  ],
  'a quota of 0 for every key': [
    {
      organizations: [{ ...acme, quota: { per_day: 0 } }],
      api_keys: [key('current1'), key('variant1', refused)],
    },
    { quotas: 'fail: 0 for every key of the current and variant form → ' },
  ],
  'a quota of 0 for every key of a form': [
    { api_keys: [key('current1'), key('variant1', refused)] },
    { quotas: 'fail: 0 for every key of the variant form → ' },
  ],
  'a quota of 0 in the form that the only key tries': [
    {
      organizations: [{ ...acme, quota: { per_minute: 0 } }],
      api_keys: [key('trying1', { form: 'variant', trial })],
    },
    { quotas: 'fail: 0 for every key of the current form → ' },
  ],
  'a quota of 0 for one key of two': [
    { api_keys: [key('variant1', refused), key('variant2', { form: 'variant' })] },
    { quotas: 'note: 0 for variant1 → ' },
  ],
  'an artist that is not served': [
    { artists: [artist, { ...artist, _id: 'broken', id: 'art_broken', name: 7 }] },
    { 'not served': 'fail: artists broken (id art_broken): name: ' },
  ],
};

const writeCopy = async (path: string, answeredAt: number): Promise<void> => {
  const rows = await writeRows(path, []);
  await writeHeader(path, { unit: basename(path), source: 's', answeredAt, ...rows });
};

describe('artist-gateway doctor', () => {
  const cleanup = useCleanup(after);
  const operator = useOperatorEnvironment({ redis: true });
  const configureRedis = async (settings: Settings) => {
    for (const words of Object.entries(settings))
      await operator.redis?.command('CONFIG', 'SET', ...words);
  };
  const look = (more: Settings = {}) => examine({ ...operator.settings, ...more });
  const store = async (given: Stored) => {
    const usual = {
      artists: [artist],
      labels: [{ _id: 'label', name: 'Warner', aliases: [] }],
      organizations: [acme],
      api_keys: [key('key1')],
    };
    for (const [name, documents] of Object.entries({ ...usual, ...given })) {
      await operator.db.collection(name).deleteMany({});
      if (documents.length > 0) await operator.db.collection(name).insertMany([...documents]);
    }
  };
  /** Expects that the findings of checks begin with these texts; `undefined` for no finding. */
  const finds = async (
    settings: Settings,
    expected: Readonly<Record<string, string | undefined>>,
  ): Promise<void> => {
    const found = await look(settings);
    for (const [check, text] of Object.entries(expected))
      expect(found.get(check)?.slice(0, text?.length), check).to.equal(text);
  };

  before(async () => {
    await configureRedis({ appendonly: 'yes', 'maxmemory-policy': 'noeviction' });
    await createMongoIndexes(operator.db).create();
  });
  beforeEach(() => store({}));

  it('reports keys that still call near their sunset or after it', async () => {
    const ending = (id: string, sunset: string) => ({ ...key(id, { form: 'variant' }), sunset });
    await store({
      api_keys: [
        ending('past', dayOf(now - 3 * dayMs)),
        ending('near', dayOf(now + 3 * dayMs)),
        ending('silent', dayOf(now + 3 * dayMs)),
        ending('later', dayOf(now + 60 * dayMs)),
      ],
    });
    const usage = ['past', 'near', 'later'].map((key_id) => ({
      ...{ _id: key_id, key_id, organization_id: 'acme', form: 'variant', status: 200 },
      ...{ day: dayOf(now), requests: 1, uses: {}, last_at: new Date(now) },
    }));
    await operator.db.collection<{ _id: string }>('usage').insertMany(usage);
    const found = (await look()).get('keys near sunset');
    await operator.db.collection('usage').deleteMany({});
    expect(found).to.match(/^note: past 3 d ago, near in 2 d → /);
  });

  it('prints a line for each check, and fails none if all is well', async () => {
    const found = await look();
    const expected: Readonly<Record<string, RegExp>> = {
      settings: /^ok: valid$/,
      mongodb: /^ok: reachable$/,
      'mongodb rights': /^ok: reads all collections, writes usage$/,
      indexes: /^ok: complete$/,
      'mongodb clock': /^(ok: 0\.\d s (behind|ahead of) this machine$|note: unknown)/,
      catalogue: /^ok: last changed \d+ (s|min) ago$/,
      labels: /^ok: 1 tracked$/,
      keys: /^ok: 1 of 1 accepted$/,
      organizations: /^ok: every key has an organization$/,
      'expiring keys': /^ok: none within 30 days$/,
      'keys near sunset': /^ok: none still in use$/,
      quotas: /^ok: none is 0$/,
      redis: /^ok: reachable$/,
      'redis rights': /^ok: counts and refunds$/,
      'redis policy': /^ok: noeviction$/,
      'redis persistence': /^ok: a crash gives back at most/,
      'redis clock': /^ok: 0\.\d s (behind|ahead of) this machine$/,
    };
    for (const [check, text] of Object.entries(expected))
      expect(found.get(check), check).to.match(text);
    expect([...found.keys()]).to.have.members(['node', ...Object.keys(expected)]);
  });

  for (const [what, [stored, findings]] of Object.entries(states))
    it(`reports ${what}`, async () => {
      await store(stored);
      await finds({}, findings);
    });

  it('reports the setting in which running gateways differ', async () => {
    const usage = operator.db.collection<{ _id: string }>('usage_minutes');
    const total = (_id: string, at: number, SPIKE_FLOOR: string) => ({
      ...{ _id, hour: new Date(at - (at % hourMs)), key_id: 'key1', organization_id: 'acme' },
      ...{ requests: 1, settings: { SPIKE_FLOOR, SPIKE_THRESHOLD_PERCENT: '20' } },
      minutes: { [new Date(at).getUTCMinutes()]: { requests: 1, refused: 0 } },
    });
    await usage.insertMany([
      total('one:1', Date.now(), '1000'),
      total('ended:1', Date.now() - 10 * minuteMs, '5'),
    ]);
    expect((await look()).get('gateways')).to.equal('ok: answer by the same settings');
    await usage.insertOne(total('two:1', Date.now(), '60'));
    const found = (await look()).get('gateways');
    await usage.deleteMany({});
    expect(found).to.equal('fail: SPIKE_FLOOR differs: 1000, 60 → give all gateways one value');
  });

  it('warns if PUBLIC_URL is not set in production', () =>
    finds({ NODE_ENV: 'production' }, { settings: 'note: without PUBLIC_URL' }));

  it('reports whether STATE_DIR can be used, without a key in its path', async () => {
    const folder = await cleanup.makeFolder('state');
    const path = (name: string) => join(folder, name);
    await writeFile(path('file'), '');
    await mkdir(path('open'));
    await chmod(path('open'), 0o770);
    for (const [STATE_DIR, state] of [
      [folder, `ok: ${folder} can be written`],
      [path('open'), `fail: ${path('open')}: other users may write to it. Run "chmod go-w `],
      [path('later'), `note: ${path('later')} does not exist → `],
      [path('file'), `fail: ${path('file')} is a file → `],
      [path('file/state'), 'fail: ENOTDIR: '],
      [path('aik_3fK9sQ2xA_s3cret'), `note: ${path('aik_3fK9sQ2xA_… does not exist')}`],
    ] as const)
      await finds({ STATE_DIR }, { state });
  });

  it('reports copies that are too old, unusable, or missing if the other exists', async () => {
    const folder = join(await cleanup.makeFolder('copies'), 'state');
    await mkdir(folder);
    const path = (unit: string) => join(folder, unit);
    const copies = (keys: string | undefined, catalogue: string | undefined) =>
      finds({ STATE_DIR: folder }, { 'copy of keys': keys, 'copy of catalogue': catalogue });
    const fresh = 'ok: as of 1 min ago';
    await copies(undefined, undefined);
    await writeCopy(path('keys'), Date.now() - 3 * hourMs);
    await copies('fail: as of 3 h ago, served for 5m → ', 'fail: does not exist → ');
    await writeCopy(path('keys'), Date.now() - minuteMs);
    await writeFile(path('catalogue.json'), 'cut off\n');
    await copies(fresh, 'fail: not a copy file → delete it');
    await rm(path('keys.json'));
    await writeCopy(path('catalogue'), Date.now() - minuteMs);
    await copies('fail: does not exist → ', fresh);
  });

  it('reports a Redis that may lose counts, and a Redis user without rights', async () => {
    await configureRedis({ appendonly: 'no', 'maxmemory-policy': 'allkeys-lru' });
    const policy = 'fail: allkeys-lru: counts may be evicted → ';
    const persistence = 'note: off: after a crash ';
    await finds({}, { 'redis policy': policy, 'redis persistence': persistence });
    const rights = ['on', '>pass', '~*', '+@all', '-@scripting', '-config'];
    await operator.redis?.command('ACL', 'SETUSER', 'poor', ...rights);
    const unread = 'note: not readable → ';
    await finds(
      { REDIS_URL: operator.redis?.url().replace('//', '//poor:pass@') ?? '' },
      { 'redis rights': 'fail: NOPERM ', 'redis policy': unread, 'redis persistence': unread },
    );
    const full = { 'maxmemory-policy': 'noeviction', maxmemory: '1' };
    for (const [settings, found] of [
      [full, 'fail: OOM '],
      [{ maxmemory: '0', 'min-replicas-to-write': '1' }, 'fail: NOREPLICAS '],
      [{ 'min-replicas-to-write': '0' }, 'ok: '],
    ] as const) {
      await configureRedis(settings);
      await finds({}, { 'redis rights': found });
    }
  });

  it('reports missing indexes, unreachable stores, wrong settings and a sandbox', async () => {
    const { MONGODB_URL = '' } = operator.settings;
    const empty = { MONGODB_URL: MONGODB_URL.replace('gateway_cli', 'gateway_empty') };
    await finds(empty, { indexes: 'fail: missing: artists.stable_id, ' });
    const away = {
      MONGODB_URL: 'mongodb://o:pa55@127.0.0.1:1/x',
      REDIS_URL: 'redis://:pa55@127.0.0.1:1',
    };
    const found = await look(away);
    for (const store of ['mongodb', 'redis'])
      expect(found.get(store)).to.equal(
        `fail: connection refused (127.0.0.1:1) → start it, or correct ${store.toUpperCase()}_URL`,
      );
    expect([...found.values()].join()).not.to.include('pa55');
    await finds({ PORT: 'http' }, { settings: 'fail: PORT is "http": ' });
    expect((await examine({})).get('settings')).to.match(/^note: Sandbox, /);
  });

  it('reports clocks that differ and old versions of Node', () => {
    for (const [finding, state, found] of [
      [judgeClock('clock', -3_000), 'fail', '3.0 s behind this machine'],
      [judgeClock('clock', undefined), 'note', 'unknown'],
      [judgeNode('v20.20.2'), 'note', 'v20.20.2, without security fixes'],
      [judgeNode('v22.11.0'), 'ok', 'v22.11.0'],
    ] as const)
      expect(finding).to.include({ state, found });
  });
});
