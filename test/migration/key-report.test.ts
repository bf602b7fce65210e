import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import type { UsageCount } from '../../src/domain/usage.ts';
import { adviseOn } from '../../src/migration/advice.ts';
import { type KeyReport, type KeyReportFacts, reportKey } from '../../src/migration/key-report.ts';
import { reportQuota } from '../../src/migration/quota-report.ts';
import { summarise } from '../../src/migration/verdict.ts';
import { buildKey, buildOrganization } from '../support/builders.ts';
import { buildMinuteCount, buildUsageCount } from '../support/usage.ts';

const now = Date.parse('2026-08-22T12:30:00Z');
const there = { from: 'variant', to: 'current' } as const;
const back = { from: 'current', to: 'variant' } as const;
const organization = buildOrganization();
const pinned = buildKey({ form: 'variant', scopes: ['artists:read', 'spikes:read', 'signings:read'] }).record;

const reportOn = (counts: readonly UsageCount[], given: Partial<KeyReportFacts> = {}): KeyReport =>
  reportKey({
    key: pinned,
    organization,
    counts,
    move: there,
    artists: 10,
    forms: forms,
    now,
    ...given,
  });

const quotaOf = (perMinute: number, minutes = [buildMinuteCount()]) =>
  reportQuota(minutes, [{ window: 'minute', limit: perMinute, subject: 'organization:org_test' }], {
    since: now - 86_400_000,
    until: now,
  });

describe('report on a moving partner: parameters', () => {
  const found = (uses: UsageCount['uses'], given: Partial<UsageCount> = {}, artists = 10) =>
    reportOn([buildUsageCount({ uses, ...given })], { artists }).parameters.map(
      ({ parameter, instead, requests }) => `${parameter} → ${instead}: ${requests}`,
    );

  for (const [uses, expected, route = '/api/v1/artists'] of [
    [{ new: 2 }, ['/artists?new= → /added?days=: 2']],
    [{ id: 1 }, ['/artists?id= → /artists?id= (other values): 1']],
    [{ 'signed=true': 1, signed: 1 }, ['/artists?signed= → undefined: 2']],
    [{ 'fields=basic': 3 }, ['/artists?fields= → undefined: 3']],
    [{ 'limit>100': 2, limit: 1 }, ['/artists?limit= above 100 → /artists?limit=100: 2']],
    [{ 'tier=watch': 3 }, []],
    [{ unknown: 3 }, []],
    [{ days: 3, new: 3 }, [], '/api/v1/spikes'], // other paths need changes to the same names
  ] as const) {
    it(`with ${Object.keys(uses)} at ${route} are ${expected.length === 0 ? 'unchanged' : expected.join()}`, () => {
      expect(found(uses, { route })).to.deep.equal(expected);
    });
  }

  it('count requests without a limit when the shortlist is longer than the other form shows by default', () => {
    const uses = { limit: 1, id: 1 };
    expect(found({ new: 3 }, {}, 51)).to.deep.equal(['/artists?new= → /added?days=: 3']);
    expect(found(uses, {}, 50)).to.not.include.members(['/artists without limit= → /artists?limit=100: 1']);
    expect(found(uses, {}, 51)).to.include.members(['/artists without limit= → /artists?limit=100: 1']);
  });

  it('have the last day of use and the reason of the change', () => {
    const counts = [buildUsageCount({ day: '2026-08-20', uses: { new: 1 } }), buildUsageCount({ day: '2026-08-21' })];
    const [first] = reportOn(counts).parameters;
    expect(first).to.include({ requests: 1, last_day: '2026-08-20' });
    expect(first?.remark).to.match(/^Added on or after today minus N days/);
  });
});

describe('report on a moving partner: behaviours relied on', () => {
  const found = (counts: readonly UsageCount[]) =>
    reportOn(counts).behaviours.map(({ seen_by, requests }) => `${seen_by}: ${requests}`);

  it('are found in repaired, unknown and misunderstood parameters, long lists and unknown identifiers', () => {
    const uses = {
      'limit adjusted': 2,
      'days adjusted': 1,
      unknown: 3,
      tier: 1,
      'tier none': 1,
      'query none': 2,
      'limit>100': 2,
    };
    const counts = [buildUsageCount({ uses }), buildUsageCount({ status: 404, requests: 4 })];
    expect(found(counts)).to.have.members([
      'days adjusted,limit adjusted: 3',
      'unknown: 3',
      'query none,tier none: 3',
      'limit>100: 2',
      '/artists 404: 4',
    ]);
  });

  it('are none when parameters are used as specified', () => {
    const uses = { limit: 3, 'tier=watch': 1, 'signed=true': 1 };
    expect(found([buildUsageCount({ uses }), buildUsageCount({ status: 404, route: undefined })])).to.deep.equal([]);
  });

  it('have the behaviour of the current form beside them', () => {
    const [first] = reportOn([buildUsageCount({ uses: { 'limit adjusted': 1 } })]).behaviours;
    expect(first?.behaviour).to.match(/^A number out of its range; or .*; or A parameter given twice$/);
    expect(first?.current).to.match(/^400/);
  });
});

describe('report on a moving partner: members to read differently', () => {
  const membersOf = (counts: readonly UsageCount[], given: Partial<KeyReportFacts> = {}) =>
    reportOn(counts, given).members.map(({ of, member, instead }) => `${of}: ${member} → ${instead}`);

  it('are those of the routes it calls', () => {
    const members = membersOf([buildUsageCount()]);
    expect(members).to.include.members([
      'around the items: success → undefined',
      'around the items: _meta.timestamp → meta.generated_at',
      'an artist: photo → photo_url',
      'an artist: songs[].streams → songs[].metrics.streams',
      'an error: error → error.code',
    ]);
    expect(members.join('\n')).not.to.match(/a spike|a signing|period_days|labels_tracked/);
    expect(members.join('\n')).not.to.include('an artist: name ');
    const spikes = membersOf([buildUsageCount({ route: '/api/v1/spikes' })]);
    expect(spikes).to.include.members([
      'around the items: period_days → meta.window.days',
      'a spike: tiktok → links.tiktok',
    ]);
    expect(spikes.join('\n')).not.to.match(/an artist|labels_tracked/);
    expect(membersOf([buildUsageCount({ route: '/api/v1/signings' })]).join('\n')).to.include('_meta.labels_tracked[]');
  });

  it('leave out members that its scopes or `fields=basic` hide', () => {
    const report = 'an artist: scouting_report → editorial.scouting_report';
    const editor = { ...pinned, scopes: [...pinned.scopes, 'editorial:read' as const] };
    expect(membersOf([buildUsageCount()])).not.to.include(report);
    expect(membersOf([buildUsageCount()], { key: editor })).to.include(report);
    const basic = [buildUsageCount({ uses: { 'fields=basic': 3 } })];
    expect(membersOf(basic, { key: editor }).join('\n')).not.to.match(/songs\[\]|scouting_report/);
    expect(membersOf([...basic, buildUsageCount()]).join('\n')).to.match(/songs\[\]/);
  });

  it('are those of answers with 200 or 304 alone', () => {
    expect(membersOf([buildUsageCount({ status: 429 })])).to.deep.equal([]);
    expect(membersOf([buildUsageCount({ status: 304 })])).to.deep.equal(membersOf([buildUsageCount()]));
  });

  it('are those of the current form for a partner that moves back', () => {
    const key = buildKey({ form: 'current' }).record;
    const counts = [buildUsageCount({ form: 'current' })];
    const members = membersOf(counts, { key, move: back });
    expect(members).to.include.members(['an artist: photo_url → photo', 'an artist: genres[] → undefined']);
    expect(members.join('\n')).not.to.match(/history/);
    const detail = membersOf([buildUsageCount({ form: 'current', route: '/api/v1/artists/:id' })], { key, move: back });
    expect(detail).to.include('an artist: history.*[].date → undefined');
  });
});

describe('report on a moving partner: requests, errors, paths and remarks', () => {
  it('counts requests in the form it leaves, and requests tried in the form it moves to', () => {
    const counts = [
      buildUsageCount({ day: '2026-08-01' }),
      buildUsageCount({ route: undefined, status: 404, requests: 2 }),
      buildUsageCount({ form: 'current', requests: 5 }),
      buildUsageCount({ form: 'current', status: 400, requests: 1 }),
    ];
    const report = reportOn(counts);
    expect(report).to.deep.include({
      requests: 5,
      first_day: '2026-08-01',
      last_at: '2026-08-22T11:00:00.000Z',
      tried: { requests: 6, refused: 1 },
    });
    expect(report.paths).to.deep.equal([
      { path: '/artists', instead: '/artists', requests: 3, last_day: '2026-08-01' },
      { path: undefined, instead: undefined, requests: 2, last_day: '2026-08-22' },
    ]);
  });

  it('names status and code in the other form for each error it received', () => {
    const counts = [404, 429, 500].map((status) => buildUsageCount({ status }));
    expect(reportOn(counts).errors.map(({ status, instead }) => `${status}: ${instead}`)).to.deep.equal([
      '404: 404 not_found',
      '429: 429 rate_limited',
      '500: 503 service_unavailable,500 server_error',
    ]);
  });

  it('counts paths that the other form does not have as changes', () => {
    const key = buildKey({ form: 'current' }).record;
    const added = buildUsageCount({ form: 'current', route: '/api/v1/added', uses: { days: 3 } });
    const { paths, parameters } = reportOn([added], { key, move: back });
    expect(paths).to.deep.equal([{ path: '/added', instead: undefined, requests: 3, last_day: '2026-08-22' }]);
    expect(parameters).to.have.nested.property('[0].instead', '/artists?new=');
  });

  it('remarks on settings without effect in the new form, and on reasons against the move', () => {
    const key = { ...pinned, perHour: 500, sunset: '2027-01-01', revokedAt: now - 1 };
    const { remarks, state } = reportOn([], { key });
    expect(state).to.equal('revoked');
    expect(remarks.join('\n')).to.match(
      /is revoked since .*\n.*500 requests an hour does not apply.*\n.*2027-01-01 is kept/,
    );
  });
});

describe('report on a moving partner: quota', () => {
  it('lists the worst windows and the limit that would refuse nothing', () => {
    const noon = Date.parse('2026-08-22T12:00:00Z');
    const minutes = [0, 1, 2, 1440].map((minute) =>
      buildMinuteCount({ minute: noon + minute * 60_000, requests: 10 + minute, refused: minute === 1 ? 4 : 0 }),
    );
    const { refusals, ...quota } = quotaOf(10, minutes);
    expect(quota).to.deep.include({ asked: 1483, refused_then: 4, would_refuse: 1443, keys: ['keyvariant'] });
    expect(refusals[0]).to.deep.include({ requests: 1443, windows: 3, days: 2, enough: 1450 });
    expect(refusals[0]).to.include({ first_at: '2026-08-22T12:01:00.000Z', last_at: '2026-08-23T12:00:00.000Z' });
    expect(refusals[0]?.worst[0]).to.deep.equal({ starts_at: '2026-08-23T12:00:00.000Z', asked: 1450, refused: 1440 });
  });

  it('counts all keys of an organization for a shared quota, and one key for its own', () => {
    const minutes = [
      buildMinuteCount(),
      buildMinuteCount({ keyId: 'other' }),
      buildMinuteCount({ organizationId: 'else' }),
    ];
    expect(quotaOf(10, minutes).asked).to.equal(2);
    const own = reportQuota(minutes, [{ window: 'hour', limit: 9, subject: 'key:other' }], { since: 0, until: now });
    expect(own.asked).to.equal(1);
  });
});

describe('report on a moving partner: verdict', () => {
  const fits = quotaOf(10);
  const over = quotaOf(0);
  const waiting = reportOn([buildUsageCount()]);
  const silent = reportOn([]);
  const line = (keys: readonly KeyReport[], quota = fits) => summarise(keys, quota, there, 30).line;

  it('puts refusals by quota first, and the number of changes after it', () => {
    expect(line([waiting], over)).to.equal(`would exceed quota: 1 of 1 requests; ${waiting.changes} things to change`);
    expect(summarise([silent], over, there, 30).verdict).to.equal('would exceed quota');
  });

  it('counts the changes, and names keys without requests', () => {
    expect(line([waiting])).to.equal(`ready after renames: ${waiting.changes} things to change`);
    expect(line([waiting, { ...silent, key: 'k2' }])).to.equal(
      `ready after renames: ${waiting.changes} things to change in 1 of 2 keys; k2 asked nothing in 30 days, so there is nothing to assess`,
    );
    expect(line([{ ...waiting, changes: 1 }])).to.equal('ready after renames: 1 thing to change');
  });

  it('is unknown for a key without requests', () => {
    expect(summarise([silent], fits, there, 30)).to.deep.equal({
      verdict: 'unknown',
      line: 'unknown: it asked nothing in 30 days, so there is nothing to assess',
    });
  });

  it('is ready for a key that already uses the other form, and for a key that has it', () => {
    const tried = reportOn([buildUsageCount({ form: 'current' })]);
    expect(line([tried])).to.match(/^ready: all that was asked in 30 days was asked in the current form, and 0 of it/);
    expect(line([{ ...waiting, form: 'current' }])).to.equal('ready: it is of the current form already');
    expect(line([])).to.equal('ready: it has no key of the variant form');
  });
});

describe('report on a moving partner: advice', () => {
  const advice = (given: Partial<typeof pinned>, counts: readonly UsageCount[], perMinute = 10) => {
    const key = { ...pinned, ...given };
    return adviseOn(
      key,
      reportOn(counts, { key }),
      quotaOf(perMinute, [buildMinuteCount({ requests: 12 })]),
      there,
    ).join('\n');
  };

  it('names the commands to run', () => {
    const text = advice({}, [buildUsageCount({ uses: { id: 1 } })]);
    expect(text).to.include('artist-gateway keys set keyvariant --allow-envelope-override --reason');
    expect(text).to.include('artist-gateway crosswalk ids --organization org_test --csv > org_test-ids.csv');
    expect(text).to.include('artist-gateway organizations set org_test --per-minute 12');
    expect(text).to.include('artist-gateway keys pin keyvariant --form current --reason');
  });

  it('leaves out unnecessary commands', () => {
    const text = advice({ allowEnvelopeOverride: true }, [], 100);
    expect(text).to.include('It may try the current form now');
    expect(text).not.to.match(/keys set|crosswalk ids|organizations set/);
    expect(advice({ form: 'current' }, [])).to.equal('');
  });
});
