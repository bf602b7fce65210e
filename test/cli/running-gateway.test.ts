import { expect } from 'chai';
import { keyIdIn } from '../../src/keys/key-format.ts';
import type { LogRow } from '../../tools/cli/keys/log.ts';
import { createUsageReader } from '../../tools/operator/usage.ts';
import { useCleanup } from '../support/cleanup.ts';
import { artistDocuments, seriesDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import { expectRefusal, useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { runWarm } from '../support/cli/warm-command.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { until } from '../support/wait.ts';

describe('a running gateway', () => {
  const cleanup = useCleanup(after); // gateways end before their stores
  const operator = useOperatorEnvironment({ redis: true });
  const folder = useInputFolder();
  let gateway: GatewayProcess;
  let another: GatewayProcess;
  const issue = async (form: string): Promise<string> => (await operator.issue(form)).text;
  const get = (key: string, path = '/api/v1/artists') => gateway.get(path, key);
  const statusOf = async (key: string) => (await get(key)).status;
  const untilStatus = (key: string, status: number) =>
    until(`it answers ${status}`, async () => (await statusOf(key)) === status);

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
    // A busy machine may be slower than Redis is here, and a late answer of Redis is a 500 or 503.
    const settings = { ...operator.settings, ...hurried, STORE_TIMEOUT_MS: '10000' };
    const start = () => cleanup.start(startGatewayProcess(settings));
    [gateway, another] = await Promise.all([start(), start()]);
  });

  it('shows no demo key in /docs, which it would refuse', async () => {
    for (const path of ['/docs', '/docs.md'])
      expect((await gateway.get(path)).body).to.not.match(/aik_\w{20}/);
  });

  it('counts the same requests in Redis and in usage', async () => {
    const { id, text } = await operator.issue('current');
    await untilStatus(text, 200);
    const { headers } = await get(text);
    const etag = { 'if-none-match': String(headers['etag']) };
    const asked = [
      gateway.get('/api/v1/artists', text, etag),
      ...[
        '/api/v1/artists/none',
        '/api/v1/artists?limit=x',
        '/api/v1/nothing',
        '/api/v1/spikes',
      ].map((path) => get(text, path)),
    ];
    expect((await Promise.all(asked)).map(({ status }) => status)).to.deep.equal([
      304, 404, 400, 404, 200,
    ]);
    type Shown = readonly { readonly window: string; readonly used: number }[];
    const inRedis = async () =>
      (await operator.json<Shown>('quota show', id)).find(({ window }) => window === 'day')?.used;
    const inUsage = async () => {
      const minutes = await createUsageReader(operator.database.documents).loadMinutes('acme', 0);
      const ofKey = minutes.filter(({ keyId }) => keyId === id);
      return ofKey.reduce((sum, { requests, refused }) => sum + requests - refused, 0);
    };
    const counted = await inRedis();
    expect(counted).to.be.at.least(6);
    await until('usage has as many', async () => (await inUsage()) === counted);
  });

  it('serves series that an import changed', async () => {
    const key = await issue('current');
    await untilStatus(key, 200);
    const historyText = async () => (await get(key, '/api/v1/artists/art_0001')).body;
    expect(await historyText()).to.include('"value":1004');
    await folder.write('history', seriesDocuments(2, { add: 7_000 }));
    await operator.done('catalogue import', folder.path);
    await until('it shows them', async () => (await historyText()).includes('"value":8004'));
  });

  it('counts requests; `quota show` prints the counts and consumes nothing, `quota reset` sets them to 0', async () => {
    await operator.redis?.command('FLUSHALL');
    const key = await issue('current');
    await untilStatus(key, 200);
    const rows = async () => (await operator.done('quota show organization:acme')).split('\n');
    const [titles = '', , dayRow = ''] = await rows();
    expect(titles.split('\t')).to.deep.equal([
      'counted for',
      'window',
      'limit',
      'used',
      'left',
      'resets',
    ]);
    expect(dayRow).to.match(/^organization:acme\tday\t1000\t1\t999\t/);
    expect((await rows())[2]).to.match(/\t1\t999\t/);
    const variant = await operator.issue('variant');
    const ofKey = await operator.json('quota show', keyIdIn(key) ?? '');
    expect(ofKey).to.have.nested.property('[1].left', 999);
    expectRefusal(
      await operator.run('quota reset', keyIdIn(key) ?? ''),
      /^Set the counts of organization:acme to 0\? /,
    );
    const reset = await operator.run('quota reset acme --yes --reason', 'our load test');
    expect(reset.stderr).to.equal(
      `Reset to 0: organization:acme minute, organization:acme day, key:${variant.id} hour.\n`,
    );
    expect((await rows())[2]).to.match(/\t0\t1000\t/);
    expect((await get(key)).headers['x-ratelimit-day-remaining']).to.equal('999');
    expect(await operator.done('keys log --limit 1')).to.match(
      /quota reset\tacme\t\tour load test\t.*day: 1 of 1000/,
    );
  });

  for (const [what, code, ...command] of [
    ['a corrupt count', 'QUOTACORRUPT', 'HSET', 'quota:organization:acme', 'day', 'corrupt'],
    ['a key of another type', 'WRONGTYPE', 'SET', 'quota:organization:acme', 'x'],
  ])
    it(`answers 503 for ${what}, and serves again after \`quota reset\``, async () => {
      const key = await issue('current');
      await untilStatus(key, 200);
      await operator.redis?.command('DEL', 'quota:organization:acme');
      await operator.redis?.command(command[0] ?? '', ...command.slice(1));
      expect(await statusOf(key)).to.equal(503);
      await until('the remedy is logged', async () =>
        gateway.hasLogged(`${code} `, 'artist-gateway quota reset'),
      );
      expectRefusal(
        await operator.run('quota show acme'),
        new RegExp(
          `^Redis cannot count for organization:acme \\(${code} .*\\): run "artist-gateway quota reset" `,
        ),
      );
      await operator.done('quota reset acme --yes --reason corrupt');
      expect(await statusOf(key)).to.equal(200);
      const listed = await operator.done('keys log --limit 1');
      expect(listed).to.match(/quota reset\tacme\t\tcorrupt\t.*day: unreadable/);
    });

  it('moves a key to the other form on every gateway, and back', async () => {
    const { text, id } = await operator.issue('variant', '--per-hour', '9000');
    const both = () =>
      Promise.all([gateway, another].map((each) => each.get('/api/v1/artists', text)));
    const untilServed = (form: string) =>
      until(`both answer in the ${form} form`, async () =>
        (await both()).every(({ headers }) => headers['x-envelope-served'] === form),
      );
    const pin = (form: string) =>
      operator.done(`keys pin ${id} --form ${form} --reason`, 'ticket 77');
    await untilServed('variant');
    await pin('current');
    await untilServed('current');
    await pin('variant');
    await untilServed('variant');
    const moves = (await operator.json<readonly LogRow[]>('keys log --key', id))
      .slice(1)
      .map(({ action, reason, before, after }) => [action, reason, before, after]);
    expect(moves).to.deep.equal([
      ['keys pin', 'ticket 77', { form: 'variant' }, { form: 'current' }],
      ['keys pin', 'ticket 77', { form: 'current' }, { form: 'variant' }],
    ]);
  });

  it('says what to correct when Redis does not let a quota command in', async () => {
    const guarded = await cleanup.start(startRedisServer());
    await guarded.command('CONFIG', 'SET', 'requirepass', 'secret');
    for (const [url, why] of [
      [
        'redis://:pa55word@127.0.0.1:1',
        'connection refused \\(.*\\)\\): start it, or correct REDIS_URL',
      ],
      [
        guarded.url().replace('://', '://:pa55word@'),
        'user or password refused\\): correct the user and the password in REDIS_URL',
      ],
    ]) {
      const ran = await runWarm({ ...operator.settings, REDIS_URL: url ?? '' }, [
        'quota',
        'show',
        'acme',
      ]);
      expectRefusal(ran, new RegExp(`^Redis cannot be reached \\(${why}\\.$`));
      expect(ran.stderr).not.to.include('pa55word');
    }
  });
});
