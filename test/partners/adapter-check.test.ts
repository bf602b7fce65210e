import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { variantForm } from '../../adapters/forms/variant/form.ts';
import { createEmbeddedCatalogue } from '../../adapters/stores/embedded/catalogue.ts';
import { fields } from '../../partners/gateway/without.ts';
import { adapterFile } from '../../src/runtime/config.ts';
import { buildKey, keySourceOf } from '../support/builders.ts';
import { useCleanup } from '../support/cleanup.ts';
import { createManualClock } from '../support/clock.ts';
import { contractOf } from '../support/contract.ts';
import { demoKeyText, openSandbox } from '../support/exchanges.ts';
import { createChangingShortlist } from '../support/forms/changing-shortlist.ts';
import { doubling, numberedArtists } from '../support/forms/numbered-artists.ts';
import { targetOf, variantQuestions } from '../support/forms/random-questions.ts';
import { createTestGateway, type TestGateway, useGateway } from '../support/gateway.ts';
import {
  type AdapterFrom,
  givenOf,
  openAdapter,
  runCheck,
  writeImpatient,
} from '../support/partners/adapter.ts';
import { forward, openLocalServer } from '../support/partners/local-server.ts';
import { type Outcome, shareOf } from '../support/partners/programs.ts';
import { sendRaw } from '../support/raw.ts';
import { createTestSource } from '../support/source.ts';
import { createDocumentFolder } from '../support/stores/document-folder.ts';
import { until } from '../support/wait.ts';

const questions = Number(process.env['RANDOM_QUESTIONS'] ?? 400);
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);

/** A key that may choose its form, with every scope. */
const buildChoosing = (given: Parameters<typeof buildKey>[0] = {}) =>
  buildKey({ id: 'choosing', form: 'variant', allowEnvelopeOverride: true, ...given });

const shortlistOf = (random: number) => createChangingShortlist('2026-08-22', random, 0).now();

/** The seed of a shortlist and of calls that have everything that planted differences change. */
const plantedSeed = 1;

const shortlist = shortlistOf(plantedSeed);

/** A gateway over a shortlist. */
const openGateway = async (documents = shortlist): Promise<TestGateway> => {
  const clock = createManualClock();
  const folder = await createDocumentFolder();
  await folder.write({ ...documents });
  const source = createEmbeddedCatalogue({ folder: folder.path, clock, rebaseToToday: false });
  const keys = keySourceOf([buildChoosing()]);
  const gateway = await createTestGateway({ source, clock, keys });
  await folder.close();
  return gateway;
};

/** A parsed answer, which a planted difference changes. */
// biome-ignore lint/suspicious/noExplicitAny: the members are those of the contracts
type Body = any;

/** A difference of the gateway: what becomes of its answers in a form, and where it must be found. */
interface Planted {
  readonly what: string;
  readonly form: 'current' | 'variant';
  readonly change: (body: Body, headers: Map<string, string>) => unknown;
  readonly found: RegExp;
}

const listIn = (data: Body): readonly Body[] => (Array.isArray(data) ? data : []);

const swap = (list: unknown[]): void => void list.splice(0, 2, list[1], list[0]);

/** The first item in a list that has a member. */
const having = (list: Body[], member: string): Body => list.find((item) => member in item);

const planted: readonly Planted[] = [
  {
    what: 'an artist lacks its photo',
    form: 'variant',
    change: ({ data }) => {
      const artist = having(data, 'photo');
      if (artist !== undefined) delete artist.photo;
    },
    found: /^data\[\d+\]\.photo: nothing in the variant form, "http/,
  },
  {
    what: 'the count is one more',
    form: 'variant',
    change: (body) => 'count' in body && body.count++,
    found: /^count: \d+ in the variant form, \d+ from the current form$/,
  },
  {
    what: 'the first two artists have changed places',
    form: 'variant',
    change: ({ data }) => data?.length > 1 && swap(data),
    found: /^data\[0\]\.(?:id|artist_name): .* from the current form$/,
  },
  {
    what: 'a tier is not the same',
    form: 'current',
    change: ({ data }) => {
      for (const artist of listIn(data)) if ('tier' in artist) artist.tier = 'watch?';
    },
    found: /^(?:count|data\[\d+\]\.tier): /,
  },
  {
    what: 'the last label is not listed',
    form: 'variant',
    change: ({ _meta }) => _meta?.labels_tracked?.pop(),
    found: /^_meta\.labels_tracked/,
  },
  {
    what: 'a repair is told as another one',
    form: 'variant',
    change: (_body, headers) =>
      headers.has('X-Params-Adjusted') && headers.set('X-Params-Adjusted', 'limit=199'),
    found: /^X-Params-Adjusted: "limit=199" in the variant form, /,
  },
  {
    what: 'a member stands in another place',
    form: 'variant',
    change: (body) => {
      const { success } = body;
      delete body.success;
      Object.assign(body, { success });
    },
    found: /^Order or spelling: /,
  },
  {
    what: 'a song has no streams',
    form: 'current',
    change: ({ data }) => {
      for (const { songs = [] } of listIn(data))
        for (const song of songs) delete song.metrics.streams;
    },
    found:
      /^data\[\d+\]\.songs\[\d+\]\.streams: \d\S* in the variant form, nothing from the current form$/,
  },
  {
    what: 'a list is none',
    form: 'current',
    change: (body) => delete body.data,
    found: / has no answer\.$/,
  },
];

const targetsOf = (random: number, numRuns: number): readonly string[] => [
  ...new Set([
    ...fc
      .sample(variantQuestions, { seed: random, numRuns })
      .map((question) => targetOf(question, question.pairs)),
    `/api/v1/signings?x=${'y'.repeat(2_030)}`,
    '/api/v1/health',
    '/api/v1/artists?limit=200',
  ]),
];

/** Those whose answers have the most come first: a check ends with the first difference. */
const plantedTargets = targetsOf(plantedSeed, 80).toReversed();

/** What no line with a call is. */
const unreadable = [
  'spikes?days=3',
  '/api/v1/spikes spikes',
  '/api/v1/spikes - -',
  `/api/v1/spikes?key=${buildChoosing().text}`,
  '/api/v1/spikes /api/v1/spikes /api/v1/spikes',
  '/api/v1/artists?new=7 /api/v1/artists?added_since={yesterday}',
  '/api/v1/artists?new=7 /api/v1/artists?added_since={today-7',
  '/api/v1/spíkes',
];

/** Calls with what a program sends instead, and one of each kind that it must not send. */
const replaced: readonly (readonly [
  call: string,
  right: readonly string[],
  wrong: readonly string[],
])[] = [
  ['/artists', ['/artists?limit=100'], ['/artists', '/artists?limit=99', '/spikes', '-']],
  [
    '/artists?limit=150',
    ['/artists', '/artists?limit=100'],
    ['/artists?tier=watch', '/added?days=90'],
  ],
  ['/artists?limit=5', ['/artists?limit=5'], ['/artists?limit=6', '-']],
  ['/artists?fields=basic&limit=3', ['/artists?limit=3'], ['/artists?limit=2']],
  [
    '/artists?tier=watch',
    ['/artists?tier=watch&limit=100'],
    ['/artists?limit=100', '/artists?tier=breaking'],
  ],
  [
    '/artists?tier=watch&signed=false&limit=4',
    ['/artists?limit=100&tier=watch'],
    ['/artists?limit=100'],
  ],
  [
    '/artists?signed=true',
    ['/artists?limit=100', '/artists?limit=7'],
    ['/artists?tier=breaking', '-'],
  ],
  [
    '/artists?new=9',
    ['/added?days=9', '/artists?added_since={today-9}'],
    ['/added?days=8', '/artists?added_since={today-10}', '/artists?added_since={today}', '-'],
  ],
  [
    '/artists?new=60&tier=breaking',
    ['/artists?added_since={today-60}&tier=breaking'],
    ['/artists?added_since={today-60}', '/added?days=60'],
  ],
  [
    '/artists?id=doc_004',
    ['/artists?id=art_004', '/artists/art_004'],
    ['/artists?id=art_5', '/artists/art_5', '/artists?limit=100', '/artists?id=doc_004', '-'],
  ],
  [
    '/artists?id=nobody',
    ['/artists?id=nobody', '/artists/nobody', '-'],
    ['/artists?id=art_004', '/artists/art_004'],
  ],
  ['/artists?tier=x', ['-', '/artists?tier=x'], ['/artists']],
  ['/artists?signed=maybe&id=doc_004', ['-'], ['/artists?id=art_004']],
  ['/spikes?days=45', ['/spikes?days=30'], ['/spikes?days=29', '/spikes', '/signings']],
  ['/spikes', ['/spikes', '/spikes?days=3'], ['/spikes?days=4']],
  ['/signings', ['/signings'], ['/spikes', '/artists', '-']],
  ['/health', ['/health'], ['/spikes']],
];

const lists = ['artists', 'spikes', 'signings'] as const;

/** The members that the contract of the variant form names, as `--list-members` does. */
const membersInContract = (): ReadonlySet<string> => {
  const { components, paths }: Body = contractOf(variantForm);
  const found = new Set<string>();
  const walk = (schema: Body, place: string, list: string): void => {
    if (schema.$ref !== undefined) {
      walk(components.schemas[schema.$ref.split('/').at(-1)], place, list);
      return;
    }
    if (schema.items !== undefined) walk(schema.items, place, list);
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      found.add(place + name);
      walk(member, place + name === 'data' ? `${list}.` : `${place}${name}.`, list);
    }
  };
  for (const [path, { get }] of Object.entries<Body>(paths))
    for (const [status, { content }] of Object.entries<Body>(get.responses))
      if (status === '200' || status === '404')
        walk(content['application/json'].schema, '', path.split('/').at(-1) ?? '');
  return found;
};

/** An answer to a request for a path without a member, by its names. */
const leaveOut = (value: Body, [first = '', ...rest]: readonly string[], path: string): Body => {
  const listed = lists.find((name) => name === first);
  if (listed !== undefined && 'success' in value && path === `/api/v1/${listed}`)
    return { ...value, data: value.data.map((item: Body) => leaveOut(item, rest, '')) };
  if (listed !== undefined && path !== '') return value;
  if (Array.isArray(value)) return value.map((item) => leaveOut(item, [first, ...rest], ''));
  if (!(first in value)) return value;
  const { [first]: member, ...others } = value;
  return rest.length === 0 ? others : { ...value, [first]: leaveOut(member, rest, '') };
};

describe('artist-gateway.mjs check', () => {
  const cleanup = useCleanup(afterEach);
  const folder = mkdtempSync(join(tmpdir(), 'check-'));
  after(() => rmSync(folder, { recursive: true }));

  const impatient = (): string => writeImpatient(folder);

  const fromOf = (
    { port }: { readonly port: number },
    given: Partial<AdapterFrom> = {},
  ): AdapterFrom => ({
    host: `127.0.0.1:${port}`,
    key: buildChoosing().text,
    ...givenOf(shortlist),
    partner: buildChoosing().record.partner,
    ...given,
  });

  const open = async (documents = shortlist): Promise<TestGateway> =>
    cleanup.add(await openGateway(documents), ({ close }) => close());

  /** A relay to the gateway that changes answers in a form. */
  const openChanging = async (
    { port }: TestGateway,
    { form, change }: Pick<Planted, 'form' | 'change'>,
  ) => {
    const relay = await openLocalServer((incoming, outgoing) => {
      const headers = { ...incoming.headers, 'accept-encoding': undefined };
      void forward(port, Object.assign(incoming, { headers })).then(
        ({ status, rawHeaders, text }) => {
          const headers = new Map<string, string>();
          for (let at = 0; at < rawHeaders.length; at += 2)
            headers.set(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
          const body = JSON.parse(text);
          const isServed = headers.get('X-Envelope-Served') === form;
          if (isServed && status === 200 && 'data' in body) change(body, headers);
          const sent = isServed ? JSON.stringify(body) : text;
          headers.set('Content-Length', String(Buffer.byteLength(sent)));
          outgoing.writeHead(status, [...headers].flat()).end(sent);
        },
      );
    });
    cleanup.add(relay, async ({ close }) => close());
    return { port: Number(new URL(relay.url).port) };
  };

  const openNumbered = async (): Promise<Partial<AdapterFrom> & { readonly port: number }> => {
    const source = createTestSource({ artists: numberedArtists, series: [doubling] });
    const keys = keySourceOf([buildChoosing({ perHour: 10_000 })]);
    const gateway = await createTestGateway({ source, keys });
    cleanup.add(gateway, ({ close }) => close());
    const pairs = numberedArtists.map(({ id, documentId }) => [id, documentId]);
    return { port: gateway.port, documentIds: Object.fromEntries(pairs), labelsTracked: [] };
  };

  const lineOf = (call: string, instead: string): string =>
    `/api/v1${call} ${instead === '-' ? '-' : `/api/v1${instead}`}`;

  const linesOf = ({ stdout }: Outcome): readonly string[] => stdout.split('\n').slice(0, -1);

  it(`finds every answer equal over random questions (FUZZ_SEED=${seed})`, async function () {
    this.timeout(60_000 + questions * 50);
    const random = shortlistOf(seed);
    const targets = targetsOf(seed, questions);
    const from = fromOf(await open(random), givenOf(random));
    const outcome = await runCheck(adapterFile, from, targets);
    expect([outcome.code, ...outcome.errors], outcome.stdout).to.deep.equal([0]);
    const [cost, time, result] = linesOf(outcome);
    expect(cost).to.match(
      new RegExp(
        `^${targets.length} calls cost at most \\d+ requests\\. Not compared: message, generated_at, _meta\\.timestamp\\.$`,
      ),
    );
    expect(time).to.match(/^Within the quota this takes at most \d+ min\.$/);
    expect(result).to.equal(`${targets.length} of ${targets.length} equal`);
  });

  it('finds each difference that is planted in the gateway, and says where', async () => {
    const gateway = await open();
    const program = impatient();
    for (const { what, found, ...one } of planted) {
      const outcome = await runCheck(
        program,
        fromOf(await openChanging(gateway, one)),
        plantedTargets,
      );
      const [, , , where = ''] =
        linesOf(outcome).length === 4 ? linesOf(outcome) : ['', ...linesOf(outcome)];
      expect(where, `${what}: ${outcome.stdout} ${outcome.errors}`).to.match(found);
      expect(outcome.code, what).to.equal(1);
    }
  }).timeout(180_000);

  it('asks the call that stands behind another, and finds it equal where it asks the same', async () => {
    const { port, ...given } = await openNumbered();
    const from = fromOf({ port }, given);
    const lines = replaced.flatMap(([call, right]) => right.map((one) => lineOf(call, one)));
    const outcome = await runCheck(impatient(), from, lines);
    expect([outcome.code, ...outcome.errors], outcome.stdout).to.deep.equal([0]);
    expect(linesOf(outcome).at(-1)).to.equal(`${lines.length} of ${lines.length} equal`);
  }).timeout(60_000);

  it('names both calls at the first that asks for something else', async () => {
    const { port, ...given } = await openNumbered();
    const from = fromOf({ port }, given);
    for (const [call, , wrong] of replaced)
      for (const one of shareOf(wrong, call.length)) {
        const line = lineOf(call, one);
        const { code, stdout, errors } = await runCheck(impatient(), from, [
          '/api/v1/spikes',
          line,
        ]);
        expect([code, errors.length > 0], line).to.deep.equal([1, true]);
        const [target, instead] = line.split(' ');
        expect(stdout, line).to.include(`\n1 of 2 equal, then ${target} with ${instead} instead `);
        expect(stdout, line).to.match(/ (?:differs:\n.+|has no answer\.)\n$/);
      }
  }).timeout(180_000);

  it('asks again where the data changed between two answers, and finds nothing', async () => {
    let left = 3;
    const changing = await openChanging(await open(), {
      form: 'variant',
      change: (body) => (left-- > 0 && left % 2 === 0 ? body.data.pop() : undefined),
    });
    const calls = ['/api/v1/artists', '/api/v1/artists?limit=5', '/api/v1/signings'];
    const outcome = await runCheck(impatient(), fromOf(changing), calls);
    expect([outcome.code, linesOf(outcome).at(-1)]).to.deep.equal([0, '3 of 3 equal']);
    expect(outcome.errors).to.deep.equal(
      [calls[0], calls[1]].map((call) => `${call} differs: asking again in 0 s`),
    );
  });

  it('says what it costs, and ends before it waits longer than five minutes, unless told to wait', async () => {
    const clock = createManualClock(new Date().toISOString()); // as `Date` says
    const source = createTestSource({ artists: numberedArtists });
    const key = buildChoosing({ perHour: 7 });
    const gateway = await createTestGateway({ source, clock, keys: keySourceOf([key]) });
    cleanup.add(gateway, ({ close }) => close());
    const ids = Object.fromEntries(numberedArtists.map(({ id, documentId }) => [id, documentId]));
    const from = fromOf(gateway, { key: key.text, documentIds: ids, labelsTracked: [] });
    const calls = [
      ...['?limit=100', '?limit=200&x=1', '?new=7', '?signed=true&limit=1', '?tier=x', '?id=x'],
      ...['1', '2', '3', '4', '5', '6'].map((days) => `?new=${days}`),
    ].map((query) => `GET http://gateway.test/api/v1/artists${query}`);
    const asked = await runCheck(adapterFile, from, calls);
    const [cost, ...others] = linesOf(asked);
    expect(cost).to.match(/^12 calls cost at most 17 requests\. /);
    expect([asked.code, ...others]).to.deep.equal([1]);
    const [, minutes = ''] =
      /^Within the quota this takes at most (\d+) min: --wait waits\.$/.exec(asked.errors.join()) ??
      [];
    expect(Number(minutes), asked.errors.join()).to.be.within(61, 120);
    clock.advance(3_599_000 - (clock.now() % 3_600_000));
    await Promise.all([gateway.gateway.keys.refresh(), gateway.gateway.catalogue.refresh()]);
    const running = runCheck(adapterFile, from, calls.slice(0, 3), '--wait');
    await until('a spent quota', () =>
      JSON.stringify(gateway.log.entries).includes('"status":429'),
    );
    clock.advance(1_000);
    const waiting = await running;
    expect([waiting.code, linesOf(waiting).at(-1)]).to.deep.equal([0, '3 of 3 equal']);
    expect(waiting.errors.join()).to.match(/^429 rate_limited: the 7 requests an hour/);
  });

  it('compares the name of the partner where it is given, and the identifiers and labels always', async () => {
    const gateway = await open();
    const calls = ['/api/v1/artists', '/api/v1/signings'];
    for (const [given, where] of [
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
      const outcome = await runCheck(impatient(), fromOf(gateway, given), calls);
      expect(linesOf(outcome).at(-1)).to.match(where);
      expect(outcome.code).to.equal(1);
    }
  });

  it('proves nothing with a key that may not choose, a refusal, or no calls', async () => {
    const pinned = buildKey({ id: 'pinned', form: 'variant' });
    const moved = buildKey({ id: 'moved', form: 'current' });
    const gateway = await createTestGateway({
      keys: keySourceOf([pinned, moved, buildChoosing({ scopes: ['spikes:read'] })]),
    });
    cleanup.add(gateway, ({ close }) => close());
    const from = fromOf(gateway);
    const artists = ['/api/v1/artists'];
    const cannotChoose = /^ARTIST_API_KEY may not choose its form: ask us to let it\.$/;
    for (const [key, calls, reason] of [
      [pinned.text, artists, cannotChoose],
      [moved.text, artists, cannotChoose],
      [moved.text, ['/api/v1/artists?new=14'], cannotChoose],
      [from.key, ['/api/v1/spikes /api/v1/spikes?new=14'], /^400 invalid_parameter: /],
      [from.key, artists, /^401 unauthorized: This key lacks the scope artists:read/],
      ['unknown', artists, /^401 unauthorized: /],
      [from.key, [], /^\S+calls\.txt has no line\.$/],
      ...unreadable.map(
        (line) =>
          [
            from.key,
            ['/api/v1/spikes', '', line],
            /calls\.txt, line 3: \S.* is not a path with its query, perhaps with the new call or - behind it\.$/,
          ] as const,
      ),
    ] as const) {
      const { code, stdout, errors } = await runCheck(adapterFile, { ...from, key }, calls);
      expect([code, errors.length], errors.join(' / ')).to.deep.equal([1, 1]);
      expect(errors[0])
        .to.match(reason)
        .and.not.match(/aik_\w/);
      expect(stdout).to.not.match(/\d of \d equal$/m);
    }
  });
});

describe('artist-gateway.mjs serve --without', () => {
  const gateway = useGateway(openSandbox);

  it('takes each field of the contract, and leaves out no other', async () => {
    expect(fields).to.have.members([...membersInContract()]);
    const from = {
      host: `127.0.0.1:${gateway.port}`,
      key: await demoKeyText('qaCurrent'),
      ...{ documentIds: {}, labelsTracked: ['Korvane'], partner: 'x' },
    };
    const paths = [...lists.map((name) => `/api/v1/${name}`), '/api/v1/artists?id=x', '/nowhere'];
    const read = async (without: readonly string[]) => {
      const adapter = await openAdapter(from, gateway.clock, { without });
      await adapter.refresh();
      const bodies: Body[] = [];
      for (const path of paths)
        bodies.push(JSON.parse((await sendRaw(adapter.port, { path })).text));
      await adapter.close();
      return bodies;
    };
    const whole = await read([]);
    const tenths = Array.from({ length: 10 }, (_, tenth) =>
      fields.filter((_, index) => index % 10 === tenth),
    );
    for (const field of shareOf(tenths, seed).flat()) {
      const expected = whole.map((body, index) =>
        leaveOut(body, field.split('.'), paths[index] ?? ''),
      );
      expect(await read([field]), field).to.deep.equal(expected);
    }
  }).timeout(60_000);
});
