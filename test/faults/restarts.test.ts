import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { useCleanup } from '../support/cleanup.ts';
import { demoKey } from '../support/documents.ts';
import { type DatabaseUnderFault, startDatabaseUnderFault } from '../support/faults/database.ts';
import type { GatewayProcess } from '../support/gateway-process.ts';
import { rejectionOf, until } from '../support/wait.ts';

const current = demoKey('qaCurrent');
const variant = demoKey('qaVariant');
const revoked = demoKey('qaSwitch1');
const list = '/api/v1/artists?limit=100';

/** What both forms serve from memory alone, without what differs for each request. */
const pages = ['artists?limit=100', 'spikes?days=7', 'signings'].flatMap((path) =>
  [current, variant].map((key) => [`/api/v1/${path}`, key] as const),
);

const readPages = async (gateway: GatewayProcess): Promise<unknown[]> => {
  const answers = [];
  for (const [path, key] of pages) {
    const { status, headers, body } = await gateway.get(path, key);
    const { meta: _, ...rest } = JSON.parse(body);
    answers.push({ path, status, etag: headers.etag, rest });
  }
  return answers;
};

const statuses = async (gateway: GatewayProcess): Promise<readonly number[]> => [
  (await gateway.get(list, current)).status,
  (await gateway.get(list, variant)).status,
];

const serves = (gateway: GatewayProcess) => async () =>
  (await statuses(gateway)).join() === '200,200';

const warnings = ({ lines }: GatewayProcess): string[] =>
  lines.filter((line) => line.includes('copy not written'));

describe('a gateway with STATE_DIR', () => {
  const cleanup = useCleanup(after);
  let folder: string;
  let setup: DatabaseUnderFault;
  /** The gateway that uses the folder. */
  let running: GatewayProcess;
  const restart = async (others: Record<string, string> = {}): Promise<GatewayProcess> => {
    await running.stop();
    running = await cleanup.start(setup.startAnother(others));
    return running;
  };

  before(async () => {
    folder = await cleanup.makeFolder('state');
    const staleness = { MAX_STALENESS_SECONDS: '60', KEYS_MAX_STALENESS_SECONDS: '60' };
    setup = await cleanup.start(
      startDatabaseUnderFault({ settings: { STATE_DIR: folder, ...staleness } }),
    );
    running = setup.gateway;
  });
  afterEach(() => setup.proxy.release());

  it('serves from its copy after it was killed', async () => {
    await until('both copies are written', () =>
      ['keys', 'catalogue'].every((unit) => existsSync(join(folder, `${unit}.json`))),
    );
    running.signal('SIGKILL');
    await running.exit;
    setup.proxy.hold();
    await until('it serves', serves(await restart()));
  });

  it('exits with one line if MONGODB_URL is unusable, even after it loaded the copy', async () => {
    const url = `${setup.mongo.url('gateway', setup.proxy.port)}&nosuch=1`;
    const restarted = await restart({ MONGODB_URL: url });
    expect(await restarted.exit).to.deep.equal({ code: 2, signal: null });
    expect(restarted.hasLogged('copy loaded')).to.equal(true);
    const told = restarted.lines.filter(
      (line) => !line.startsWith('{') && !line.startsWith('Sandbox, '),
    );
    expect(told).to.deep.equal(['MONGODB_URL is not usable: option nosuch is not supported.']);
  });

  it('serves the same lists after a restart without MongoDB, and rejects a revoked key', async () => {
    const gateway = await restart();
    await until('it serves', serves(gateway));
    const revocation = { $set: { revoked_at: new Date('2026-08-01T00:00:00Z') } };
    const keys = setup.db.collection<{ _id: string }>('api_keys');
    await keys.updateOne({ _id: 'qaSwitch1' }, revocation);
    const isRejected = async () => (await gateway.get(list, revoked)).status === 401;
    await until('the key is rejected', isRejected);
    const before = await readPages(gateway);
    setup.proxy.hold();
    const restarted = await restart();
    await until('it serves', serves(restarted));
    expect(await readPages(restarted)).to.deep.equal(before);
    expect((await restarted.get(list, revoked)).status).to.equal(401);
    expect((await restarted.get(list, current.replace(/.$/, '0'))).status).to.equal(401);
    expect((await restarted.get('/api/v1/artists/art_4jt8re', current)).status).to.equal(503);
    expect(restarted.hasLogged('copy loaded')).to.equal(true);
  });

  for (const [setting, what] of [
    ['KEYS_MAX_STALENESS_SECONDS', 'keys'],
    ['MAX_STALENESS_SECONDS', 'artists'],
  ] as const) {
    it(`returns 503 (variant form: 500) if ${what} of the copy are older than ${setting}`, async () => {
      setup.proxy.hold();
      const restarted = await restart({ [setting]: '1' });
      await until(
        'both copies are loaded',
        async () => (await statuses(restarted)).join() === '503,500',
      );
      const { body } = await restarted.get(list, variant);
      expect(body).to.match(/^{"error":"server_error"/);
    });
  }

  it('does not start if other users may write to the folder', async () => {
    await running.stop();
    await chmod(folder, 0o770);
    const ended = await rejectionOf(restart());
    await chmod(folder, 0o700);
    expect(ended).to.include(
      `STATE_DIR is ${folder}: other users may write to it. Run "chmod go-w ${folder}", or`,
    );
  });

  if (process.platform === 'linux') {
    it('warns, serves and leaves no part of a copy if the disk is full', async () => {
      setup.proxy.hold();
      const full = await restart({ STATE_DIR: join(folder, 'full') });
      // as if 1,000 bytes were left on the disk
      execFileSync('prlimit', ['--pid', String(full.pid), '--fsize=1000']);
      setup.proxy.release();
      await until('it serves', serves(full));
      await until('it warns of both copies', () => warnings(full).length === 2);
      expect(warnings(full).join('\n')).to.include('EFBIG');
      expect(await readdir(join(folder, 'full'))).to.deep.equal(['lock']);
      expect(await statuses(full)).to.deep.equal([200, 200]);
    });
  }
});
