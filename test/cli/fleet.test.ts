import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { fleetPage } from '../../adapters/cli/readiness/fleet-page.ts';
import { type FleetRow, fleetSteps } from '../../src/migration/fleet.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { assessPlanted, partnerKinds, plantFleet, storeFleet } from '../support/cli/fleet.ts';
import { useInputFolder } from '../support/cli/input-folder.ts';
import { expectUsageError, useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { openWarmTerminal } from '../support/cli/terminal.ts';

const fleetSchema = z.object({
  keys: z.array(
    z.object({
      key: z.string(),
      organization_id: z.string(),
      next: z.enum(fleetSteps),
      urgent: z.boolean(),
      verdict: z.string(),
      line: z.string(),
      requests: z.number(),
      tried: z.unknown(),
      changes: z.number(),
      would_refuse: z.number(),
      compared: z.object({ answers: z.number(), differed: z.number() }),
      last_at: z.string().optional(),
      days_left: z.number().optional(),
      calls_a_day: z.number(),
      calls: z.record(z.string(), z.array(z.number())),
    }),
  ),
});
const usageSchema = z.array(
  z.object({
    key_id: z.string(),
    form: z.string().optional(),
    requests: z.number(),
    last_call_at: z.string().optional(),
  }),
);
const readinessSchema = z.object({
  verdict: z.string(),
  line: z.string(),
  quota: z.object({ would_refuse: z.number() }),
  keys: z.tuple([
    z.object({
      requests: z.number(),
      changes: z.number(),
      tried: z.unknown(),
      compared: z.object({ answers: z.number(), differed: z.number() }),
    }),
  ]),
});

type ListedKey = z.infer<typeof fleetSchema>['keys'][number];

const sum = (numbers: readonly number[] = []): number => numbers.reduce((total, number) => total + number, 0);

describe('readiness without a name, over forty partners of five kinds', function () {
  this.timeout(60_000);
  const operator = useOperatorEnvironment();
  const folder = useInputFolder();
  const fleet = plantFleet(40, systemClock().now());
  let listed: readonly ListedKey[] = [];
  let usage: z.infer<typeof usageSchema> = [];

  before(async () => {
    await storeFleet(operator, fleet);
    listed = fleetSchema.parse(await operator.json('readiness')).keys;
    usage = usageSchema.parse(await operator.json('usage'));
  });

  it('lists every key that is pinned and active, once', () => {
    expect(fleet.kinds.size).to.equal(40);
    expect(listed.map(({ key }) => key)).to.have.members([...fleet.kinds.keys()]);
  });

  it('says what to do next with each kind of partner', () => {
    const steps = ['move it', 'send the letter', 'make room in quota', 'ask if it is used', 'look at differences'];
    for (const { key, next } of listed)
      expect(next, key).to.equal(steps[partnerKinds.indexOf(fleet.kinds.get(key) ?? 'polls')]);
  });

  it('has urgent keys first, by days left, and then the steps in their order', () => {
    const urgent = listed.filter((row) => row.urgent);
    expect(urgent).to.not.be.empty;
    expect(listed.slice(0, urgent.length)).to.deep.equal(urgent);
    const left = urgent.map(({ days_left = Number.NaN }) => days_left);
    expect(left).to.deep.equal(left.toSorted((one, other) => one - other));
    const steps = listed.slice(urgent.length).map(({ next }) => fleetSteps.indexOf(next));
    expect(steps).to.deep.equal(steps.toSorted((one, other) => one - other));
  });

  it('has the counts of `usage` for every key', () => {
    for (const { key, calls, calls_a_day, last_at } of listed) {
      const own = usage.filter(({ key_id }) => key_id === key);
      const requests = (form: string) => sum(own.filter((row) => row.form === form).map((row) => row.requests));
      expect(sum(calls['variant']), key).to.equal(requests('variant'));
      expect(sum(calls['current']), key).to.equal(requests('current'));
      expect(calls_a_day, key).to.be.closeTo((requests('variant') + requests('current')) / 30, 0.05);
      expect(
        own
          .map(({ last_call_at = '' }) => last_call_at)
          .sort()
          .at(-1) || undefined,
        key,
      ).to.equal(last_at);
    }
  });

  it('has the numbers and the verdict of `readiness KEY` for every key', async () => {
    for (const row of listed) {
      const { verdict, line, quota, keys } = readinessSchema.parse(await operator.json('readiness', row.key));
      const [{ requests, changes, tried, compared }] = keys;
      const { answers, differed } = compared;
      const { key: _key, organization_id: _id, next: _next, urgent: _urgent, last_at: _last, ...numbers } = row;
      expect(numbers, row.key).to.deep.include({ verdict, line, requests, changes, tried });
      expect([row.would_refuse, row.compared], row.key).to.deep.equal([quota.would_refuse, { answers, differed }]);
    }
  });

  it('prints the same rows as comma-separated values', async () => {
    const lines = (await operator.done('readiness', '--csv')).trim().split('\r\n');
    expect(lines[0]).to.equal(
      'key,organization,partner,next,verdict,calls a day,trend %,to change,over quota,differed,last call,sunset',
    );
    expect(lines.slice(1).map((line) => line.split(',')[0])).to.deep.equal(listed.map(({ key }) => key));
  });

  it('writes a page with a row for every key, each linking its letter', async () => {
    const letters = join(folder.path, 'letters of today');
    const page = await operator.done('readiness', '--html', '--letters', letters);
    const links = [...page.matchAll(/<a href="([^"]+)">/g)].map(([, href = '']) => decodeURIComponent(href));
    expect(links).to.deep.equal(listed.map(({ key }) => join(letters, `${key}.html`)));
    expect(await readdir(letters)).to.have.members(listed.map(({ key }) => `${key}.html`));
    const [first = ''] = listed.map(({ key }) => key);
    expect(page).to.include(`${first}, `);
  });

  it('takes at most four lines beside those of the rows in a terminal of 80 columns, as other lists do', async () => {
    const lists = { readiness: listed.length, 'keys list': fleet.keys.length, usage: usage.length };
    const terminal = await openWarmTerminal(operator.settings, { columns: 80 });
    try {
      for (const [list, count] of Object.entries(lists)) {
        const screen = await terminal.run(list.split(' '));
        expect(screen.split('\n').length, list).to.be.within(count + 1, count + 4);
      }
    } finally {
      await terminal.close();
    }
  });

  it('says so when an organization has no key of the variant form', async () => {
    const organization = fleet.keys.find(({ form }) => form === 'current')?.organizationId ?? '';
    expect(await operator.done('readiness', organization)).to.equal(
      `${organization} has no key of the variant form: nothing has to move.\n`,
    );
  });

  it('refuses options of the fleet beside a name, and letters without a page', async () => {
    expectUsageError(await operator.run('readiness org1 --csv'), /--csv, --columns and --letters are for the list/);
    expectUsageError(await operator.run('readiness --letters x'), /--letters belongs to --html/);
    expectUsageError(await operator.run('readiness --letter'), /name the key\.$/);
  });
});

describe('the page of the fleet', () => {
  const now = Date.parse('2026-08-22T12:00:00Z');

  it('has at most 200 KB for 200 partners', () => {
    const page = fleetPage(assessPlanted(plantFleet(200, now), now).report, { now, letters: 'letters' });
    expect(page.match(/<th scope="row">/g)).to.have.length(200);
    expect(Buffer.byteLength(page)).to.be.lessThan(200_000);
  });

  it('loads nothing and runs nothing', () => {
    const page = fleetPage(assessPlanted(plantFleet(5, now), now).report, { now, letters: undefined });
    expect(page).not.to.match(/ src=|url\(|@import|https?:/);
    expect(page).to.include('<script></script>');
  });

  it('holds the names of partners as text', () => {
    const { keys, ...report } = assessPlanted(plantFleet(1, now), now).report;
    const named: FleetRow[] = keys.map((row) => ({ ...row, partner: '<img src=x onerror=alert(1)>' }));
    expect(fleetPage({ ...report, keys: named }, { now, letters: 'a"b' }))
      .to.include('<a href="a%22b/fleet000.html">&lt;img src=x')
      .and.not.include('<img');
  });
});
