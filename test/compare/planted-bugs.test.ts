import { expect } from 'chai';
import { forms } from '../../adapters/forms/forms.ts';
import { createApp } from '../../adapters/http/app.ts';
import { addDays } from '../../src/domain/day.ts';
import { signingStatuses, tiers } from '../../src/domain/model.ts';
import type { Gateway } from '../../src/gateway.ts';
import type { SendRequest } from '../../tools/compare/cases/send-request.ts';
import { causesOf } from '../../tools/compare/causes.ts';
import { countUnexpected } from '../../tools/compare/results.ts';
import { artistDocuments, useInputFolder } from '../support/cli/input-folder.ts';
import { readNamed, runEmbedded } from '../support/compare/open-target.ts';
import { loadPlanted, quotaBugs, sourceBugs } from '../support/compare/planted-bugs.ts';

/**
 * Half a second past noon, so that no window ends in whole seconds; and the day before the newest
 * day, when some artists and points are of tomorrow.
 */
const instants = ['2026-08-22T12:00:00.500Z', '2026-08-21T12:00:00.500Z'].map((text) =>
  Date.parse(text),
);

/** A day runs an eighth of them; a release, with `EXAMPLE_RUNS=all`, all. */
const runsAll = process.env['EXAMPLE_RUNS'] === 'all';
const someOf = <Bug>(bugs: readonly Bug[]): readonly Bug[] =>
  bugs.filter((_, index) => runsAll || index % 8 === 0);

/** The rows that report a changed gateway in a case, at the first of the instants with one. */
const rowsOf = async (
  shownBy: string,
  open: (now: number) => Promise<(gateway: Gateway) => Partial<Gateway>>,
) => {
  const cases = await readNamed(shownBy);
  for (const now of instants) {
    const change = await open(now);
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

  for (const bug of someOf(sourceBugs)) {
    const [file, shownBy, from, to] = bug;
    it(`finds ${to} instead of ${from} in ${file} with ${shownBy}`, async () => {
      const rows = await rowsOf(shownBy, async (now) => {
        const planted = await loadPlanted(bug, now);
        return ({ catalogue }) => ({ catalogue: { ...catalogue, value: () => planted } });
      });
      expect(rows.some((row) => row !== undefined)).to.equal(true);
    });
  }

  for (const [name, shownBy, row, change] of someOf(quotaBugs))
    it(`finds that ${name}`, async () => {
      const rows = await rowsOf(shownBy, async () => ({ quotas }) => ({ quotas: change(quotas) }));
      expect(rows).to.include(row);
    });
});
