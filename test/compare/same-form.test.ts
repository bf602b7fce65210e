import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Form } from '../../adapters/forms/form.ts';
import { forms } from '../../adapters/forms/forms.ts';
import type { Scope } from '../../src/domain/caller.ts';
import { casesFolder } from '../../src/runtime/config.ts';
import { StoreError } from '../../src/runtime/store-error.ts';
import { readCases } from '../../tools/compare/cases/cases.ts';
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
import { useStarted } from '../support/cleanup.ts';
import { useInputFolder } from '../support/cli/input-folder.ts';
import { runWarm } from '../support/cli/warm-command.ts';
import {
  backwards,
  currentArtists,
  gone,
  listing,
  show,
  variantArtists,
  variantSignings,
} from '../support/compare/faulty.ts';
import { demoKey } from '../support/faults/database.ts';
import { createTestGateway, fullKeys, type TestGatewayOptions } from '../support/gateway.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';

const keys = {
  current: fullKeys.current.text,
  variant: fullKeys.variant.text,
  override: undefined,
};
const [first, ...rest] = forms;

/** Sends requests and keeps them with their replies. */
const recording =
  (send: SendRequest, exchanges: Recording['exchanges']): SendRequest =>
  async (request) => {
    const reply = await send(request);
    exchanges.push({ request, reply });
    return reply;
  };

describe('comparison of one form of two gateways', () => {
  const opened: (() => unknown)[] = [];
  let right: SendRequest;

  const open = async (change: (form: Form) => Form = (form) => form): Promise<SendRequest> => {
    const gateway = await createTestGateway({ forms: [change(first), ...rest.map(change)] });
    opened.push(gateway.close);
    return createPartnerClient({ baseUrl: new URL(`http://127.0.0.1:${gateway.port}`), keys });
  };

  before(async () => {
    right = await open();
  });
  after(async () => {
    for (const close of opened) await close();
  });

  const compare = async (
    form: ComparedForm,
    second: SendRequest,
    one: SendRequest = right,
    isMeant: (name: string) => boolean = () => true,
  ) => {
    const cases = (await readCases(casesFolder)).filter(({ name }) => isMeant(name));
    const facts = await readFacts(one, form, keys);
    return runSameForm(cases, { form, first: one, second, facts, forget: undefined });
  };

  for (const form of comparedForms) {
    it(`finds no difference between two gateways of one release, ${form} form`, async () => {
      const { cases, skipped } = await compare(form, await open());
      expect(cases.flatMap(({ unexpected }) => unexpected)).to.deep.equal([]);
      expect(cases.length).to.be.greaterThan(80);
      expect(
        cases.map(({ counts }) => counts.volatile).reduce((sum, count) => sum + count),
      ).to.be.greaterThan(100);
      const reasons = [
        'they need keys that are made up for them',
        'they need the whole shortlist, which this run does not have',
      ];
      expect(new Set(skipped.map(({ reason }) => reason))).to.deep.equal(new Set(reasons));
    });
  }

  const isListOfAll = (name: string) => name === 'artists' || name === 'signings';
  const faults: readonly (readonly [
    string,
    ComparedForm,
    (form: Form) => Form,
    string | undefined,
    string,
  ])[] = [
    [
      'a member that is left out',
      'current',
      currentArtists(show('photo_url', gone)),
      'artist.photo_url',
      'The second answer lacks it.',
    ],
    [
      'a member that only this form has',
      'current',
      currentArtists(show('country_code', () => 'XX')),
      'artist.country_code',
      'The two answers differ.',
    ],
    [
      'an artist that is lost at the end of a list',
      'current',
      currentArtists({ catalogue: listing((artists) => artists.slice(0, -1)) }),
      undefined,
      'Only the first answer has it.',
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
      variantSignings(show('label_songs', backwards)),
      'signing.label_songs[].song_name',
      'The first answer and the second answer list label_songs in different orders.',
    ],
    [
      'songs in reverse order',
      'current',
      currentArtists(show('songs', backwards)),
      'artist.songs[].id',
      'The first answer and the second answer list songs in different orders.',
    ],
    [
      'a song that is lost',
      'current',
      currentArtists(show('songs', (songs: readonly object[]) => songs.slice(1))),
      'artist.songs[].id',
      'The second answer lacks it.',
    ],
  ];
  for (const [what, form, change, row, violation] of faults) {
    it(`reports ${what}`, async () => {
      const { cases } = await compare(form, await open(change), right, isListOfAll);
      const causes = causesOf(cases).map((cause) => [cause.row, cause.violation]);
      expect(causes).to.deep.include([row, violation]);
    });
  }

  it('reports a request that both gateways fail to answer', async () => {
    const failing: SendRequest = async (request) =>
      request.path.includes('signings') ? { status: 503, headers: {}, text: '{}' } : right(request);
    const { cases } = await compare('current', failing, failing, isListOfAll);
    expect(causesOf(cases).map(({ violation }) => violation)).to.deep.equal([
      'Both gateways failed to answer.',
    ]);
  });

  it('reports what a gateway does differently from the recording of another', async () => {
    const exchanges: Recording['exchanges'] = [];
    await compare('current', right, recording(right, exchanges), isListOfAll);
    const facts = await readFacts(right, 'current', keys);
    const recorded = replayRecording({ form: 'current', gateway: 'a', ...facts, exchanges });
    const wrong = await open(currentArtists(show('tier', gone)));
    const { cases } = await compare('current', recorded, wrong, isListOfAll);
    expect(causesOf(cases).map(({ row }) => row)).to.deep.equal(['artist.tier']);
  });

  it('replays the replies to equal requests in their order, and the last one repeatedly', async () => {
    const request = {
      form: 'current',
      key: 'full',
      method: 'GET',
      path: '/artists',
      headers: {},
    } as const;
    const exchanges = ['first', 'last'].map((text) => ({
      request,
      reply: { status: 200, headers: {}, text },
    }));
    const replay = replayRecording({
      form: 'current',
      gateway: 'a',
      now: '',
      artists: [],
      exchanges,
    });
    const replies = [await replay(request), await replay(request), await replay(request)];
    expect(replies.map(({ text }) => text)).to.deep.equal(['first', 'last', 'last']);
  });

  it('skips a case that the recording has no reply to', async () => {
    const facts = await readFacts(right, 'current', keys);
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
    const compareForm = (...args: readonly string[]) =>
      runWarm({ CURRENT_KEY: demoKey('qaCurrent') }, ['compare', ...args]);

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
      const twice = await compareForm(
        ...base,
        '--against',
        gateway.url,
        '--case',
        'artists',
        '--json',
      );
      expect(JSON.parse(twice.stdout)).to.include({ verdict: 'same', unexpected: 0 });
    });

    it('keeps a previous recording when the gateway does not answer', async () => {
      const file = await folder.writeText('previous.json', 'previous');
      const base = ['--form', 'current', '--base-url', 'http://127.0.0.1:1'];
      const { code, stderr } = await compareForm(...base, '--record', file);
      expect(stderr).to.include('does not answer');
      expect(code).to.equal(1);
      expect(readFileSync(file, 'utf8')).to.equal('previous');
    });

    const openLimited = async (options: TestGatewayOptions): Promise<string> => {
      const limited = await createTestGateway(options);
      opened.push(limited.close);
      return `http://127.0.0.1:${limited.port}`;
    };

    const openWithScopes = async (...scopes: readonly Scope[]) => {
      const key = buildKey({ id: 'cur', form: 'current', scopes });
      return { url: await openLimited({ keys: keySourceOf([key]) }), text: key.text };
    };
    const compareSpikes = (text: string, url: string, against: string) =>
      runWarm({ CURRENT_KEY: text }, [
        ...['compare', '--form', 'current', '--base-url', url, '--against', against],
        ...['--case', 'artists', 'spikes'],
      ]);

    it('skips a case that both gateways refuse because the key lacks its scope', async () => {
      const { url, text } = await openWithScopes('artists:read');
      const { code, stderr } = await compareSpikes(text, url, url);
      expect(stderr).to.include('they need spikes:read, which the key lacks: spikes.');
      expect(code).to.equal(0);
    });

    it('reports a case that one gateway alone refuses because the key lacks its scope', async () => {
      const narrow = await openWithScopes('artists:read');
      const whole = await openWithScopes('artists:read', 'spikes:read');
      const { code, stdout } = await compareSpikes(whole.text, whole.url, narrow.url);
      expect(stdout).to.match(/^spikes\t6 \/ 0\t/m);
      expect(code).to.equal(1);
    });

    it('writes no recording with a request that the gateway failed to answer, and keeps a previous one', async () => {
      const read = () => Promise.reject(new StoreError('the database is away'));
      const url = await openLimited({ histories: { read } });
      const file = await folder.writeText('previous.json', 'previous');
      const chosen = ['--form', 'current', '--case', 'artists', 'artist-in-detail'];
      const { code, stderr } = await runWarm({ CURRENT_KEY: keys.current }, [
        ...['compare', ...chosen, '--max-wait', '1', '--base-url', url, '--record', file],
      ]);
      expect(stderr).to.match(
        /Incomplete recording, not written to .*\. GET \/api\/v1\/artists\/\w+ was answered 503\.\n$/,
      );
      expect(code).to.equal(1);
      expect(readFileSync(file, 'utf8')).to.equal('previous');
    });

    it('writes no recording that a spent quota ends, and keeps a previous one', async () => {
      const few = keySourceOf([fullKeys.current], { perMinute: 100, perDay: 2 });
      const inside = join(folder.path, 'incomplete');
      mkdirSync(inside);
      writeFileSync(join(inside, 'previous.json'), 'previous');
      const chosen = ['--form', 'current', '--case', 'artists', 'signings', 'spikes'];
      for (const name of ['previous.json', 'new.json']) {
        const [file, url] = [join(inside, name), await openLimited({ keys: few })];
        const { code, stderr } = await runWarm({ CURRENT_KEY: keys.current }, [
          'compare',
          ...[...chosen, '--base-url', url, '--record', file],
        ]);
        expect(stderr).to.include(`Incomplete recording, not written to ${file}. The quota of`);
        expect(stderr).to.not.include('Recorded');
        expect(code).to.equal(1);
      }
      expect(readdirSync(inside)).to.deep.equal(['previous.json']);
      expect(readFileSync(join(inside, 'previous.json'), 'utf8')).to.equal('previous');
    });
  });
});
