import { expect } from 'chai';
import { chooseSample } from '../../adapters/compare/cases/shortlist.ts';
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
