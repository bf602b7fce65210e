import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readCases } from '../../adapters/compare/cases/cases.ts';
import type { SendRequest } from '../../adapters/compare/cases/send-request.ts';
import { causesOf } from '../../adapters/compare/causes.ts';
import { type Recording, recordExchanges, replayRecording } from '../../adapters/compare/same-form/recording.ts';
import { readFacts, runSameForm } from '../../adapters/compare/same-form/run-same-form.ts';
import { createPartnerClient } from '../../adapters/compare/targets/running-target.ts';
import type { Form } from '../../adapters/forms/form.ts';
import { forms } from '../../adapters/forms/forms.ts';
import { type ComparedForm, comparedForms } from '../../src/crosswalk/forms.ts';
import { casesFolder } from '../../src/runtime/config.ts';
import { useStarted } from '../support/cleanup.ts';
import { useInputFolder } from '../support/cli/input-folder.ts';
import { createWarmCommand } from '../support/cli/warm-command.ts';
import { currentArtists, variantArtists, variantSignings, without } from '../support/compare/faulty.ts';
import { demoKey } from '../support/faults/database.ts';
import { createTestGateway, fullKeys, type TestGateway } from '../support/gateway.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';

const keys = { current: fullKeys.current.text, variant: fullKeys.variant.text, override: undefined };
const [first, ...rest] = forms;

describe('comparison of one form of two gateways', function () {
  this.timeout(20_000);
  const opened: (() => unknown)[] = [];
  let right: SendRequest;

  const open = async (change: (form: Form) => Form = (form) => form): Promise<SendRequest> => {
    const gateway: TestGateway = await createTestGateway({ forms: [change(first), ...rest.map(change)] });
    const client = createPartnerClient({ baseUrl: new URL(`http://127.0.0.1:${gateway.port}`), keys });
    opened.push(client.close, gateway.close);
    return client.send;
  };

  before(async () => {
    right = await open();
  });
  after(async () => {
    for (const close of opened) await close();
  });

  const compare = async (form: ComparedForm, second: SendRequest, one: SendRequest = right) => {
    const cases = await readCases(casesFolder);
    const facts = await readFacts(one, form);
    return runSameForm(cases, { form, first: one, second, facts, forget: undefined });
  };

  for (const form of comparedForms) {
    it(`finds no difference between two gateways of one release, ${form} form`, async () => {
      const { cases, skipped } = await compare(form, await open());
      expect(cases.flatMap(({ unexpected }) => unexpected)).to.deep.equal([]);
      expect(cases.length).to.be.greaterThan(80);
      expect(cases.map(({ counts }) => counts.volatile).reduce((sum, count) => sum + count)).to.be.greaterThan(100);
      const reasons = ['they need keys that are made up for them', 'they need the whole shortlist of one gateway'];
      expect(new Set(skipped.map(({ reason }) => reason))).to.deep.equal(new Set(reasons));
    });
  }

  const faults: readonly (readonly [string, ComparedForm, (form: Form) => Form, string | undefined, string])[] = [
    [
      'a member that is left out',
      'current',
      currentArtists({ show: (wire) => without(wire, 'photo_url') }),
      'artist.photo_url',
      'The second answer lacks it.',
    ],
    [
      'a member that only this form has',
      'current',
      currentArtists({ show: (wire) => ({ ...wire, country_code: 'XX' }) }),
      'artist.country_code',
      'The two answers differ.',
    ],
    [
      'a new member',
      'variant',
      variantArtists({ show: (wire) => ({ ...wire, extra: 1 }) }),
      undefined,
      'The first answer lacks it.',
    ],
    [
      'another order of a list inside an item',
      'variant',
      variantSignings({ show: (wire) => ({ ...wire, label_songs: wire.label_songs.toReversed() }) }),
      'signing.label_songs[].song_name',
      'The two answers differ.',
    ],
    [
      'another order of members',
      'variant',
      variantArtists({ show: (wire) => Object.fromEntries(Object.entries(wire).toReversed()) }),
      undefined,
      'The texts of page … differ, although their values are the same.',
    ],
  ];
  for (const [what, form, change, row, violation] of faults) {
    it(`reports ${what}`, async () => {
      const { cases } = await compare(form, await open(change));
      const causes = causesOf(cases).map((cause) => [cause.row, cause.violation]);
      expect(causes).to.deep.include([row, violation]);
    });
  }

  it('reports what a gateway does differently from the recording of another, and nothing against its own', async () => {
    const exchanges: Recording['exchanges'] = [];
    const recorded = await compare('current', right, recordExchanges(right, exchanges));
    expect(recorded.cases.flatMap(({ unexpected }) => unexpected)).to.deep.equal([]);
    const recording: Recording = { form: 'current', gateway: 'a', ...(await readFacts(right, 'current')), exchanges };
    const same = await compare('current', replayRecording(recording));
    expect(same.cases.flatMap(({ unexpected }) => unexpected)).to.deep.equal([]);
    expect(same.cases.length).to.equal(recorded.cases.length);
    const wrong = await open(currentArtists({ show: (wire) => without(wire, 'tier') }));
    const { cases } = await compare('current', replayRecording(recording), wrong);
    expect(causesOf(cases).map(({ row }) => row)).to.include('artist.tier');
  });

  it('skips a case that the recording has no reply to', async () => {
    const facts = await readFacts(right, 'current');
    const nothing = replayRecording({ form: 'current', gateway: 'a', ...facts, exchanges: [] });
    const { cases, skipped } = await compare('current', nothing);
    expect(cases).to.deep.equal([]);
    expect(skipped[0]?.reason).to.match(/^the recording has no reply to GET /);
  });

  describe('artist-gateway compare --form', () => {
    const folder = useInputFolder();
    const gateway = useStarted(
      () => startGatewayProcess({ FIXED_NOW: '2026-08-22T12:00:00Z' }),
      ({ stop }) => stop(),
    );
    after(() => command.stop());
    const command = createWarmCommand();
    const compareForm = (...args: readonly string[]) =>
      command.run({ CURRENT_KEY: demoKey('qaCurrent') }, ['compare', ...args]);

    it('records a run, and compares the same and another gateway with it', async () => {
      const file = join(folder.path, 'run.json');
      const base = ['--form', 'current', '--base-url', gateway.url];
      const written = await compareForm(...base, '--record', file);
      expect(written).to.include({ code: 0, stdout: '' });
      expect(written.stderr).to.match(
        /Recorded \d+ cases, compared nothing\. To compare with them: --against .*run\.json\n$/,
      );
      const { code, stderr } = await compareForm(...base, '--against', file);
      expect(stderr).to.include(`The current form of ${gateway.url}, against ${file}`);
      expect(stderr).to.include('No unexpected difference.');
      expect(code).to.equal(0);
      expect(readFileSync(file, 'utf8')).to.not.include('aik_');
      const twice = await compareForm(...base, '--against', gateway.url, '--case', 'artists', '--json');
      expect(JSON.parse(twice.stdout)).to.include({ verdict: 'same', unexpected: 0 });
    });
  });
});
