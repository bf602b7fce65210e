import { expect } from 'chai';
import { createUsageReader } from '../../tools/operator/usage.ts';
import { useCleanup } from '../support/cleanup.ts';
import { artistDocuments, seriesDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import { expectRefusal, useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { runWarm } from '../support/cli/run.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { until } from '../support/wait.ts';

describe('a running gateway', () => {
  const cleanup = useCleanup(after); // the gateway ends before its stores
  const operator = useOperatorEnvironment({ redis: true });
  const folder = useInputFolder();
  let gateway: GatewayProcess;
  let id = '';
  let key = '';
  const get = (path = '/api/v1/artists', headers = {}) => gateway.get(path, key, headers);
  const status = async () => (await get()).status;

  before(async () => {
    await folder.write('artists', artistDocuments(2));
    await folder.write('history', seriesDocuments(2));
    await operator.done('catalogue import', folder.path);
    await operator.done('organizations set acme --name Acme --per-minute 100000 --per-day 1000');
    const hurried = {
      KEYS_REFRESH_SECONDS: '0.2',
      CATALOGUE_REFRESH_SECONDS: '0.2',
      USAGE_FLUSH_SECONDS: '0.2',
    };
    // A busy machine may be slower than Redis is here, and a late reply of Redis is a 500 or 503.
    const settings = { ...operator.settings, ...hurried, STORE_TIMEOUT_MS: '10000' };
    gateway = await cleanup.start(startGatewayProcess(settings));
    ({ id, text: key } = await operator.issue('current'));
    await until('the key is served', async () => (await status()) === 200);
  });

  it('counts the same requests in Redis and in usage', async () => {
    const etag = { 'if-none-match': String((await get()).headers['etag']) };
    const paths = ['/api/v1/artists/none', '/api/v1/artists?limit=x', '/api/v1/nothing'];
    const replies = await Promise.all([get(undefined, etag), ...paths.map((path) => get(path))]);
    expect(replies.map((reply) => reply.status)).to.deep.equal([304, 404, 400, 404]);
    type Shown = readonly { readonly window: string; readonly used: number }[];
    const shown = await operator.json<Shown>('quota show', id);
    const counted = shown.find(({ window }) => window === 'day')?.used;
    expect(counted).to.be.at.least(4);
    await until('usage has as many', async () => {
      const minutes = await createUsageReader(operator.database.documents).loadMinutes('acme', 0);
      const granted = minutes.map(({ requests, refused }) => requests - refused);
      return granted.reduce((sum, one) => sum + one, 0) === counted;
    });
  });

  it('serves series that an import changed, and no demo key in /docs', async () => {
    const history = async () => (await get('/api/v1/artists/art_0001')).body;
    expect(await history()).to.include('"value":1004');
    await folder.write('history', seriesDocuments(2, { add: 7_000 }));
    await operator.done('catalogue import', folder.path);
    await until('it shows them', async () => (await history()).includes('"value":8004'));
    expect((await gateway.get('/docs')).body).to.not.match(/aik_\w{20}/);
  });

  it('has counts that `quota show` reads and `quota reset` sets to 0', async () => {
    await operator.redis?.command('FLUSHALL');
    await get();
    const rows = async () => (await operator.done('quota show organization:acme')).split('\n');
    const [titles, , day] = await rows();
    expect(titles).to.equal('counted for\twindow\tlimit\tused\tleft\tresets');
    expect(day).to.match(/^organization:acme\tday\t1000\t1\t999\t/);
    expect((await rows())[2]).to.equal(day);
    const variant = await operator.issue('variant');
    expect(await operator.json('quota show', id)).to.have.nested.property('[1].left', 999);
    expectRefusal(
      await operator.run('quota reset', id),
      /^Set the counts of organization:acme to 0\? /,
    );
    const reset = await operator.run('quota reset acme --yes --reason mine');
    expect(reset.stderr).to.equal(
      `Reset to 0: organization:acme minute, organization:acme day, key:${variant.id} hour.\n`,
    );
    expect((await rows())[2]).to.match(/\t0\t1000\t/);
    expect((await get()).headers['x-ratelimit-day-remaining']).to.equal('999');
    const log = await operator.done('keys log --limit 1');
    expect(log).to.match(/quota reset\tacme\t\tmine\t.*day: 1 of 1000/);
  });

  for (const [what, code, ...command] of [
    ['a corrupt count', 'QUOTACORRUPT', 'HSET', 'quota:organization:acme', 'day', 'corrupt'],
    ['a key of another type', 'WRONGTYPE', 'SET', 'quota:organization:acme', 'x'],
  ])
    it(`returns 503 for ${what}, until \`quota reset\``, async () => {
      await operator.redis?.command('DEL', 'quota:organization:acme');
      await operator.redis?.command(command[0] ?? '', ...command.slice(1));
      expect(await status()).to.equal(503);
      await until('the remedy is logged', async () =>
        gateway.hasLogged(`${code} `, 'artist-gateway quota reset'),
      );
      const shown = await operator.run('quota show acme');
      const advice = `^Redis cannot count for organization:acme \\(${code} .*\\): run "artist-gateway quota reset" `;
      expectRefusal(shown, new RegExp(advice));
      await operator.done('quota reset acme --yes --reason corrupt');
      expect(await status()).to.equal(200);
      const log = await operator.done('keys log --limit 1');
      expect(log).to.match(/quota reset\tacme\t\tcorrupt\t.*day: unreadable/);
    });

  it('`quota show` says what to correct if Redis refuses it', async () => {
    const guarded = await cleanup.start(startRedisServer());
    await guarded.command('CONFIG', 'SET', 'requirepass', 'secret');
    for (const [REDIS_URL, why] of [
      [
        'redis://:pa55word@127.0.0.1:1',
        'connection refused \\(.*\\)\\): start it, or correct REDIS_URL',
      ],
      [
        guarded.url().replace('://', '://:pa55word@'),
        'user or password refused\\): correct the user and the password in REDIS_URL',
      ],
    ] as const) {
      const settings = { ...operator.settings, REDIS_URL };
      const ran = await runWarm(settings, ['quota', 'show', 'acme']);
      expectRefusal(ran, new RegExp(`^Redis cannot be reached \\(${why}\\.$`));
      expect(ran.stderr).not.to.include('pa55word');
    }
  });
});
