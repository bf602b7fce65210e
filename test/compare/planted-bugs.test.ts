import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { createApp } from '../../adapters/http/app.ts';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import type { Viewer } from '../../src/catalogue/queries.ts';
import { addDays } from '../../src/domain/day.ts';
import { signingStatuses, tiers } from '../../src/domain/model.ts';
import type { Gateway } from '../../src/gateway.ts';
import type { QuotaStatus, QuotaStore } from '../../src/ports.ts';
import type { SendRequest } from '../../tools/compare/cases/send-request.ts';
import { causesOf } from '../../tools/compare/causes.ts';
import { countUnexpected } from '../../tools/compare/results.ts';
import { artistDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import { readNamed, runEmbedded } from '../support/compare/open-target.ts';

/**
 * Half a second past noon, so that no window ends in whole seconds; and the day before the newest
 * day, when some artists and points are of tomorrow.
 */
const instants = ['2026-08-22T12:00:00.500Z', '2026-08-21T12:00:00.500Z'].map((text) =>
  Date.parse(text),
);

const tomorrowOf = (viewer: Viewer): Viewer => ({ ...viewer, today: addDays(viewer.today, 1) });

/** Bugs that both forms share, so that no difference between the forms shows them. */
const catalogueBugs: readonly (readonly [
  name: string,
  shownBy: string,
  change: (right: Catalogue) => Partial<Catalogue>,
])[] = [
  [
    'spikes of equal growth have another order',
    'boundary-tie',
    ({ spikes }) => ({
      async spikes(query, viewer) {
        const found = await spikes(query, viewer);
        return { ...found, spikes: found.spikes.toReversed() };
      },
    }),
  ],
  [
    'spikes end tomorrow',
    'boundary-latest-three-days-old',
    ({ spikes }) => ({ spikes: (query, viewer) => spikes(query, tomorrowOf(viewer)) }),
  ],
  [
    'artists of tomorrow were added',
    'added-within-a-day',
    ({ added }) => ({ added: (query, viewer) => added(query, tomorrowOf(viewer)) }),
  ],
];

/** A store with changed statuses. */
const reporting =
  (change: (status: QuotaStatus, window: string) => QuotaStatus) =>
  (store: QuotaStore): QuotaStore => ({
    ...store,
    consume: async (allowances, deadline) =>
      (await store.consume(allowances, deadline)).map((status, index) =>
        change(status, allowances[index]?.window ?? ''),
      ),
  });

/** Quotas that are counted or reported wrongly, each with the row that reports it. */
const quotaBugs: readonly (readonly [
  name: string,
  shownBy: string,
  row: string,
  change: (store: QuotaStore) => QuotaStore,
])[] = [
  [
    'the UTC day ends at 01:00',
    'quota-by-default',
    'header.X-RateLimit-Day-Reset',
    reporting(({ endsAt, ...status }, window) => ({
      ...status,
      endsAt: window === 'day' ? endsAt + 3_600_000 : endsAt,
    })),
  ],
  [
    'the time left is not the time to the end',
    'quota-by-default',
    'header.RateLimit',
    reporting((status) => ({ ...status, msLeft: status.msLeft - 10_000 })),
  ],
  [
    'the remaining count is one behind, except at 0',
    'quota-by-default',
    'header.X-RateLimit-Remaining',
    reporting((status) => ({ ...status, used: status.used - Number(status.granted) })),
  ],
  [
    'the seconds of Retry-After are rounded down',
    'quota-window-spent',
    'header.Retry-After',
    reporting((status) => ({ ...status, msLeft: Math.floor(status.msLeft / 1000) * 1000 })),
  ],
  [
    'the second window never refuses',
    'quota-day-spent',
    'problem.day-spent',
    (store) => ({
      ...store,
      consume: async ([first, ...others], deadline) => [
        ...(first === undefined ? [] : await store.consume([first], deadline)),
        ...(await Promise.all(others.map((one) => store.read(one, deadline)))),
      ],
    }),
  ],
  [
    'one request too many is granted',
    'quota-window-spent',
    'problem.window-spent',
    (store) => ({
      ...store,
      consume: (allowances, deadline) => {
        const more = allowances.map((one) => ({ ...one, limit: one.limit + 1 }));
        return store.consume(more, deadline);
      },
    }),
  ],
];

/** The rows that report a changed gateway in a case, at the first of the instants with one. */
const rowsOf = async (shownBy: string, change: (gateway: Gateway) => Partial<Gateway>) => {
  const cases = await readNamed(shownBy);
  for (const now of instants) {
    const listener = (gateway: Gateway) =>
      createApp({ ...gateway, ...change(gateway) }, forms, () => undefined).callback();
    const causes = causesOf((await runEmbedded(cases, { now, listener })).cases);
    const all = causes.flatMap((cause) => [cause, ...cause.consequences]);
    if (all.length > 0) return all.map(({ row }) => row);
  }
  return [];
};

/** 250 artists, more than any limit. */
const manyArtists = artistDocuments(250, { songs: [] }).map((artist, index) => ({
  ...artist,
  date_added: addDays('2026-08-22', -index),
  tier: tiers[index % tiers.length],
  signing: { status: signingStatuses[index % signingStatuses.length] },
}));

describe('compare over more artists than any limit', () => {
  const folder = useInputFolder();
  before(() => folder.write('artists', manyArtists));

  const countWith = async (slip?: (send: SendRequest) => SendRequest) => {
    const cases = (await readNamed()).filter(({ name }) =>
      /default|limit|boundary|new|added/.test(name),
    );
    const ran = await runEmbedded(cases, {
      folder: folder.path,
      now: instants[0],
      ...(slip && { slip }),
    });
    return countUnexpected(ran);
  };

  it('finds no difference without a bug', async () => {
    expect(await countWith()).to.equal(0);
  });

  for (const [form, pattern, limit] of [
    ['current', /artists$/, '?limit=49'],
    ['variant', /artists$/, '?limit=50'],
    ['variant', /limit=200/, 'limit=100'],
  ] as const)
    it(`finds that the ${form} form reads ${pattern} as ${limit}`, async () => {
      const misread = (path: string) =>
        path.replace(pattern, (text) => (text.includes('limit') ? limit : text + limit));
      const slip =
        (send: SendRequest): SendRequest =>
        (request) =>
          send(request.form === form ? { ...request, path: misread(request.path) } : request);
      expect(await countWith(slip)).to.be.greaterThan(0);
    });
});

describe('compare with a planted bug', () => {
  for (const [name, row, form, slip] of [
    [
      'Vary of a 304 does not name Accept-Encoding',
      'header.Vary',
      'current',
      { status: 304, vary: 'Authorization, X-Envelope' },
    ],
    ['the variant form sends an ETag', 'header.ETag', 'variant', { status: 200, etag: 'W/"a"' }],
  ] as const)
    it(`finds that ${name}`, async () => {
      const { status, ...headers } = slip;
      const change =
        (send: SendRequest): SendRequest =>
        async (request) => {
          const reply = await send(request);
          const isChanged = request.form === form && reply.status === status;
          return isChanged ? { ...reply, headers: { ...reply.headers, ...headers } } : reply;
        };
      const cases = await readNamed('artists', 'not-modified');
      const causes = causesOf((await runEmbedded(cases, { slip: change })).cases);
      expect(causes.map((cause) => cause.row)).to.deep.equal([row]);
    });

  for (const [name, shownBy, change] of catalogueBugs)
    it(`finds that ${name}`, async () => {
      const rows = await rowsOf(shownBy, ({ catalogue }) => {
        const right = catalogue.value();
        const changed = right && { ...right, ...change(right) };
        return { catalogue: { ...catalogue, value: () => changed } };
      });
      expect(rows).to.not.be.empty;
    });

  for (const [name, shownBy, row, change] of quotaBugs)
    it(`finds that ${name}`, async () => {
      expect(await rowsOf(shownBy, ({ quotas }) => ({ quotas: change(quotas) }))).to.include(row);
    });
});
