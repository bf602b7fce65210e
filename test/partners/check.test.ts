import { expect } from 'chai';
import fc from 'fast-check';
import { createEmbeddedCatalogue } from '../../adapters/stores/embedded/catalogue.ts';
import { buildKey, keySourceOf } from '../support/builders.ts';
import { useCleanup } from '../support/cleanup.ts';
import { createManualClock } from '../support/clock.ts';
import { createChangingShortlist } from '../support/forms/changing-shortlist.ts';
import { doubling, numberedArtists } from '../support/forms/numbered-artists.ts';
import { targetOf, variantQuestions } from '../support/forms/random-questions.ts';
import {
  createTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from '../support/gateway.ts';
import { type AdapterFrom, givenOf, runCheck } from '../support/partners/adapter.ts';
import { openRelay } from '../support/partners/local-server.ts';
import { createTestSource } from '../support/source.ts';
import { createDocumentFolder } from '../support/stores/document-folder.ts';

const questions = Number(process.env['RANDOM_QUESTIONS'] ?? 40);
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);

/** A key that may choose its form, with every scope. */
const buildChoosing = (given: Parameters<typeof buildKey>[0] = {}) =>
  buildKey({ id: 'choosing', form: 'variant', allowEnvelopeOverride: true, ...given });

const shortlistOf = (random: number) => createChangingShortlist('2026-08-22', random, 0).now();

/** The seed of a shortlist and of calls that have everything that planted differences change. */
const plantedSeed = 1;
const shortlist = shortlistOf(plantedSeed);

const targetsOf = (random: number, numRuns: number): readonly string[] => [
  ...new Set([
    ...fc.sample(variantQuestions, { seed: random, numRuns }).map(targetOf),
    `/api/v1/signings?x=${'y'.repeat(2_030)}`,
    '/api/v1/health',
    '/api/v1/artists?limit=200',
  ]),
];

/** A parsed response, which a planted difference changes. */
// biome-ignore lint/suspicious/noExplicitAny: the contracts define the fields
type Body = any;
type Change = (body: Body, headers: Map<string, string>) => unknown;

const artistsIn = ({ data }: Body): readonly Body[] => (Array.isArray(data) ? data : []);

/** Changes of the responses of a form, and the line that `check` must print. */
const planted: readonly (readonly [form: string, change: Change, line: RegExp])[] = [
  [
    'variant',
    (body) => delete artistsIn(body).find((item) => 'photo' in item)?.photo,
    /^data\[\d+\]\.photo: nothing in the variant form, "http/,
  ],
  [
    'variant',
    (body) => body.count++,
    /^count: \d+ in the variant form, \d+ from the current form$/,
  ],
  [
    'variant',
    ({ data }) => data[1] && data.splice(0, 2, data[1], data[0]),
    /^data\[0\]\.(?:id|artist_name): .* from the current form$/,
  ],
  ['variant', ({ _meta }) => _meta.labels_tracked?.pop(), /^_meta\.labels_tracked/],
  [
    'variant',
    (_body, headers) =>
      headers.has('X-Params-Adjusted') && headers.set('X-Params-Adjusted', 'limit=199'),
    /^X-Params-Adjusted: "limit=199" in the variant form, /,
  ],
  [
    'variant',
    (body) => Object.assign(body, { success: delete body.success }),
    /^Order or spelling: fields are equal, the bytes are not$/,
  ],
  [
    'current',
    (body) => {
      for (const artist of artistsIn(body)) if ('tier' in artist) artist.tier = 'watch?';
    },
    /^(?:count|data\[\d+\]\.tier): /,
  ],
  [
    'current',
    (body) => {
      for (const { songs = [] } of artistsIn(body))
        for (const song of songs) delete song.metrics.streams;
    },
    /^data\[\d+\]\.songs\[\d+\]\.streams: \d\S* in the variant form, nothing from the current form$/,
  ],
  ['current', (body) => delete body.data, / has no answer\.$/],
];

/** Calls, what a program may send instead, and what it must not. */
const replaced = `
/artists                              | /artists?limit=100 | /artists /artists?limit=99 /spikes -
/artists?limit=150                    | /artists /artists?limit=100 | /artists?tier=watch /added?days=90
/artists?limit=5                      | /artists?limit=5 | /artists?limit=6 -
/artists?fields=basic&limit=3         | /artists?limit=3 | /artists?limit=2
/artists?tier=watch&signed=false&limit=4 | /artists?limit=100&tier=watch | /artists?limit=100
/artists?signed=true                  | /artists?limit=100 /artists?limit=7 | /artists?tier=breaking -
/artists?new=9                        | /added?days=9 /artists?added_since={today-9} | /added?days=8 /artists?added_since={today-10} /artists?added_since={today} -
/artists?new=60&tier=breaking         | /artists?added_since={today-60}&tier=breaking | /artists?added_since={today-60} /added?days=60
/artists?id=doc_004                   | /artists?id=art_004 /artists/art_004 | /artists?id=art_5 /artists?limit=100 /artists?id=doc_004 -
/artists?id=nobody                    | /artists?id=nobody /artists/nobody - | /artists?id=art_004 /artists/art_004
/artists?tier=x                       | - /artists?tier=x | /artists
/artists?signed=maybe&id=doc_004      | - | /artists?id=art_004
/spikes?days=45                       | /spikes?days=30 | /spikes?days=29 /spikes /signings
/spikes                               | /spikes /spikes?days=3 | /spikes?days=4
/signings                             | /signings | /spikes /artists -
/health                               | /health | /spikes`;

const linesOf = (call: string, others: string): readonly string[] =>
  others.split(' ').map((one) => `/api/v1${call} ${one === '-' ? '-' : `/api/v1${one}`}`);
const rows = replaced
  .trim()
  .split('\n')
  .map((row) => row.split(/ +\| /))
  .map(([call = '', right = '', wrong = '']) => [linesOf(call, right), linesOf(call, wrong)]);

const unreadable = [
  ...['spikes?days=3', '/api/v1/spikes spikes', '/api/v1/spikes - -', '/api/v1/spíkes'],
  ...[`/api/v1/spikes?key=${buildChoosing().text}`, '/api/v1/spikes /api/v1/spikes /api/v1/x'],
  ...['{yesterday}', '{today-7'].map((day) => `/api/v1/artists?new=7 /api/v1/x?since=${day}`),
];

describe('artist-gateway.mjs check', () => {
  const cleanup = useCleanup(afterEach);

  const open = async (options: TestGatewayOptions): Promise<TestGateway> =>
    cleanup.add(await createTestGateway(options), ({ close }) => close());

  /** A gateway over a shortlist. */
  const openShortlist = async (documents = shortlist): Promise<TestGateway> => {
    const clock = createManualClock();
    const folder = await createDocumentFolder();
    await folder.write({ ...documents });
    const source = createEmbeddedCatalogue({ folder: folder.path, clock, rebaseToToday: false });
    const gateway = await open({ source, clock, keys: keySourceOf([buildChoosing()]) });
    await folder.close();
    return gateway;
  };

  const fromOf = (
    { port }: { readonly port: number },
    given: Partial<AdapterFrom> = {},
  ): AdapterFrom => ({
    ...{ host: `127.0.0.1:${port}`, key: buildChoosing().text },
    ...{ partner: buildChoosing().record.partner, ...givenOf(shortlist), ...given },
  });

  /** A relay to the gateway that changes the lists of a form. */
  const openChanging = ({ port }: TestGateway, form: string, change: Change) =>
    openRelay(cleanup, port, (reply) => {
      const body = JSON.parse(reply.text);
      if (reply.headers['x-envelope-served'] !== form || !('data' in body)) return {};
      const names = reply.rawHeaders.filter((_, index) => index % 2 === 0);
      const headers = new Map(
        names.map((name) => [name, String(reply.headers[name.toLowerCase()])]),
      );
      change(body, headers);
      const sent = JSON.stringify(body);
      headers.set('Content-Length', String(Buffer.byteLength(sent)));
      return { rawHeaders: [...headers].flat(), body: sent };
    });

  const numberedIds = Object.fromEntries(
    numberedArtists.map(({ id, documentId }) => [id, documentId]),
  );
  const openNumbered = async (): Promise<AdapterFrom> => {
    const source = createTestSource({ artists: numberedArtists, series: [doubling] });
    const gateway = await open({ source, keys: keySourceOf([buildChoosing()]) });
    return fromOf(gateway, { documentIds: numberedIds, labelsTracked: [] });
  };

  it(`finds every response equal over random calls (FUZZ_SEED=${seed})`, async function () {
    this.timeout(60_000 + questions * 50);
    const random = shortlistOf(seed);
    const targets = targetsOf(seed, questions);
    const from = fromOf(await openShortlist(random), givenOf(random));
    const { printed, errors } = await runCheck(from, targets);
    expect(errors).to.deep.equal([]);
    expect(printed).to.have.length(3);
    expect(printed[0]).to.match(
      /^\d+ calls cost at most \d+ requests\. Not compared: message, generated_at, _meta\.timestamp\.$/,
    );
    expect(printed[1]).to.equal('Within the quota this takes at most 1 min.');
    expect(printed[2]).to.equal(`${targets.length} of ${targets.length} equal`);
  });

  it('finds each planted difference, and prints its place', async () => {
    const gateway = await openShortlist();
    // calls with the longest responses come first: a check ends with the first difference
    const targets = targetsOf(plantedSeed, 80).toReversed();
    for (const [form, change, line] of planted) {
      const from = fromOf(await openChanging(gateway, form, change));
      const { isEqual, printed, errors } = await runCheck(from, targets);
      expect(isEqual, `${line}`).to.equal(false);
      expect(printed.at(-1), errors.join()).to.match(line);
    }
  }).timeout(60_000);

  it('accepts a call instead that requests the same', async () => {
    const lines = rows.flatMap(([right = []]) => right);
    const { printed, errors } = await runCheck(await openNumbered(), lines);
    expect(errors).to.deep.equal([]);
    expect(printed.at(-1)).to.equal(`${lines.length} of ${lines.length} equal`);
  });

  it('names both calls of the first pair that differs', async () => {
    const from = await openNumbered();
    const isAll = process.env['EXAMPLE_RUNS'] === 'all';
    const lines = rows.flatMap(([, wrong = []]) => wrong);
    for (const line of lines.filter((_, index) => isAll || index % 3 === seed % 3)) {
      const { isEqual, printed, errors } = await runCheck(from, ['/api/v1/spikes', line]);
      expect([isEqual, errors.length > 0], line).to.deep.equal([false, true]);
      const [target, instead] = line.split(' ');
      const found = printed.slice(2).join(' ');
      expect(found).to.include(`1 of 2 equal, then ${target} with ${instead} instead `);
      expect(found).to.match(/ (?:differs: .+|has no answer\.)$/);
    }
  }).timeout(60_000);

  it('compares again if the data changed between two responses', async () => {
    let left = 3;
    const changing = await openChanging(await openShortlist(), 'variant', ({ data }) =>
      left-- > 0 && left % 2 === 0 ? data.pop() : undefined,
    );
    const calls = ['/api/v1/artists', '/api/v1/artists?limit=5', '/api/v1/signings'];
    const { printed, errors } = await runCheck(fromOf(changing), calls);
    expect(printed.at(-1)).to.equal('3 of 3 equal');
    expect(errors).to.deep.equal(
      calls.slice(0, 2).map((call) => `${call} differs: asking again in 20 s`),
    );
  });

  it('reports its cost, and ends before it waits longer than 5 minutes without --wait', async () => {
    const clock = createManualClock(new Date().toISOString()); // the clock of `Date`
    const source = createTestSource({ artists: numberedArtists });
    const key = buildChoosing({ perHour: 7 });
    const { gateway, ...opened } = await open({ source, clock, keys: keySourceOf([key]) });
    const from = fromOf(opened, { documentIds: numberedIds, labelsTracked: [] });
    const calls = [
      ...['limit=100', 'limit=200&x=1', 'new=7', 'signed=true&limit=1', 'tier=x', 'id=x'],
      ...['1', '2', '3', '4', '5', '6'].map((days) => `new=${days}`),
    ].map((query) => `GET http://gateway.test/api/v1/artists?${query}`);
    const { printed, errors } = await runCheck(from, calls);
    expect(printed).to.have.length(1);
    expect(printed[0]).to.match(/^12 calls cost at most 17 requests\. /);
    const [, minutes] =
      /^Within the quota this takes at most (\d+) min: --wait waits\.$/.exec(errors.join()) ?? [];
    expect(Number(minutes), errors.join()).to.be.within(61, 120);
    const waiting = await runCheck(from, calls.slice(0, 3), {
      wait: true,
      async sleep(seconds) {
        clock.advance(seconds * 1_000);
        await Promise.all([gateway.keys.refresh(), gateway.catalogue.refresh()]);
      },
    });
    expect(waiting.printed.at(-1)).to.equal('3 of 3 equal');
    expect(waiting.errors.join()).to.match(/^429 rate_limited: the 7 requests an hour/);
  });

  it('compares the partner, the identifiers and the labels', async () => {
    const gateway = await openShortlist();
    for (const [given, line] of [
      [
        { partner: 'Other' },
        /^_meta\.authenticated_as: "Test Partner" in the variant form, "Other"/,
      ],
      [
        { documentIds: {} },
        /^data\[0\]\.id: "doc-.* in the variant form, "art_.*" from the current form\. ids\.csv lacks it: ask for a new list$/,
      ],
      [{ labelsTracked: ['Other'] }, /^_meta\.labels_tracked/],
    ] as const) {
      const calls = ['/api/v1/artists', '/api/v1/signings'];
      const { isEqual, printed } = await runCheck(fromOf(gateway, given), calls);
      expect(isEqual).to.equal(false);
      expect(printed.at(-1)).to.match(line);
    }
  });

  it('reports a key that may not choose its form, a refusal, and unreadable calls', async () => {
    const pinned = buildKey({ id: 'pinned', form: 'variant' });
    const moved = buildKey({ id: 'moved', form: 'current' });
    const keys = keySourceOf([pinned, moved, buildChoosing({ scopes: ['spikes:read'] })]);
    const from = fromOf(await open({ keys }));
    const artists = ['/api/v1/artists'];
    const cannotChoose = /^ARTIST_API_KEY may not choose its form: ask us to let it\.$/;
    for (const [key, calls, reason] of [
      [pinned.text, artists, cannotChoose],
      [moved.text, artists, cannotChoose],
      [from.key, ['/api/v1/spikes /api/v1/spikes?new=14'], /^400 invalid_parameter: /],
      [from.key, artists, /^401 unauthorized: This key lacks the scope artists:read/],
      ['unknown', artists, /^401 unauthorized: /],
      [from.key, [], /^\S+calls\.txt has no line\.$/],
      ...unreadable.map((line) => {
        const reason =
          /calls\.txt, line 3: \S.* is not a path with its query, perhaps with the new call or - behind it\.$/;
        return [from.key, ['/api/v1/spikes', '', line], reason] as const;
      }),
    ] as const) {
      const { isEqual, printed, errors } = await runCheck({ ...from, key }, calls);
      expect([isEqual, errors.length], errors.join(' / ')).to.deep.equal([false, 1]);
      expect(errors[0])
        .to.match(reason)
        .and.not.match(/aik_\w/);
      expect(printed.join()).to.not.match(/\d of \d equal$/);
    }
  });
});
