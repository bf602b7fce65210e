import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { endProcess, killWithTests } from '../support/child-process.ts';
import { type Cleanup, useCleanup } from '../support/cleanup.ts';
import { runProgram } from '../support/deploy/run-program.ts';
import { projectFolder, readProjectFile } from '../support/deploy/working-copy.ts';
import { demoKey } from '../support/documents.ts';
import { startDatabaseUnderFault } from '../support/faults/database.ts';
import { freePort } from '../support/ports.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { until } from '../support/wait.ts';

const dashboard = z
  .object({
    panels: z.array(
      z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })) }),
    ),
  })
  .parse(JSON.parse(readProjectFile('deploy/grafana/gateway.json')));

/** The panels, with Grafana's variables in their queries replaced as Grafana does it. */
const panels = dashboard.panels.map(({ title, targets }) => ({
  title,
  queries: targets.map(({ expr }) =>
    expr.replaceAll('$__rate_interval', '30s').replaceAll(/\$(job|instance)/g, '.*'),
  ),
}));

const alertRules = readProjectFile('deploy/prometheus/alerts.yml');
const alertNames = [...alertRules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name ?? '');

/** Rules and queries without texts in quotation marks. */
const expressions = [alertRules, ...panels.flatMap(({ queries }) => queries)]
  .join('\n')
  .replaceAll(/"[^"]*"/g, '""');
const metricNames = new Set(expressions.match(/\b(?:gateway|nodejs|process)_\w+/g));
const labelNames = new Set(
  [...expressions.matchAll(/(\w+)\s*=~?\s*""|(?:by|on) \(([^)]*)\)/g)].flatMap(([, label, list]) =>
    label === undefined ? (list ?? '').split(/,\s*/) : [label],
  ),
);

/** Labels of Prometheus itself and of node_exporter's systemd collector. */
const ofOthers = ['job', 'instance', 'name', 'state'];

const queryResult = z.object({
  status: z.literal('success'),
  data: z.object({ result: z.array(z.object({ metric: z.record(z.string(), z.string()) })) }),
});

/**
 * Starts a real Prometheus on a free loopback port for a target (`host:port`), with the
 * configuration of `deploy/prometheus`. It scrapes every second.
 */
const startPrometheus = async (cleanup: Cleanup, target: string) => {
  const folder = await cleanup.makeFolder('prometheus');
  const port = await freePort();
  const configured = readProjectFile('deploy/prometheus/prometheus.yml');
  const config = configured
    .replaceAll(/(interval:) 15s/g, '$1 1s')
    .replace(/targets: .*/, `targets: [${target}]`);
  await writeFile(join(folder, 'prometheus.yml'), config);
  await writeFile(join(folder, 'alerts.yml'), alertRules);
  const options = `--config.file=prometheus.yml --storage.tsdb.path=data --web.listen-address=127.0.0.1:${port}`;
  const child = spawn('prometheus', options.split(' '), { cwd: folder, stdio: 'ignore' });
  await once(cleanup.add(child, endProcess), 'spawn');
  killWithTests(child);
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}/${path}`);
  await until('prometheus is ready', async () => (await ask('-/ready')).status === 200);
  /** The labels of the samples of an instant query. */
  return async (expression: string): Promise<Readonly<Record<string, string>>[]> => {
    const reply = await ask(`api/v1/query?query=${encodeURIComponent(expression)}`);
    const body: unknown = await reply.json();
    const parsed = queryResult.safeParse(body);
    if (!parsed.success) throw new Error(`${expression}: ${JSON.stringify(body)}`);
    return parsed.data.data.result.map(({ metric }) => metric);
  };
};

describe('the observability files', () => {
  const cleanup = useCleanup(after);
  let query: Awaited<ReturnType<typeof startPrometheus>>;
  let page: string;

  before(async () => {
    const redis = await cleanup.start(startRedisServer());
    const operationsPort = await freePort();
    const settings = {
      REDIS_URL: redis.url(),
      OPERATIONS_PORT: String(operationsPort),
      USAGE_FLUSH_SECONDS: '0.5',
      STATE_DIR: await cleanup.makeFolder('state'),
    };
    const setup = await cleanup.start(startDatabaseUnderFault({ settings }));
    query = await startPrometheus(cleanup, `127.0.0.1:${operationsPort}`);
    const ask = async (): Promise<void> => {
      for (let requests = 0; requests < 3; requests++)
        await setup.gateway.get('/api/v1/artists', demoKey('curTight1'));
      await setup.gateway.get('/api/v1/artists?limit=x', demoKey('varFull01'));
      await setup.gateway.get('/api/v1/artists/art_7rf1ly', demoKey('curFull01'));
    };
    await until('prometheus has scraped requests twice', async () => {
      await ask();
      return (await query('rate(gateway_quota_refusals_total[30s]) > 0')).length > 0;
    });
    page = await (await fetch(`http://127.0.0.1:${operationsPort}/metrics`)).text();
  });

  it('have rules that promtool accepts, with passing unit tests of every alert', async () => {
    const folder = join(projectFolder, 'deploy/prometheus');
    await runProgram('promtool', ['check', 'rules', '--lint-fatal', 'alerts.yml'], folder);
    await runProgram('promtool', ['check', 'config', 'prometheus.yml'], folder);
    await runProgram('promtool', ['test', 'rules', 'alerts.test.yml', 'outage.test.yml'], folder);
    const tests = ['alerts', 'outage']
      .map((name) => readProjectFile(`deploy/prometheus/${name}.test.yml`))
      .join();
    expect(alertNames.filter((name) => !tests.includes(`alertname="${name}"`))).to.deep.equal([]);
  });

  it('raise no alert up to the intervals in their comment, on a healthy gateway', async () => {
    const [, refresh, flush] =
      /KEYS_REFRESH_SECONDS up to (\d+) and USAGE_FLUSH_SECONDS up to (\d+)/.exec(alertRules) ?? [];
    expect([Number(refresh), Number(flush)].every((seconds) => seconds >= 15)).to.equal(true);
    /** Ages at scrapes every 15 s: each load takes a second. */
    const ages = (interval: string | undefined): string =>
      Array.from({ length: 240 }, (_, scrape) => (15 * scrape) % (Number(interval) + 1)).join(' ');
    const firing = {
      expr: 'count by (alertname) (count_over_time(ALERTS{alertstate="firing"}[1h]))',
      eval_time: '59m',
      exp_samples: [],
    };
    const source = (name: string) => `gateway_source_age_seconds{source="${name}"}`;
    const input = {
      interval: '15s',
      input_series: [
        { series: 'up{job="artist-gateway"}', values: '1x240' },
        { series: source('keys'), values: ages(refresh) },
        { series: source('catalogue'), values: ages(refresh) },
        { series: 'gateway_usage_write_age_seconds', values: ages(flush) },
      ],
      promql_expr_test: [firing],
    };
    const folder = await cleanup.makeFolder('intervals');
    await writeFile(join(folder, 'alerts.yml'), alertRules);
    const tests = { rule_files: ['alerts.yml'], evaluation_interval: '15s', tests: [input] };
    await writeFile(join(folder, 'test.yml'), JSON.stringify(tests));
    await runProgram('promtool', ['test', 'rules', 'test.yml'], folder);
  });

  it('name only metrics and labels of a live page that promtool accepts', async () => {
    await runProgram('promtool', ['check', 'metrics'], undefined, page);
    const described = new Set([...page.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name));
    const isDescribed = (name: string) =>
      described.has(name) || described.has(name.replace(/_bucket$/, ''));
    expect([...metricNames].filter((name) => !isDescribed(name))).to.deep.equal([]);
    const labels = new Set([...page.matchAll(/[{,](\w+)="/g)].map(([, label]) => label));
    const missing = [...labelNames].filter((name) => !labels.has(name) && !ofOthers.includes(name));
    expect(missing).to.deep.equal([]);
    expect(metricNames.size).to.be.above(15);
  });

  for (const { title, queries } of panels) {
    it(`have a panel "${title}" whose queries return samples`, async () => {
      for (const expression of queries) {
        // nothing has failed, so those counters have no samples yet
        const isOfErrors = /_errors_total/.test(expression);
        expect(await query(expression), expression).to.have.length.of.at.least(isOfErrors ? 0 : 1);
      }
    });
  }

  it('name only the job that Prometheus scrapes', () => {
    const [, scraped] =
      /job_name: (\S*gateway)/.exec(readProjectFile('deploy/prometheus/prometheus.yml')) ?? [];
    const named = [...alertRules.matchAll(/job=~?"([^"]+)"/g)].map(([, job]) => job);
    expect(new Set(named)).to.deep.equal(new Set([scraped]));
    expect(readProjectFile('deploy/grafana/gateway.json')).to.not.match(/job=~?\\"(?!\$job)/);
  });
});
