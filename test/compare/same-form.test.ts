import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Scope } from '../../src/domain/caller.ts';
import { StoreError } from '../../src/runtime/store-error.ts';
import type { SendRequest } from '../../tools/compare/cases/send-request.ts';
import { causesOf } from '../../tools/compare/causes.ts';
import {
  type Recording,
  readFacts,
  replayRecording,
  runSameForm,
} from '../../tools/compare/same-form.ts';
import { createPartnerClient } from '../../tools/compare/targets/running-target.ts';
import { type ComparedForm, comparedForms } from '../../tools/migration/mapping/forms.ts';
import { buildKey, keySourceOf } from '../support/builders.ts';
import { useCleanup } from '../support/cleanup.ts';
import { useInputFolder } from '../support/cli/input-folder.ts';
import { runWarm } from '../support/cli/run.ts';
import { readNamed } from '../support/compare/open-target.ts';
import { backwards, type DataSlip, gone, inList, slipping } from '../support/compare/slips.ts';
import { createTestGateway, fullKeys, type TestGatewayOptions } from '../support/gateway.ts';

const keys = {
  current: fullKeys.current.text,
  variant: fullKeys.variant.text,
  override: undefined,
};

describe('comparison of one form of two gateways', () => {
  const cleanup = useCleanup(after);
  const openGateway = async (options: TestGatewayOptions = {}): Promise<string> => {
    const { port } = cleanup.add(await createTestGateway(options), ({ close }) => close());
    return `http://127.0.0.1:${port}`;
  };
  let [url, right]: [string, SendRequest] = ['', () => Promise.reject(new Error('not open yet'))];
  before(async () => {
    url = await openGateway();
    right = createPartnerClient({ baseUrl: new URL(url), keys });
  });

  const compare = async (
    form: ComparedForm,
    second: SendRequest,
    first: SendRequest = right,
    ...names: readonly string[]
  ) => {
    const facts = await readFacts(right, form, keys);
    const given = { form, first, second, facts, forget: undefined };
    return runSameForm(await readNamed(...names), given);
  };
  const lists = ['artists', 'signings'];

  for (const form of comparedForms) {
    it(`finds no difference in the ${form} form of one release`, async () => {
      const { cases, skipped } = await compare(form, right);
      expect(cases.flatMap(({ unexpected }) => unexpected)).to.deep.equal([]);
      expect(cases.length).to.be.greaterThan(80);
      expect(cases.some(({ counts }) => counts.volatile > 0)).to.equal(true);
      expect([...new Set(skipped.map(({ reason }) => reason))]).to.have.members([
        'they need keys that are made up for them',
        'they need the whole shortlist, which this run does not have',
      ]);
    });
  }

  const withoutFirst = inList((list) => list.slice(1));
  const slips: readonly (readonly [row: string | undefined, violation: string, DataSlip])[] = [
    [
      'artist.photo_url',
      'The second answer lacks it.',
      { form: 'current', of: 'artists', at: 'photo_url', change: gone },
    ],
    [
      undefined,
      'Only the first answer has it.',
      { form: 'current', of: 'artists', at: '', change: inList((list) => list.slice(0, -1)) },
    ],
    [
      undefined,
      'The first answer lacks it.',
      {
        ...{ form: 'variant', of: 'artists', at: '' },
        change: inList((list) => list.map((one) => ({ ...Object(one), extra: 1 }))),
      },
    ],
    [
      'signing.label_songs[].song_name',
      'The first answer and the second answer list label_songs in different orders.',
      { form: 'variant', of: 'signings', at: 'label_songs', change: backwards },
    ],
    [
      'artist.songs[].id',
      'The second answer lacks it.',
      { form: 'current', of: 'artists', at: 'songs', change: withoutFirst },
    ],
  ];
  for (const [row, violation, slip] of slips) {
    it(`reports for ${row ?? slip.of}: ${violation}`, async () => {
      const { cases } = await compare(slip.form, slipping(right, slip), right, ...lists);
      const causes = causesOf(cases).map((cause) => [cause.row, cause.violation]);
      expect(causes).to.deep.include([row, violation]);
    });
  }

  it('reports a request that both gateways fail to answer', async () => {
    const failing: SendRequest = async (request) =>
      request.path.includes('signings') ? { status: 503, headers: {}, text: '{}' } : right(request);
    const { cases } = await compare('current', failing, failing, ...lists);
    expect(causesOf(cases).map(({ violation }) => violation)).to.deep.equal([
      'Both gateways failed to answer.',
    ]);
  });

  it('replays replies to equal requests in order, then repeats the last', async () => {
    const [form, key, method] = ['current', 'full', 'GET'] as const;
    const request = { form, key, method, path: '/artists', headers: {} };
    const exchanges = ['first', 'last'].map((text) => ({
      request,
      reply: { status: 200, headers: {}, text },
    }));
    const recording: Recording = { form, gateway: 'a', now: '', artists: [], exchanges };
    const replay = replayRecording(recording);
    const replies = [await replay(request), await replay(request), await replay(request)];
    expect(replies.map(({ text }) => text)).to.deep.equal(['first', 'last', 'last']);
    const { cases, skipped } = await compare('current', right, replay, 'artists');
    expect(cases).to.deep.equal([]);
    expect(skipped[0]?.reason).to.match(/^the recording has no reply to GET /);
  });

  describe('artist-gateway compare --form', () => {
    const folder = useInputFolder();
    const compareForm = (given: string, ...args: readonly string[]) =>
      runWarm({ CURRENT_KEY: keys.current }, [
        ...['compare', '--form', 'current', '--base-url', given, ...args],
      ]);
    const chosen = ['--case', ...lists, 'artist-in-detail', 'spikes'];

    it('records a run, and compares the same and another gateway with it', async () => {
      const file = join(folder.path, 'run.json');
      const written = await compareForm(url, '--record', file, ...chosen);
      expect(written).to.include({ code: 0, stdout: '' });
      expect(written.stderr).to.match(
        /Recorded \d+ cases, compared nothing\. To compare with them: --against .*run\.json\n$/,
      );
      expect(readFileSync(file, 'utf8')).to.not.include('aik_');
      const { code, stdout } = await compareForm(url, '--against', file, ...chosen, '--json');
      expect(JSON.parse(stdout)).to.include({ verdict: 'same', unexpected: 0 });
      expect(code).to.equal(0);
      const other = await openGateway({ settings: { SPIKE_FLOOR: '100000' } });
      const differing = await compareForm(other, '--against', file, ...chosen, '--json');
      expect(JSON.parse(differing.stdout)).to.include({ verdict: 'different' });
      const twice = await compareForm(url, '--against', url, ...chosen);
      expect(twice.code).to.equal(0);
    });

    const openWithScopes = async (...scopes: readonly Scope[]) => {
      const key = buildKey({ id: 'currentFull', scopes });
      return openGateway({ keys: keySourceOf([key]) });
    };
    const spikesOf = ['--case', 'artists', 'spikes'];

    it('skips a case that both gateways refuse because the key lacks its scope', async () => {
      const narrow = await openWithScopes('artists:read');
      const { code, stderr } = await compareForm(narrow, '--against', narrow, ...spikesOf);
      expect(stderr).to.include('they need spikes:read, which the key lacks: spikes.');
      expect(code).to.equal(0);
    });

    it('reports a case that only one gateway refuses for a missing scope', async () => {
      const narrow = await openWithScopes('artists:read');
      const { code, stdout } = await compareForm(url, '--against', narrow, ...spikesOf);
      expect(stdout).to.match(/^spikes\t6 \/ 0\t/m);
      expect(code).to.equal(1);
    });

    const incomplete: readonly (readonly [
      what: string,
      open: () => Promise<string>,
      message: RegExp,
    ])[] = [
      ['does not answer', async () => 'http://127.0.0.1:1', /does not answer/],
      [
        'fails to answer a request',
        () =>
          openGateway({ histories: { read: () => Promise.reject(new StoreError('no database')) } }),
        /Incomplete recording, not written to .*\. GET \/api\/v1\/artists\/\w+ was answered 503\.\n$/,
      ],
      [
        'ends the run with a used up quota',
        () => openGateway({ keys: keySourceOf([fullKeys.current], { perDay: 2 }) }),
        /Incomplete recording, not written to .*\. The quota of/,
      ],
    ];
    for (const [what, open, message] of incomplete)
      it(`keeps the previous recording and writes no new one if the gateway ${what}`, async () => {
        const previous = await folder.writeText('previous.json', 'previous');
        const before = readdirSync(folder.path);
        for (const file of [previous, join(folder.path, 'new.json')]) {
          const record = ['--record', file, '--max-wait', '1', ...chosen];
          const { code, stderr } = await compareForm(await open(), ...record);
          expect(stderr).to.match(message).and.not.include('Recorded');
          expect(code).to.equal(1);
        }
        expect(readdirSync(folder.path)).to.deep.equal(before);
        expect(readFileSync(previous, 'utf8')).to.equal('previous');
      });
  });
});
