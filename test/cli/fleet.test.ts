import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { addDays } from '../../src/domain/day.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { fleetPage } from '../../tools/cli/readiness/fleet-page.ts';
import type { UsageRow } from '../../tools/cli/usage/rows.ts';
import { type FleetReport, type FleetRow, fleetSteps } from '../../tools/migration/fleet.ts';
import type { MigrationReadiness } from '../../tools/migration/readiness.ts';
import { buildKey } from '../support/builders.ts';
import { assessPlanted, partnerKinds, plantFleet, storeFleet } from '../support/cli/fleet.ts';
import { useInputFolder } from '../support/cli/input-folder.ts';
import { expectUsageError, useOperatorEnvironment } from '../support/cli/operator-environment.ts';
import { movers, movingFile } from '../support/partners/moving.ts';
import { runProgramFile } from '../support/partners/programs.ts';
import { buildUsageCount } from '../support/usage.ts';

const sum = (numbers: readonly number[] = []): number =>
  numbers.reduce((total, number) => total + number, 0);

describe('readiness without a name, over twenty partners of four kinds', () => {
  const operator = useOperatorEnvironment();
  const folder = useInputFolder();
  const fleet = plantFleet(20, systemClock().now());
  let listed: readonly FleetRow[] = [];
  let usage: readonly UsageRow[] = [];

  before(async () => {
    await storeFleet(operator, fleet);
    listed = (await operator.json<FleetReport>('readiness')).keys;
    usage = await operator.json<readonly UsageRow[]>('usage');
  });

  it('lists every key that is pinned and active, once', () => {
    expect(fleet.kinds.size).to.equal(20);
    expect(listed.map(({ key }) => key)).to.have.members([...fleet.kinds.keys()]);
  });

  it('says what to do next with each kind of partner', () => {
    const steps = ['move it', 'send the letter', 'make room in quota', 'ask if it is used'];
    for (const { key, next } of listed)
      expect(next, key).to.equal(steps[partnerKinds.indexOf(fleet.kinds.get(key) ?? 'polls')]);
  });

  it('has urgent keys first, by days left, and then the steps in their order, most calls first', () => {
    const urgent = listed.filter((row) => row.urgent);
    const isDue = ({ days_left = Infinity, last_at }: FleetRow) =>
      days_left <= 30 && last_at !== undefined;
    expect(urgent).to.deep.equal(listed.filter(isDue)).and.have.lengthOf(2);
    expect(listed.slice(0, urgent.length)).to.deep.equal(urgent);
    const left = urgent.map(({ days_left = Number.NaN }) => days_left);
    expect(left).to.deep.equal(left.toSorted((one, other) => one - other));
    expect(left.at(-1)).to.equal(30);
    const places = listed
      .slice(urgent.length)
      .map(({ next, calls_a_day }) => 10_000 * fleetSteps.indexOf(next) - calls_a_day);
    expect(places).to.deep.equal(places.toSorted((one, other) => one - other));
  });

  it('has the counts of `usage` for every key', () => {
    for (const { key, calls, calls_a_day, last_at } of listed) {
      const own = usage.filter(({ key_id }) => key_id === key);
      const requests = (form: string) =>
        sum(own.filter((row) => row.form === form).map((row) => row.requests));
      expect(sum(calls['variant']), key).to.equal(requests('variant'));
      expect(sum(calls['current']), key).to.equal(requests('current'));
      expect(calls_a_day, key).to.be.closeTo(
        (requests('variant') + requests('current')) / 30,
        0.05,
      );
      const calledAt = own.flatMap(({ last_call_at = [] }) => last_call_at).sort();
      expect(calledAt.at(-1), key).to.equal(last_at);
    }
  });

  it('has the numbers and the verdict of `readiness KEY` for a key of each kind', async () => {
    for (const row of partnerKinds.map((kind) =>
      listed.find(({ key }) => fleet.kinds.get(key) === kind),
    )) {
      if (row === undefined) throw new Error('The fleet lacks a kind.');
      const { organization_id, verdict, line, quota, keys } =
        await operator.json<MigrationReadiness>('readiness', row.key);
      expect(keys, row.key).to.have.length(1);
      for (const { requests, changes, tried } of keys) {
        const numbers = {
          verdict,
          line,
          requests,
          changes,
          tried,
          would_refuse: quota.would_refuse,
        };
        expect(row, row.key).to.deep.include({
          ...numbers,
          organization_id,
        });
      }
    }
  });

  it('prints the same rows as comma-separated values', async () => {
    const lines = (await operator.done('readiness', '--csv')).trim().split('\r\n');
    expect(lines[0]).to.equal(
      'key,organization,partner,state,next,verdict,calls a day,trend %,to change,over quota,last call,sunset,trial',
    );
    expect(lines.slice(1).map((line) => line.split(',')[0])).to.deep.equal(
      listed.map(({ key }) => key),
    );
    const silent = listed.filter(({ last_at }) => last_at === undefined);
    expect(lines.filter((line) => line.includes(',not in 30 d,'))).to.have.length(silent.length);
  });

  it('lists the state of each key, also where its organization is suspended', async () => {
    const { key = '', organization_id: id = '' } = listed[0] ?? {};
    const states = () => operator.done('readiness', '-o', 'key,state');
    expect(await states()).to.match(new RegExp(`^${key}\tactive$`, 'm'));
    await operator.done('organizations suspend', id, '--yes', '--reason', 'unpaid');
    const suspended = await states();
    await operator.done('organizations resume', id);
    expect(suspended).to.match(new RegExp(`^${key}\tsuspended$`, 'm'));
  });

  it('says which keys are in a trial, and until when the first is', async () => {
    const [first = '', second = ''] = listed.map(({ key }) => key);
    const start = (key: string, length: string) =>
      operator.done('keys pin', key, '--form', 'current', '--for', length, '--reason', 'test');
    await start(first, '30m');
    const untilOf = async (key: string) =>
      (await operator.json<FleetReport>('readiness')).keys.find((row) => row.key === key)?.trial;
    const until = (await untilOf(first))?.until ?? 'none';
    const one = await operator.run('readiness', '--wide');
    expect(one.stderr).to.include(` 1 in a trial until ${until}.`);
    expect(one.stdout).to.include(`current until ${until}`);
    await start(second, '2h');
    expect((await operator.run('readiness')).stderr).to.include(
      ` 2 in trials, the first until ${until}.`,
    );
    expect(await operator.done('readiness', '--html')).to.match(/>on trial in the current form /);
    for (const key of [first, second])
      await operator.done('keys pin', key, '--back', '--reason', 'test');
    expect(await untilOf(first)).to.equal(undefined);
    expect((await operator.run('readiness')).stderr).to.not.include('trial');
  });

  it('writes a page with a row for every key, each linking its letter', async () => {
    const letters = join(folder.path, 'letters of today');
    const page = await operator.done('readiness', '--html', '--letters', letters);
    const links = [...page.matchAll(/<a href="([^"]+)">/g)].map(([, href = '']) =>
      decodeURIComponent(href),
    );
    expect(links).to.deep.equal(listed.map(({ key }) => join(letters, `${key}.html`)));
    expect(await readdir(letters)).to.have.members(listed.map(({ key }) => `${key}.html`));
    const [first = ''] = listed.map(({ key }) => key);
    expect(page).to.include(`${first}, `);
  });

  it('names letters of an earlier run to keys that are not in this one, and no other file', async () => {
    const letters = join(folder.path, 'letters again');
    const write = async () => {
      const { stderr } = await operator.run('readiness', '--html', '--letters', letters);
      return stderr.trim().split('\n').slice(1); // without the advice to set PUBLIC_URL
    };
    const written = `20 letters written to ${letters}.`;
    expect(await write()).to.deep.equal([written]);
    const moved = fleet.keys.find(({ form }) => form === 'current')?.id ?? '';
    const revoked = fleet.keys.find(({ revokedAt }) => revokedAt !== undefined)?.id ?? '';
    await writeFile(join(letters, 'index.html'), '');
    await writeFile(join(letters, `${moved}.html`), '');
    expect(await write()).to.deep.equal([
      written,
      `1 older letter in ${letters} is of a key that is not in this run: ${moved}.`,
    ]);
    await writeFile(join(letters, `${revoked}.html`), '');
    const [, named = ''] = await write();
    expect(named).to.match(/^2 older letters in .* are of keys that are not in this run: /);
    expect(named).to.include(moved).and.include(revoked);
    const [found] = await operator.collection('api_keys').find({ _id: moved }).toArray();
    await operator.collection('api_keys').updateOne({ _id: moved }, { $set: { hash: 'none' } });
    expect((await write()).at(-1)).to.equal(named);
    await operator
      .collection('api_keys')
      .updateOne({ _id: moved }, { $set: { hash: found?.['hash'] } });
  });

  describe('with --reads', () => {
    const keyOf = (kind: string): string =>
      listed.find(({ key }) => fleet.kinds.get(key) === kind)?.key ?? '';
    const movedOf = async (...args: string[]) => {
      const { keys } = await operator.json<MigrationReadiness>(
        'readiness',
        keyOf('polls'),
        ...args,
      );
      const [report] = keys;
      if (report === undefined) throw new Error('There is no report.');
      return report;
    };
    const fileOf = (text: string): Promise<string> => folder.writeText('reads.txt', text);

    it('takes every member that `moving serve --list-members` prints, and counts as without', async () => {
      const whole = await movedOf();
      for (const kind of Object.keys(movers)) {
        const { stdout } = await runProgramFile(movingFile(kind), ['serve', '--list-members']);
        const report = await movedOf('--reads', await fileOf(stdout));
        expect(report).to.deep.equal(whole);
      }
    });

    it('counts only members in the file, by their whole name or its end', async () => {
      const whole = await movedOf();
      const file = await fileOf('\uFEFFphoto\r\n\r\n  artists.songs.streams \nartists.name\n');
      const report = await movedOf('--reads', file);
      expect(report.members.map(({ member }) => member)).to.deep.equal([
        'photo',
        'songs[].streams',
      ]);
      expect(report.members_not_read).to.have.length(whole.members.length - 2);
      expect(report.changes).to.equal(whole.changes - whole.members.length + 2);
      const text = await operator.done('readiness', keyOf('polls'), '--reads', file);
      expect(text).to.match(new RegExp(`moved, not read\\s+${whole.members.length - 2} members`));
      const letter = await operator.done('readiness', keyOf('polls'), '--letter', '--reads', file);
      expect(letter).to.include('adapt 2 members, ');
    });

    it('refuses a name that is no member, with the line and the nearest name, and an empty file', async () => {
      for (const [text, message] of [
        ['photo\n\nfoto\n', /reads\.txt, line 3: there is no member foto\. Did you mean photo\?$/],
        [
          'artists.photos\n',
          /line 1: there is no member artists\.photos\. Did you mean artists\.photo\?$/,
        ],
        [
          'artists.songs[].streams',
          /there is no member artists\.songs\[\]\.streams\. Did you mean artists\.songs\.streams\?$/,
        ],
        ['nothing like it', /line 1: there is no member nothing like it\.$/],
        ['\n', /reads\.txt: has no name\.$/],
      ] as const)
        expectUsageError(
          await operator.run('readiness', keyOf('polls'), '--reads', await fileOf(text)),
          message,
        );
      for (const [path, message] of [
        ['/nowhere/x', /^\/nowhere\/x: no such file\.$/],
        ['/dev', /^\/dev: cannot be read \(EISDIR\)\.$/],
        ['/dev/null/x', /^\/dev\/null\/x: cannot be read \(ENOTDIR\)\.$/],
      ] as const)
        expectUsageError(await operator.run('readiness', keyOf('polls'), '--reads', path), message);
    });

    it('wants the name of a key', async () => {
      const file = await fileOf('photo\n');
      for (const args of [[], ['org1']])
        expectUsageError(
          await operator.run('readiness', ...args, '--reads', file),
          /^--reads is for one key: name the key\.$/,
        );
    });
  });

  it('says so when an organization has no key of the variant form', async () => {
    const organization = fleet.keys.find(({ form }) => form === 'current')?.organizationId ?? '';
    expect(await operator.done('readiness', organization)).to.equal(
      `${organization} has no key of the variant form: nothing has to move.\n`,
    );
  });

  it('refuses a letter to the partner of a key that has the current form already', async () => {
    const id = fleet.keys.find(({ form }) => form === 'current')?.id ?? '';
    for (const option of ['--letter', '--html'])
      expect(await operator.run('readiness', id, option)).to.deep.equal({
        code: 1,
        stdout: '',
        stderr: `Key ${id} has the current form already: there is no letter to write.\n`,
      });
  });

  it('refuses a letter about a key that has ended, and names its successor', async () => {
    const id = fleet.keys.find(({ revokedAt }) => revokedAt !== undefined)?.id ?? '';
    const keys = operator.collection('api_keys');
    await keys.updateOne({ _id: id }, { $set: { replaced_by: 'fleet001' } });
    const { code, stdout, stderr } = await operator.run('readiness', id, '--letter');
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
    expect(stderr).to.match(
      /has been revoked since \S+: there is no letter to write\. Key fleet001 replaces it\.\n$/,
    );
  });
});

describe('the quota of an organization in the list', () => {
  const now = Date.parse('2026-08-22T12:00:00Z');

  for (const [what, former] of [
    ['revoked', { revokedAt: now - 3_600_000 }],
    ['moved to the current form', { form: 'current' }],
  ] as const)
    it(`counts every page of a call after the move, also of a key that is ${what}`, () => {
      const organizationId = 'org0';
      const calls = [
        { id: 'k1', requests: 8, uses: { '?limit=200': 8 } },
        { id: 'k2', requests: 1, uses: { '?limit=20': 1 } },
      ];
      const counts = calls.map((call) =>
        buildUsageCount({ ...call, day: '2026-08-20', keyId: call.id, organizationId }),
      );
      const usage = {
        days: counts.map((count) => ({ ...count, id: count.keyId })),
        hours: calls.map(({ id, requests }) => ({
          ...{ id, keyId: id, organizationId, requests },
          hour: Date.parse('2026-08-20T09:00:00Z'),
          minutes: new Map([[7, { requests, refused: 0 }]]),
        })),
      };
      const keys = [
        buildKey({ id: 'k1', organizationId, form: 'variant', ...former }).record,
        buildKey({ id: 'k2', organizationId, form: 'variant' }).record,
      ];
      const { report } = assessPlanted({ ...plantFleet(1, now), keys, usage }, now);
      expect(report.keys).to.have.length(1);
      expect(report.keys[0]).to.include({ key: 'k2', requests: 1, would_refuse: 7 });
      expect(report.keys[0]?.line).to.match(/^would exceed quota: 7 of 17 requests/);
    });
});

describe('the page of the fleet', () => {
  const now = Date.parse('2026-08-22T12:00:00Z');

  it('divides the calls of a key by the days since its first, and knows no trend before 14 full days', () => {
    const fleet = plantFleet(2, now);
    const seenFor = (days: number) => {
      const usage = {
        ...fleet.usage,
        days: fleet.usage.days.filter(({ day }) => day > addDays('2026-08-22', -days)),
      };
      const { report } = assessPlanted({ ...fleet, usage }, now);
      const row = report.keys.find(({ key }) => fleet.kinds.get(key) === 'polls');
      const calls = sum(Object.values(row?.calls ?? {}).flat());
      return { row, average: Math.round((calls / days) * 10) / 10 };
    };
    for (const days of [1, 3, 14, 15, 30]) {
      const { row, average } = seenFor(days);
      expect(row?.calls_a_day, `${days} days`).to.equal(average).and.be.above(20);
      expect(row?.trend_percent === undefined, `${days} days`).to.equal(days < 15);
    }
  });

  it('has at most 200 KB for 200 partners', () => {
    const page = fleetPage(assessPlanted(plantFleet(200, now), now).report, {
      now,
      letters: 'letters',
    });
    expect(page.match(/<th scope="row">/g)).to.have.length(200);
    expect(Buffer.byteLength(page)).to.be.lessThan(200_000);
  });

  it('says of a key without calls over which days it looked', () => {
    const { report } = assessPlanted(plantFleet(5, now), now);
    const page = fleetPage({ ...report, days: 7 }, { now, letters: undefined });
    expect(page.match(/<td>not in 7 d<\/td>/g)).to.have.length(1);
  });

  it('names the share of two days, and of the first day alone while there is no other', () => {
    const { report } = assessPlanted(plantFleet(5, now), now);
    const captionOf = (days: number) => {
      const last = report.days - days;
      const calls = Object.fromEntries(
        Object.entries(report.calls).map(([form, counts]) => [
          form,
          counts.map((n, day) => (day < last ? 0 : n)),
        ]),
      );
      return /<figcaption>(.*)<\/figcaption>/.exec(
        fleetPage({ ...report, calls }, { now, letters: undefined }),
      )?.[1];
    };
    expect(captionOf(1)).to.match(/ form: <b>[\d.]+ %<\/b> on <time>2026-08-22<\/time>\.$/);
    expect(captionOf(2)).to.match(
      / %<\/b> on <time>2026-08-22<\/time>, [\d.]+ % on <time>2026-08-21<\/time>\.$/,
    );
  });

  it('loads nothing and runs nothing', () => {
    const page = fleetPage(assessPlanted(plantFleet(5, now), now).report, {
      now,
      letters: undefined,
    });
    expect(page).not.to.match(/ src=|url\(|@import|https?:/);
    expect(page).to.include('<script></script>');
  });

  it('shows a trial in course and until when, and none that has ended', () => {
    const { keys, ...fleet } = plantFleet(3, now);
    const [first, second] = keys.map((key) => key.id);
    const untilOf = (id: string) => (id === first ? now + 90_000 : id === second ? now : undefined);
    const tried = keys.map((key) => {
      const until = untilOf(key.id);
      return until === undefined ? key : { ...key, trial: { form: 'current' as const, until } };
    });
    const { report } = assessPlanted({ ...fleet, keys: tried }, now);
    const page = fleetPage(report, { now, letters: undefined });
    expect(page.match(/on trial in the .*?<\/time>/g)).to.deep.equal([
      'on trial in the current form until <time>2026-08-22T12:01Z</time>',
    ]);
    expect(
      report.keys.flatMap(({ key, trial }) => (trial ? [[key, trial.until]] : [])),
    ).to.deep.equal([[first, '2026-08-22T12:01:30.000Z']]);
  });

  it('holds the names of partners as text', () => {
    const { keys, ...report } = assessPlanted(plantFleet(1, now), now).report;
    const named: FleetRow[] = keys.map((row) => ({
      ...row,
      partner: '<img src=x onerror=alert(1)>',
    }));
    expect(fleetPage({ ...report, keys: named }, { now, letters: 'a"b' }))
      .to.include('<a href="a%22b/fleet000.html">&lt;img src=x')
      .and.not.include('<img');
  });
});
