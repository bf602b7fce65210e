import { expect } from 'chai';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { engine } from '../../src/catalogue/movements.ts';
import { createSpikeFinder } from '../../src/catalogue/spikes.ts';
import type { Artist, History } from '../../src/domain/model.ts';
import { Problem } from '../../src/domain/problem.ts';
import {
  buildArtist,
  buildCatalogue,
  buildContents,
  buildLabel,
  buildListedArtist,
  buildPoint,
  buildSeries,
  buildViewer,
} from '../support/builders.ts';
import { catchError, catchProblemKind } from '../support/catch-error.ts';

const viewer = buildViewer();
const artistsOnly = buildViewer({ scopes: new Set(['artists:read']) });
const editorial = { scoutingReport: 'A report.', highlights: undefined, updatedAt: undefined };
const ids = ({ artists }: { readonly artists: readonly Artist[] }): string => artists.map(({ id }) => id).join('');

const letters = [...'abcd'].map((id) => ({ id, name: id.toUpperCase(), editorial }));
const rising = (previous: number) =>
  buildSeries({ points: [buildPoint('2026-08-19', previous), buildPoint('2026-08-22', previous * 2)] });

const historyOf = (artist: Artist): History => ({ series: [buildSeries({ artistId: artist.id })] });
const histories = { read: async (artist: Artist) => historyOf(artist) };

describe('catalogue: artists', () => {
  const catalogue = buildCatalogue(buildContents(letters), { histories });

  it('reads histories only when the question includes them, of disclosed artists', async () => {
    expect(catalogue.artists({ filters: {}, limit: 2 }, artistsOnly).withHistory).to.equal(undefined);
    const answer = catalogue.artists({ filters: {}, limit: 2, includeHistory: true }, artistsOnly);
    const read = answer.withHistory ?? [];
    expect(await Promise.all(read.map(({ readHistory }) => readHistory()))).to.deep.equal(
      answer.artists.map(historyOf),
    );
    expect(read.map(({ artist }) => artist)).to.deep.equal(answer.artists);
    expect(read.map(({ artist }) => artist.editorial)).to.deep.equal([undefined, undefined]);
  });

  it('raises unavailable when a history cannot be read, with the failure as its cause only', async () => {
    const cause = new Error('down');
    const failing = buildCatalogue(buildContents(letters), { histories: { read: () => Promise.reject(cause) } });
    const { readHistory } = failing.artist({ id: 'a' }, viewer);
    const problem = await catchError(readHistory);
    expect(problem).to.be.instanceOf(Problem).and.include({ kind: 'unavailable', cause });
    expect(problem).to.have.property('message').that.does.not.include('down');
  });
});

describe('catalogue: one artist', () => {
  const catalogue = buildCatalogue(buildContents(letters), { histories });

  it('has its history, and the members that the viewer may see', async () => {
    const { artist, readHistory } = catalogue.artist({ id: 'b' }, artistsOnly);
    expect([artist.id, artist.editorial, await readHistory()]).to.deep.equal(['b', undefined, historyOf(artist)]);
    const seen = catalogue.artist({ id: 'b' }, viewer);
    expect(seen.artist.editorial).to.deep.equal(editorial);
  });

  for (const id of ['x', '', 'doc-a', 'A', '__proto__']) {
    it(`is not found by "${id}"`, () => {
      expect(catchProblemKind(() => catalogue.artist({ id }, viewer))).to.equal('not-found');
    });
  }
});

describe('catalogue: added', () => {
  const added = [...'abc'].map((id) => ({ id, dateAdded: '2026-08-20', editorial }));
  const catalogue = buildCatalogue(buildContents([...added, { id: 'd' }, { id: 'e', dateAdded: '2026-08-01' }]));

  it('holds the artists added within the days, with the members that the viewer may see', () => {
    const answer = catalogue.added({ days: 2, limit: 100 }, artistsOnly);
    expect(ids(answer)).to.equal('abc');
    expect(answer.artists.map((artist) => artist.editorial)).to.deep.equal([undefined, undefined, undefined]);
    expect(ids(catalogue.added({ days: 1, limit: 100 }, artistsOnly))).to.equal('');
  });

  it('has no cursor, even when there are more', () => {
    const answer = catalogue.added({ days: 7, limit: 2 }, viewer);
    expect([ids(answer), answer.nextCursor]).to.deep.equal(['ab', undefined]);
  });
});

describe('catalogue: spikes and signings', () => {
  const contents = buildContents([], {
    artists: [
      buildListedArtist({ id: 'a', signing: { status: 'signed', note: 'A note.' } }, [rising(1000)]),
      buildListedArtist({ id: 'b' }, [rising(2000)]),
      buildListedArtist({ id: 'c' }, [rising(999)]),
    ],
    labels: [buildLabel('warner'), buildLabel('Warner'), buildLabel('EMI')],
  });
  const catalogue = buildCatalogue(contents);

  const spikeIds = async (catalogue: Catalogue, days: number, viewed = viewer) => {
    const { spikes } = await catalogue.spikes({ days }, viewed);
    return spikes.slice(0, spikes.length).map(({ artistId }) => artistId);
  };

  it('finds spikes over a window with its settings', async () => {
    expect(await catalogue.spikes({ days: 3 }, viewer)).to.include({ days: 3, engine });
    expect(await spikeIds(catalogue, 3)).to.deep.equal(['b', 'a']);
    expect(await spikeIds(catalogue, 30)).to.deep.equal([]);
    expect(await spikeIds(catalogue, 3, buildViewer({ today: '2026-08-25' }))).to.deep.equal([]);
    const strict = buildCatalogue(contents, { spikes: createSpikeFinder({ floor: 2000, thresholdPercent: 100 }) });
    expect(await spikeIds(strict, 3)).to.deep.equal(['b']);
  });

  it('finds the spikes of a day once', async () => {
    const [one, other] = [
      await catalogue.spikes({ days: 3 }, viewer),
      await catalogue.spikes({ days: 3 }, artistsOnly),
    ];
    expect(one.spikes).to.equal(other.spikes);
  });

  it('has signings with the notes that the viewer may see, and the tracked labels', () => {
    expect(catalogue.signings(viewer).signings.map(({ note }) => note)).to.deep.equal(['A note.']);
    expect(catalogue.signings(artistsOnly).signings.map(({ note }) => note)).to.deep.equal([undefined]);
    expect(catalogue.signings(artistsOnly).labels).to.deep.equal(['EMI', 'Warner', 'warner']);
  });

  it('answers over an empty shortlist', async () => {
    const empty = buildCatalogue(buildContents());
    expect(ids(empty.artists({ filters: {}, limit: 1 }, viewer))).to.equal('');
    expect(await spikeIds(empty, 3)).to.deep.equal([]);
    expect(empty.signings(viewer)).to.deep.include({ signings: [], labels: [] });
    expect(catchProblemKind(() => empty.artist({ id: buildArtist().id }, viewer))).to.equal('not-found');
  });
});
