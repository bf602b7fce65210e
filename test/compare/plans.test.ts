import { expect } from 'chai';
import { readCases } from '../../adapters/compare/cases/cases.ts';
import { formatPlan, planRun } from '../../adapters/compare/cases/plan.ts';
import { chooseSample } from '../../adapters/compare/cases/shortlist.ts';
import { casesFolder } from '../../src/runtime/config.ts';
import { runWarm } from '../support/cli/warm-command.ts';

const compare = (...args: readonly string[]) => runWarm({}, ['compare', ...args]);
const namesIn = (stdout: string): readonly string[] =>
  JSON.parse(stdout).map(({ name }: { readonly name: string }) => name);

describe('plans of a comparison', () => {
  it('--list prints the cases with their requests, and sends none', async () => {
    const { code, stdout } = await compare('--list');
    const [head, ...lines] = stdout.trimEnd().split('\n');
    expect(head?.split('\t').slice(0, 3)).to.deep.equal(['case', 'items', 'key']);
    expect(lines.length).to.be.greaterThan(100);
    expect(lines.find((line) => line.startsWith('added\t')))
      .to.include('GET /added')
      .and.include('GET /artists?new=7');
    expect(code).to.equal(0);
  });

  it('--case takes patterns', async () => {
    const [spikes, two] = await Promise.all([
      compare('--list', '--json', '--case', 'spikes*'),
      compare('--list', '--json', '--case', 'added', '--case', 'signing?'),
    ]);
    expect(namesIn(spikes.stdout).length).to.be.greaterThan(5);
    expect(namesIn(spikes.stdout).every((name) => name.startsWith('spikes'))).to.equal(true);
    expect(namesIn(two.stdout)).to.have.members(['added', 'signings']);
  });

  it('counts equal requests once, and the minutes that default quotas take', async () => {
    const cases = (await readCases(casesFolder)).filter(({ name }) =>
      ['added', 'artists', 'artist-detail'].includes(name),
    );
    const [first] = cases;
    if (first === undefined) throw new Error('There is a case.');
    const twenty = Array.from({ length: 20 }, (_, index) => ({
      ...first,
      current: { ...first.current, ask: `/artists?limit=${index + 1}` },
    }));
    const terms = { keyKinds: ['full'] as const, maxArtists: 3 };
    const plan = planRun([...twenty, ...twenty], terms);
    expect(plan).to.deep.equal({ requests: { current: 20, variant: 1 }, minutes: { current: 1, variant: 0 } });
    expect(formatPlan(plan)).to.equal(
      'About 21 requests: 20 in the current form, at 10 a minute about 1 minute; 1 in the variant form, at 100 an hour no wait. Keys with a higher quota finish sooner.',
    );
    const each = planRun([{ ...first, each: 10, current: { ...first.current, ask: '/artists/{id}' } }], terms);
    expect(each.requests).to.deep.equal({ current: 3, variant: 1 });
    expect(planRun([{ ...first, key: 'tight' }], terms).requests).to.deep.equal({ current: 0, variant: 0 });
    const other = { ...first, current: { ...first.current, method: 'HEAD', after: '/artists?limit=1' } };
    const beforehand = { current: 2, variant: 1 };
    expect(planRun([first, other], { ...terms, beforehand }).requests).to.deep.equal({ current: 5, variant: 2 });
    const hours = formatPlan({ requests: plan.requests, minutes: { current: 119, variant: 120 } });
    expect(hours).to.include('about 119 minutes').and.include('about 2 hours');
  });

  it('--sample compares artists chosen at random, and --seed chooses the same ones again', async () => {
    const seedOf = (stderr: string) => /Sample of 5 of 12 artists; --seed (\d+) repeats it/.exec(stderr)?.[1] ?? '';
    const first = await compare('--sample', '5');
    expect(first.code).to.equal(0);
    expect(first.stdout).to.match(/sample-by-id\t5/);
    const again = await compare('--sample', '5', '--seed', seedOf(first.stderr), '--json');
    expect(JSON.parse(again.stdout)).to.include({ verdict: 'same' });
    expect(JSON.parse(again.stdout).cases[0].items).to.deep.equal({ current: 5, variant: 5 });
  });

  it('chooses each artist about as often as any other', () => {
    const items = Array.from({ length: 20 }, (_, index) => index);
    const counts = new Map<number, number>();
    for (let seed = 1; seed <= 2_000; seed++) {
      const sample = chooseSample(items, 5, seed);
      expect(new Set(sample)).to.have.lengthOf(5);
      for (const item of sample) counts.set(item, (counts.get(item) ?? 0) + 1);
    }
    expect(Math.min(...counts.values())).to.be.greaterThan(400);
    expect(Math.max(...counts.values())).to.be.lessThan(600);
    expect(chooseSample(items, 5, 7)).to.deep.equal(chooseSample(items, 5, 7));
    expect(chooseSample(items, 50, 7)).to.have.lengthOf(20);
  });
});
