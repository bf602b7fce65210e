import { expect } from 'chai';
import { z } from 'zod';
import { expectChanges } from '../support/cli/expect-changes.ts';
import { artistDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import {
  createOperatorEnvironment,
  expectRefusal,
  expectUsageError,
  type OperatorEnvironment,
} from '../support/cli/operator-environment.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { until } from '../support/wait.ts';

const entries = z.array(
  z.looseObject({
    action: z.string(),
    reason: z.string().optional(),
    before: z.record(z.string(), z.unknown()).optional(),
    after: z.record(z.string(), z.unknown()).optional(),
  }),
);
const readiness = z.looseObject({
  verdict: z.string(),
  line: z.string(),
  keys: z.array(z.looseObject({ key: z.string(), paths: z.array(z.looseObject({ path: z.string() })) })),
  quota: z.looseObject({ asked: z.number(), would_refuse: z.number() }),
});

describe('keys pin', function () {
  this.timeout(60_000);
  let operator: OperatorEnvironment;
  const folder = useInputFolder();
  let gateways: readonly GatewayProcess[] = [];

  const pin = (id: string, form: string, ...more: string[]) =>
    operator.run(`keys pin ${id} --form ${form} --reason`, 'ticket 77', ...more);
  const stored = (id: string) => operator.collection('api_keys').findOne({ _id: id });
  const logOf = async (id: string) => entries.parse(await operator.json('keys log --key', id));
  const answers = (key: string) => Promise.all(gateways.map((gateway) => gateway.get('/api/v1/artists', key)));
  const served = async (key: string) => (await answers(key)).map(({ headers }) => headers['x-envelope-served']);
  const untilServed = (key: string, form: string) =>
    until(`both gateways answer in the ${form} form`, async () => (await served(key)).every((one) => one === form));

  before(async () => {
    operator = await createOperatorEnvironment({ redis: true });
    await folder.write('artists', artistDocuments(2));
    await operator.done('catalogue import', folder.path);
    await operator.done('organizations set acme --name Acme --per-minute 5000 --per-day 70000');
    // The counts must not depend on how fast a busy machine answers.
    const settings = { ...operator.settings, USAGE_FLUSH_SECONDS: '0.2', STORE_TIMEOUT_MS: '5000' };
    gateways = await Promise.all([startGatewayProcess(settings), startGatewayProcess(settings)]);
  });
  after(async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await operator.stop();
  });

  it('moves a key to the other form on every gateway within 5 seconds, and back', async () => {
    const { text, id } = await operator.issue('variant', '--per-hour', '9000');
    await untilServed(text, 'variant');
    expect((await pin(id, 'current')).code).to.equal(0);
    await untilServed(text, 'current');
    for (const { headers, body } of await answers(text)) {
      expect(headers).to.include({ 'x-ratelimit-limit': '5000', 'x-ratelimit-day-limit': '70000' });
      expect(JSON.parse(body)).to.have.keys('data', 'meta');
    }
    expect((await pin(id, 'variant')).code).to.equal(0);
    await untilServed(text, 'variant');
    for (const { headers, body } of await answers(text)) {
      expect(headers).to.include({ 'x-ratelimit-limit': '9000' }).and.not.to.have.property('x-ratelimit-day-limit');
      expect(JSON.parse(body)).to.have.keys('success', 'count', 'data', '_meta');
    }
    const moves = (await logOf(id))
      .slice(1)
      .map(({ action, reason, before, after }) => [action, reason, before, after]);
    expect(moves).to.deep.equal([
      ['keys pin', 'ticket 77', { form: 'variant' }, { form: 'current' }],
      ['keys pin', 'ticket 77', { form: 'current' }, { form: 'variant' }],
    ]);
  });

  it('refuses a revoked key on every gateway within 5 seconds, in its own form', async () => {
    const { text, id } = await operator.issue('variant');
    await untilServed(text, 'variant');
    await operator.done(`keys revoke ${id} --yes --reason leaked`);
    await until('it is refused', async () => (await answers(text)).every(({ status }) => status === 401), 5_000);
    for (const { body } of await answers(text)) expect(body).to.match(/^{"error":"unauthorized","message":/);
  });

  it('preserves every setting of a key that moves there and back, and names those that do not apply', async () => {
    const { id } = await operator.issue('variant', '--per-hour', '7', '--allow-envelope-override');
    await operator.done(`keys sunset ${id} --on 2999-06-30`);
    const before = await stored(id);
    const there = await pin(id, 'current');
    expect(there.stdout).to.equal('');
    expect(there.stderr).to.match(
      /answer in it within 5 seconds\.\nNew limits: 5000 a minute, 70000 a UTC day, counted for/,
    );
    expect(there.stderr).to.match(/7 requests an hour does not apply.*\n.*2999-06-30 is kept, but the current form/);
    expect((await pin(id, 'variant')).stderr).to.match(
      /New limits: 7 an hour, counted for key:.*\n.*applies again\.\n.*announce again/,
    );
    expect(await stored(id)).to.deep.equal(before);
  });

  it('reports with --dry-run what the partner must change, from its requests, and changes nothing', async () => {
    const { text, id } = await operator.issue('variant', '--per-hour', '9000');
    await untilServed(text, 'variant');
    for (const [path, status] of [
      ['artists?new=3&limit=500', 200],
      ['artists?id=doc0001', 200],
      ['artists?id=nobody', 404],
      ['spikes', 200],
    ] as const) {
      expect(await gateways[0]?.get(`/api/v1/${path}`, text), path).to.include({ status });
    }
    await until('the last of it was counted', async () => {
      const { keys } = readiness.parse(await operator.json('readiness', id));
      return keys.some(({ paths }) => paths.some(({ path }) => path === '/spikes'));
    });
    const dry = await operator.run(`keys pin ${id} --form current --dry-run`);
    expect(dry.stderr).to.match(/^Nothing was changed/);
    expectChanges(dry.stdout, id, /^seen in 30 days\t\d+ requests since /);
    expect(await stored(id)).to.include({ form: 'variant' });
    expect(await logOf(id)).to.have.length(1);
  });

  it('reports with --dry-run what a move back to the variant form means', async () => {
    const { text, id } = await operator.issue('current');
    await until('the key is known', async () => (await answers(text)).every(({ status }) => status === 200));
    for (const path of ['added?days=3', 'artists/art_0001']) await gateways[0]?.get(`/api/v1/${path}`, text);
    const report = async () => operator.done(`keys pin ${id} --form variant --dry-run`);
    await until('the last of it was counted', async () => (await report()).includes('/artists/{id}\t'));
    const lines = (await report()).trim().split('\n');
    for (const line of [
      /^\/added\t–\t1\t/,
      /^\/artists\/\{id\}\t–\t1\t/,
      /^\/added\?days=\t\/artists\?new=\t1\t/,
      /^history\.\*\[\]\.date\tan artist\t–\tdo without\t/,
      new RegExp(`^quota after the move\t100 an hour, counted for key:${id}$`),
    ]) {
      expect(lines.filter((one) => line.test(one)).length, String(line)).to.equal(1);
    }
    expect(await stored(id)).to.include({ form: 'current' });
  });

  it('agrees with `readiness` for one key and for its organization', async () => {
    const { id } = await operator.issue('variant');
    const one = readiness.parse(await operator.json('readiness', id));
    expect(one).to.include({
      verdict: 'unknown',
      line: 'unknown: it asked nothing in 30 days, so there is nothing to assess',
    });
    const all = readiness.parse(await operator.json('readiness acme --days 3'));
    expect(all.keys.map(({ key }) => key)).to.include(id);
    expect(all.line).to.match(
      new RegExp(`^ready after renames: .*; .*${id}.* asked nothing in 3 days, so there is nothing to assess$`),
    );
    expect(all.quota.asked).to.be.greaterThan(0);
    expectRefusal(await operator.run('readiness nobody'), /^There is no organization or key nobody/);
  });

  it('refuses inactive keys, missing scopes and a missing reason', async () => {
    const { id } = await operator.issue('variant');
    const same = await pin(id, 'variant');
    expect(same).to.deep.equal({ code: 0, stdout: '', stderr: `No change: key ${id} already has these settings.\n` });
    expectUsageError(await operator.run(`keys pin ${id} --form current`), /Give the reason with --reason/);
    expectUsageError(await pin(id, 'other'), /Allowed choices are current, variant/);
    expectRefusal(await pin('unknown01', 'current'), /^There is no key unknown01/);
    await operator.done(`keys revoke ${id} --yes --reason leaked`);
    for (const form of ['current', 'variant']) expectRefusal(await pin(id, form), /is revoked since /);
    const narrow = await operator.issue('current', '--scopes', 'artists:read');
    for (const more of [[], ['--dry-run']]) {
      expectRefusal(await pin(narrow.id, 'variant', ...more), /add spikes:read, signings:read\.$/);
    }
  });
});
