import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { createMongoIndexes } from '../../adapters/stores/mongodb/indexes.ts';
import { writeHeader, writeRows } from '../../adapters/stores/state/copy-file.ts';
import { dayOf } from '../../src/domain/day.ts';
import { examineRights } from '../../tools/cli/doctor/examine-mongodb.ts';
import { judgeClock, judgeNode } from '../../tools/cli/doctor/judge.ts';
import { useCleanup } from '../support/cleanup.ts';
import { examine, formatFinding } from '../support/cli/examine.ts';
import { artistDocuments } from '../support/cli/input-folder.ts';
import { keyDocument, useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import type { Settings } from '../support/cli/run.ts';

const now = Date.now();
const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];

const artist = { ...artistDocuments(1)[0], _id: 'doc', updated_at: new Date(now) };
const acme = { _id: 'acme', name: 'Acme Music' };
const key = (id: string, given: Parameters<typeof keyDocument>[0] = {}) =>
  keyDocument({ id, createdAt: now - 3 * hourMs, ...given });

/**
 * What is stored instead of an artist, an organization and a key of it, and what the doctor says of
 * that.
 */
interface State {
  readonly artists?: readonly object[];
  readonly labels?: readonly object[];
  readonly organizations?: readonly object[];
  readonly api_keys?: readonly object[];
  readonly said: Readonly<Record<string, string>>;
}

const absent = (what: string, command: string) =>
  `fail: no ${what}s → run "artist-gateway ${command}", or correct MONGODB_URL`;
const raise = 'raise it with "artist-gateway organizations set" or "keys set"';
const rotate = 'run "artist-gateway keys rotate KEY --overlap 7d"';
const issue = 'run "artist-gateway keys issue --organization ID …"';
const expireToday = 'fail: every accepted key expires within a day';

const states: Readonly<Record<string, State>> = {
  'nothing stored': {
    ...{ artists: [], organizations: [], api_keys: [] },
    said: {
      catalogue: absent('artist', 'catalogue import'),
      keys: absent('key', 'keys issue --organization ID …'),
      organizations: absent('organization', 'organizations set ID --name …'),
    },
  },
  'no label': {
    labels: [],
    said: {
      labels:
        'note: no labels → import labels.json: "signings" list only artists whose status is "signed"',
    },
  },
  'a catalogue that did not change, a key of nobody, and one that expires soon': {
    artists: [{ ...artist, updated_at: new Date(now - 9 * dayMs) }],
    api_keys: [
      key('good'),
      key('lost', { organizationId: 'nobody' }),
      key('soon', { expiresAt: now + 10.5 * dayMs }),
    ],
    said: {
      catalogue: 'note: last changed 9 d ago → check the job that imports it',
      keys: 'ok: 2 of 3 accepted',
      organizations:
        'fail: keys without an organization: lost (nobody) → run "artist-gateway organizations set ID --name …"',
      'expiring keys': `note: soon in 10 d → ${rotate}`,
    },
  },
  'a revoked key of nobody': {
    api_keys: [key('good'), key('lost', { organizationId: 'nobody', revokedAt: now - hourMs })],
    said: { keys: 'ok: 1 of 2 accepted', organizations: 'ok: every key has an organization' },
  },
  'no key that is accepted': {
    organizations: [{ ...acme, suspended_at: new Date(now - hourMs) }],
    api_keys: [
      key('suspended1'),
      key('expired1', { expiresAt: now - hourMs }),
      key('revoked1', { revokedAt: now - hourMs }),
      key('lost1', { organizationId: 'nobody' }),
    ],
    said: {
      keys: `fail: none of 4 is accepted: 1 expired, 1 no organization, 1 revoked, 1 suspended → ${issue}, or "organizations resume ID"`,
    },
  },
  'no key that can be read': {
    api_keys: [key('broken1', { hash: 'none' })],
    said: { keys: 'fail: none of 1 can be read → correct the documents named in the log' },
  },
  'a key that cannot be read': {
    api_keys: [key('broken1', { hash: 'none' }), key('good1')],
    said: {
      keys: 'note: cannot be read: broken1 → correct the documents that "keys list" shows as unreadable, or revoke the keys',
    },
  },
  'a key that cannot be read and is revoked': {
    api_keys: [key('broken1', { hash: 'none', revokedAt: now - hourMs }), key('good1')],
    said: { keys: 'ok: 1 of 1 accepted' },
  },
  'only keys that cannot be read and are revoked': {
    api_keys: [key('broken1', { hash: 'none', revokedAt: now - hourMs })],
    said: {
      keys: `fail: none of 1 is accepted: 1 revoked → ${issue}, or "organizations resume ID"`,
    },
  },
  'keys that all expire within a day': {
    api_keys: [key('soon1', { expiresAt: now + 20 * hourMs })],
    said: { keys: `${expireToday} → ${rotate}` },
  },
  'keys that all expire within a day and were rotated': {
    api_keys: [key('soon1', { expiresAt: now + 20 * hourMs, replacedBy: 'gone1' })],
    said: { keys: `${expireToday} → ${issue}` },
  },
  'keys of which one lasts another day': {
    api_keys: [
      key('soon1', { expiresAt: now + 20 * hourMs }),
      key('later1', { expiresAt: now + 2 * dayMs }),
    ],
    said: { keys: 'ok: 2 of 2 accepted' },
  },
  'a quota of 0 for every key': {
    organizations: [{ ...acme, quota: { per_day: 0 } }],
    api_keys: [key('current1'), key('variant1', { form: 'variant', perHour: 0 })],
    said: { quotas: `fail: 0 for every key of the current and variant form → ${raise}` },
  },
  'a quota of 0 for every key of a form': {
    api_keys: [key('current1'), key('variant1', { form: 'variant', perHour: 0 })],
    said: { quotas: `fail: 0 for every key of the variant form → ${raise}` },
  },
  'a quota of 0 in the form that the only key tries': {
    organizations: [{ ...acme, quota: { per_minute: 0 } }],
    api_keys: [
      key('trying1', { form: 'variant', trial: { form: 'current', until: now + hourMs } }),
    ],
    said: { quotas: `fail: 0 for every key of the current form → ${raise}` },
  },
  'a quota of 0 for one of two keys': {
    api_keys: [
      key('variant1', { form: 'variant', perHour: 0 }),
      key('variant2', { form: 'variant' }),
    ],
    said: { quotas: `note: 0 for variant1 → ${raise}` },
  },
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
  const store = async ({
    artists = [artist],
    labels = [{ _id: 'label', name: 'Warner', aliases: [] }],
    organizations = [acme],
    api_keys = [key('key1')],
  }: Partial<State>) => {
    for (const [name, documents] of Object.entries({
      artists,
      labels,
      organizations,
      api_keys,
    })) {
      await operator.db.collection(name).deleteMany({});
      if (documents.length > 0) await operator.db.collection(name).insertMany([...documents]);
    }
  };

  before(async () => {
    await configureRedis({ appendonly: 'yes', 'maxmemory-policy': 'noeviction' });
    await createMongoIndexes(operator.db).create();
  });
  beforeEach(() => store({}));

  it('names keys that still call near their sunset or after it', async () => {
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
    expect(found).to.match(
      /^note: past 3 d ago, near in 2 d → run "artist-gateway migration status", and write to their partners$/,
    );
  });

  it('prints a line for each check, and fails none where everything is well', async () => {
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

  for (const [what, { said, ...stored }] of Object.entries(states))
    it(`names ${what}, and what to do`, async () => {
      await store(stored);
      const found = await look();
      for (const [check, text] of Object.entries(said)) expect(found.get(check)).to.equal(text);
    });

  it('names the setting in which gateways that count now differ, and no gateway that ended', async () => {
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

  it('names an artist that is not served, by both ids', async () => {
    await store({ artists: [artist, { ...artist, _id: 'broken', id: 'art_broken', name: 7 }] });
    expect((await look()).get('not served')).to.match(
      /^fail: artists broken \(id art_broken\): name: .* → correct the document$/,
    );
  });

  it('notes that PUBLIC_URL is not set in production', async () => {
    expect((await look({ NODE_ENV: 'production' })).get('settings')).to.match(
      /^note: without PUBLIC_URL/,
    );
  });

  it('names a STATE_DIR that cannot be written, and none that the gateway can make', async () => {
    const folder = await cleanup.makeFolder('state');
    const [file, open, later] = ['file', 'open', 'later'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    await writeFile(file, '');
    await mkdir(open);
    await chmod(open, 0o770);
    for (const [path, said] of [
      [folder, `ok: ${folder} can be written`],
      [open, `fail: ${open}: other users may write to it. Run "chmod go-w `],
      [later, `note: ${later} does not exist → the gateway creates it on its first load`],
      [file, `fail: ${file} is a file → correct STATE_DIR`],
      [join(file, 'state'), 'fail: ENOTDIR: '],
    ] as const)
      expect((await look({ STATE_DIR: path })).get('state')?.startsWith(said), said).to.equal(true);
  });

  it('prints of a key in the path of STATE_DIR only the id', async () => {
    const folder = await cleanup.makeFolder('state');
    const found = await look({ STATE_DIR: join(folder, 'aik_3fK9sQ2xA_s3cret') });
    expect(found.get('state')).to.include(`${folder}/aik_3fK9sQ2xA_… does not exist`);
  });

  it('names copies in STATE_DIR that are older than they may be served, or cannot be used', async () => {
    const folder = join(await cleanup.makeFolder('copies'), 'state');
    await mkdir(folder);
    const copies = async () => {
      const found = await look({ STATE_DIR: folder });
      return [found.get('copy of keys'), found.get('copy of catalogue')];
    };
    for (const [unit, ageMs] of [
      ['keys', 3 * hourMs],
      ['catalogue', minuteMs],
    ] as const)
      await writeCopy(join(folder, unit), Date.now() - ageMs);
    expect(await copies()).to.deep.equal([
      'fail: as of 3 h ago, served for 5m → start the gateway, or look for "copy not written" or "refresh failed" in its log',
      'ok: as of 1 min ago',
    ]);
    await writeCopy(join(folder, 'keys'), Date.now() - minuteMs);
    await writeFile(join(folder, 'catalogue.json'), 'cut off\n');
    expect(await copies()).to.deep.equal([
      'ok: as of 1 min ago',
      'fail: not a copy file → delete it: the gateway writes it again',
    ]);
  });

  it('names the copy in STATE_DIR that is missing beside the other, and none in an empty folder', async () => {
    const folder = join(await cleanup.makeFolder('one copy'), 'state');
    await mkdir(folder);
    const path = (unit: string) => join(folder, unit);
    const copies = async () => {
      const found = await look({ STATE_DIR: folder });
      return [found.get('copy of keys'), found.get('copy of catalogue')];
    };
    expect(await copies()).to.deep.equal([undefined, undefined]);
    const missing =
      'fail: does not exist → start the gateway, or look for "copy not written" or "refresh failed" in its log';
    await writeCopy(path('keys'), Date.now() - minuteMs);
    expect(await copies()).to.deep.equal(['ok: as of 1 min ago', missing]);
    await rm(`${path('keys')}.json`);
    await writeCopy(path('catalogue'), Date.now() - minuteMs);
    expect(await copies()).to.deep.equal([missing, 'ok: as of 1 min ago']);
  });

  it('names a Redis that may lose counts, and a user of it without the rights it needs', async () => {
    await configureRedis({ appendonly: 'no', 'maxmemory-policy': 'allkeys-lru' });
    const risky = await look();
    expect(risky.get('redis policy')).to.match(/^fail: allkeys-lru: counts may be evicted → /);
    expect(risky.get('redis persistence')).to.match(
      /^note: off: after a crash quotas start at the last snapshot, or at 0 → /,
    );
    await operator.redis?.command(
      'ACL',
      'SETUSER',
      'poor',
      'on',
      '>pass',
      '~*',
      '+@all',
      '-@scripting',
      '-config',
    );
    const poor = await look({
      REDIS_URL: operator.redis?.url().replace('//', '//poor:pass@') ?? '',
    });
    expect(poor.get('redis rights')).to.match(
      /^fail: NOPERM .* → grant its user the rights in docs\/operating\.md, "Redis"$/,
    );
    expect(poor.get('redis policy')).to.match(/^note: not readable → /);
    expect(poor.get('redis persistence')).to.match(/^note: not readable → /);
  });

  it('says what to do about a Redis that cannot count for another reason than rights', async () => {
    for (const [settings, found] of [
      [{ maxmemory: '1' }, /^fail: OOM .* → give it more memory, or a server of its own$/],
      [
        { maxmemory: '0', 'min-replicas-to-write': '1' },
        /^fail: NOREPLICAS .* → start its replicas, or lower min-replicas-to-write$/,
      ],
      [{ 'min-replicas-to-write': '0' }, /^ok: /],
    ] as const) {
      await configureRedis({ 'maxmemory-policy': 'noeviction', ...settings });
      expect((await look()).get('redis rights')).to.match(found);
    }
  });

  it('names missing indexes, stores that cannot be reached, without a password, wrong settings and a sandbox', async () => {
    const MONGODB_URL =
      operator.settings['MONGODB_URL']?.replace('gateway_cli', 'gateway_empty') ?? '';
    expect((await look({ MONGODB_URL })).get('indexes')).to.match(
      /^fail: missing: artists\.stable_id, .*history\.series/,
    );
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
    expect((await look({ PORT: 'http' })).get('settings')).to.match(/^fail: PORT is "http": /);
    const otherScheme = await look({ MONGODB_URL: 'http://db/gateway' });
    expect(otherScheme.get('settings')).to.match(
      /^fail: MONGODB_URL is not usable: it must begin with mongodb:/,
    );
    expect((await examine({})).get('settings')).to.match(/^note: Sandbox, /);
  });

  it('judges clocks and versions of Node', () => {
    for (const [finding, text] of [
      [judgeClock('clock', -3_000), /^fail: 3\.0 s behind this machine → synchronise both/],
      [judgeClock('clock', undefined), /^note: unknown → compare it with the machine's by hand$/],
      [judgeNode('v20.20.2'), /^note: v20\.20\.2, without security fixes → use Node 22 or later$/],
      [judgeNode('v22.11.0'), /^ok: v22\.11\.0$/],
    ] as const)
      expect(formatFinding(finding)).to.match(text);
  });

  it('judges what a user of MongoDB cannot do', async () => {
    const attempt = async (name: string) => {
      if (name.startsWith('usage')) throw new Error('not authorized');
    };
    const explain = (thrown: unknown) => ({ reason: String(thrown), remedy: 'grant it' });
    const names = ['artists', 'usage', 'usage_minutes'];
    const found = await examineRights('write', names, attempt, explain);
    expect(found && formatFinding(found)).to.equal(
      'fail: cannot write usage, usage_minutes (Error: not authorized) → grant it',
    );
    expect(await examineRights('read', ['artists'], attempt, explain)).to.equal(undefined);
  });
});
