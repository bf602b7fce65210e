import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { createMongoUsage } from '../../adapters/stores/mongodb/usage.ts';
import { dayOf } from '../../src/domain/day.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import type { AffectedKey } from '../../tools/contracts/affected.ts';
import {
  expectUsageError,
  keyDocument,
  useOperatorEnvironment,
} from '../support/cli/operator-environment.ts';
import { contractOf } from '../support/contract.ts';
import { dayTotal } from '../support/usage.ts';

describe('contracts check', () => {
  const operator = useOperatorEnvironment();
  const now = systemClock().now();
  const folder = mkdtempSync(join(tmpdir(), 'contracts-'));
  const file = (name: string, content: unknown): string => {
    const path = join(folder, name);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };
  const variant = file('variant.json', contractOf(forms[1]));

  before(async () => {
    await operator.done('organizations set', 'acme', '--name', 'Acme');
    await operator
      .collection('api_keys')
      .insertMany(
        ['reads', 'unknown', 'other', 'silent'].map((id) => keyDocument({ id, form: 'variant' })),
      );
    const counts = [
      { keyId: 'reads', route: '/api/v1/artists' },
      { keyId: 'unknown', route: '/api/v1/artists' },
      { keyId: 'other', route: '/api/v1/spikes' },
    ];
    const days = counts.map((given, index) =>
      dayTotal({ id: `one:${index}`, day: dayOf(now), requests: 60, ...given }),
    );
    await createMongoUsage(operator.db).write({ days, hours: [] });
  });
  after(() => rmSync(folder, { recursive: true }));

  const args = ['--against', variant, '--without-field', 'artists.photo', '--reads', folder];

  it('lists keys that read a removed field, with calls, and exits with 1', async () => {
    file('reads.txt', 'artists.name\nartists.photo\n');
    const { code, stdout, stderr } = await operator.run('contracts check', ...args);
    expect(code).to.equal(1);
    expect(stdout).to.match(/reads\tbreaks\t2\t\S+\treads artists\.photo/);
    expect(stdout).to.match(/unknown\tmay break\t2\t\S+\tfields unknown/);
    expect(stdout).to.not.match(/^(other|silent)\t/m);
    expect(stderr).to.include('variant form: 1 breaking change, 0 compatible; 1 failure.');
  });

  it('writes the same as JSON and as JUnit XML', async () => {
    const report = join(folder, 'junit.xml');
    const { stdout } = await operator.run('contracts check', ...args, '--json', '--junit', report);
    const { affected, failures } = JSON.parse(stdout);
    expect(
      affected[0].keys.map(({ key, effect }: AffectedKey) => `${key} ${effect}`),
    ).to.deep.equal(['reads breaks', 'unknown may break', 'other not used', 'silent not used']);
    expect(failures).to.have.length(1);
    expect(readFileSync(report, 'utf8')).to.include(
      '<testsuites name="contracts check" tests="1" failures="1"',
    );
  });

  it('passes while a baseline accepts the key, and fails after its last day', async () => {
    const { stdout } = await operator.run('contracts check', ...args, '--json');
    const [{ change }] = JSON.parse(stdout).affected;
    const accept = (until: string) =>
      operator.run(
        'contracts check',
        ...args,
        '--baseline',
        file('baseline.json', [{ key: 'reads', change, reason: 'it moves in May', until }]),
      );
    expect((await accept('2999-01-01')).code).to.equal(0);
    expect((await accept('2026-01-01')).code).to.equal(1);
  });

  it('finds no change against its own contract', async () => {
    const { code, stdout } = await operator.run('contracts check', '--against', variant, '--json');
    expect(code).to.equal(0);
    expect(JSON.parse(stdout).affected).to.deep.equal([]);
  });

  it('rejects an unknown field, in the argument or in a list', async () => {
    for (const [field, list, message] of [
      ['artists.photo', 'artists.foto', /no field "artists.foto"/],
      ['artists.foto', '', /no field artists\.foto/],
    ] as const) {
      file('reads.txt', list);
      const given = ['--against', variant, '--without-field', field, '--reads', folder];
      expectUsageError(await operator.run('contracts check', ...given), message);
    }
  });

  it('rejects a contract of another product', async () => {
    const other = file('other.json', { openapi: '3.1.0', info: { title: 'Pets' }, paths: {} });
    expectUsageError(
      await operator.run('contracts check', '--against', other),
      /OpenAPI contract of this product/,
    );
  });
});
