import { expect } from 'chai';
import { createMetrics } from '../../adapters/telemetry/metrics.ts';
import { buildKey, keySourceOf } from '../support/builders.ts';
import { deadCatalogue, deadHistory, deadQuotas } from '../support/forms/dead-stores.ts';
import { formExpectations } from '../support/forms/form-expectations.ts';
import { keys } from '../support/forms/form-keys.ts';
import { createTestGateway, type TestGateway, useGateway } from '../support/gateway.ts';

/** Reads the samples of a metric as `{labels} value`. */
const samplesOf = async (
  { metrics }: Pick<TestGateway, 'metrics'>,
  name: string,
): Promise<string[]> =>
  (await metrics.read())
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .map((line) => line.slice(name.length).trim());

const current = keys.current.full.text;
const variant = keys.variant.full.text;

describe('metrics', () => {
  const gateway = useGateway(createTestGateway, true);

  it('count requests by form, route and status, and time them', async () => {
    await gateway.send('/api/v1/artists', current);
    await gateway.send('/api/v1/artists?limit=no', current);
    await gateway.send('/api/v1/artists/art_7rf1ly', current);
    await gateway.send('/api/v1/artists/nobody', current);
    await gateway.send('/api/v1/artists', variant);
    await gateway.send('/api/v1/artists', variant);
    await gateway.send('/nope');
    await gateway.send('/nope/either');
    await gateway.send('http://client;text/docs');
    await gateway.send('/api/v1/health', undefined, { headers: { 'X-Long': 'x'.repeat(17_000) } });
    expect(await samplesOf(gateway, 'gateway_requests_total')).to.have.members([
      '{form="current",route="/api/v1/artists",status="200"} 1',
      '{form="current",route="/api/v1/artists",status="400"} 1',
      '{form="current",route="/api/v1/artists/:id",status="200"} 1',
      '{form="current",route="/api/v1/artists/:id",status="404"} 1',
      '{form="variant",route="/api/v1/artists",status="200"} 2',
      '{form="current",route="none",status="404"} 2',
      '{form="current",route="/docs",status="200"} 1',
      '{form="current",route="none",status="431"} 1',
    ]);
    expect(await samplesOf(gateway, 'gateway_request_duration_seconds_count')).to.include(
      '{form="variant",route="/api/v1/artists"} 2',
    );
  });

  it('count quota refusals by window', async () => {
    const tight = {
      current: buildKey({ form: 'current' }),
      variant: buildKey({ form: 'variant', perHour: 1 }),
    };
    const tightGateway = await createTestGateway({
      keys: keySourceOf(Object.values(tight), { perMinute: 2, perDay: 3 }),
    });
    for (let times = 0; times < 3; times++)
      await tightGateway.send('/api/v1/signings', tight.variant.text);
    for (let minute = 0; minute < 2; minute++) {
      for (let times = 0; times < 3; times++)
        await tightGateway.send('/api/v1/signings', tight.current.text);
      tightGateway.clock.advance(60_000);
    }
    expect(await samplesOf(tightGateway, 'gateway_quota_refusals_total')).to.have.members([
      '{window="minute"} 1',
      '{window="hour"} 2',
      '{window="day"} 2',
    ]);
    await tightGateway.close();
  });

  it('count adjusted parameters by declared name', async () => {
    await gateway.send('/api/v1/artists?limit=999&fields=x&a=1&b=2', variant);
    await gateway.send('/api/v1/spikes?days=0&evil%22%7D=1', variant);
    expect(await samplesOf(gateway, 'gateway_adjusted_parameters_total')).to.have.members([
      '{form="variant",parameter="limit"} 1',
      '{form="variant",parameter="fields"} 1',
      '{form="variant",parameter="days"} 1',
      '{form="variant",parameter="unknown"} 2',
    ]);
  });

  it('have fewer than 260 series with known labels only, after 300 different requests', async () => {
    const methods = ['GET', 'PUT', 'OPTIONS', 'PROPFIND'];
    for (let index = 0; index < 300; index++) {
      const paths = [
        '/x_',
        '/api/v1/artists/_',
        '/api/v1/artists?p_=_',
        'http://a;_/docs',
        'http://a;_/api/v1/health',
      ];
      const path = (paths[index % paths.length] ?? '').replaceAll('_', String(index));
      const key = [current, variant, `aik_x${index}_abcdefgh`][index % 4];
      const headers = {
        'X-Envelope': String(index),
        'X-Request-Id': String(index),
        Host: `h${index}.test`,
      };
      await gateway.send(path, key, { method: methods[index % 7] ?? 'GET', headers });
    }
    const labels = (await gateway.metrics.read()).match(/\{[^}]*\}/g) ?? [];
    const routes = [...formExpectations.current.routes, '/docs', 'none']
      .join('|')
      .replaceAll('/', '\\/');
    const known = new RegExp(
      `^\\{((le|version|build|settings|window|source|store|part)="[^"]*"|form="(current|variant)"|route="(${routes})"|status="\\d{3}"|parameter="[a-z_]+"|,)+\\}$`,
    );
    for (const label of labels) expect(label).to.match(known);
    expect(labels.length).to.be.below(260);
  });

  it('report sources, ready parts, usage, dropped log lines and the version', async () => {
    const metrics = createMetrics('1.2.3', '816b047b', [], 'a1b2');
    let age: number | undefined;
    metrics.watch({
      sources: {
        keys: { age: () => 1_500, size: () => 17, faults: () => 3 },
        catalogue: { age: () => age, size: () => 0, faults: () => 0 },
      },
      expiringKeys: () => 2,
      keysNearSunset: () => 1,
      clocksAheadMs: () => ({ redis: -1_500, mongodb: undefined }),
      readyParts: () => ({ keys: { ready: true }, quotas: { ready: false } }),
      droppedLogLines: () => 3,
      usage: { pending: () => 7, age: () => 1_500, failures: () => 2, uncounted: () => 3 },
    });
    metrics.watchProcess();
    expect(await samplesOf({ metrics }, 'gateway_source_age_seconds')).to.deep.equal([
      '{source="keys"} 1.5',
    ]);
    age = 0;
    for (const times of [1, 2])
      for (const [name, ...samples] of [
        ['source_age_seconds', '{source="keys"} 1.5', '{source="catalogue"} 0'],
        ['source_items', '{source="keys"} 17', '{source="catalogue"} 0'],
        ['source_faults', '{source="keys"} 3', '{source="catalogue"} 0'],
        ['keys_expiring', '2'],
        ['keys_near_sunset', '1'],
        ['ready', '{part="keys"} 1', '{part="quotas"} 0'],
        ['log_lines_dropped_total', '3'],
        ['clock_ahead_seconds', '{store="redis"} -1.5'],
        ['info', '{version="1.2.3",build="816b047b",settings="a1b2"} 1'],
        ['usage_pending_entries', '7'],
        ['usage_write_age_seconds', '1.5'],
        ['usage_write_errors_total', '2'],
        ['usage_uncounted_total', '3'],
      ] as const)
        expect(
          await samplesOf({ metrics }, `gateway_${name}`),
          `${name}, read ${times} times`,
        ).to.deep.equal(samples);
    expect(await metrics.read()).to.match(/^nodejs_eventloop_lag_p99_seconds [0-9.e+-]+$/m);
  });

  it('begin at 0, so that a rate has the first burst', async () => {
    const known = [{ name: 'current', routes: ['/api/v1/artists'], statuses: [503] }];
    const text = await createMetrics('1.2.3', '', known).read();
    for (const series of [
      'requests_total{form="current",route="/api/v1/artists",status="503"}',
      'requests_total{form="current",route="none",status="503"}',
      'responses_cut_short_total{form="current"}',
      'quota_refusals_total{window="day"}',
      'refresh_errors_total{source="keys"}',
      'store_errors_total{store="quotas"}',
      'requests_shed_total',
    ])
      expect(text).to.include(`\ngateway_${series} 0\n`);
  });

  it('time the calls of stores and the reloads of sources', async () => {
    await gateway.send('/api/v1/artists/art_7rf1ly', current);
    for (const store of ['quotas', 'history'])
      expect(await samplesOf(gateway, 'gateway_store_duration_seconds_count')).to.include(
        `{store="${store}"} 1`,
      );
    expect(await samplesOf(gateway, 'gateway_refresh_duration_seconds_count')).to.include(
      '{source="keys"} 1',
    );
  });

  for (const [error, options] of [
    ['store_errors_total{store="quotas"}', { quotas: deadQuotas }],
    ['store_errors_total{store="history"}', { histories: deadHistory }],
    ['refresh_errors_total{source="catalogue"}', { source: deadCatalogue }],
  ] as const)
    it(`count one error in ${error} when that cannot be read`, async () => {
      const faulty = await createTestGateway(options);
      await faulty.send('/api/v1/artists/art_7rf1ly', current);
      const errors = (await faulty.metrics.read()).match(/^gateway_\w+_errors_total{.*[1-9]$/gm);
      expect(errors).to.deep.equal([`gateway_${error} 1`]);
      await faulty.close();
    });
});
