import { expect } from 'chai';
import { fixtureFolder } from '../../src/runtime/folders.ts';
import { placeBoundaries } from '../../tools/compare/checks/boundaries.ts';
import { openEmbeddedTarget } from '../../tools/compare/targets/embedded-target.ts';
import { readNamed, spikes } from '../support/compare/open-target.ts';

const placeAt = async (now?: number) => {
  const cases = (await readNamed()).filter(({ boundary }) => boundary !== undefined);
  const target = await openEmbeddedTarget({ folder: fixtureFolder, now, spikes });
  const placed = placeBoundaries(cases, await target.readStored(), target.now.slice(0, 10));
  await target.close();
  return placed;
};

const askedBy = ({ cases }: Awaited<ReturnType<typeof placeAt>>, wanted: string) =>
  cases.filter(({ name }) => name === wanted).map(({ asks, current }) => [asks, current.ask]);

describe('placeBoundaries', () => {
  it('finds every boundary except those whose cases name another catalogue', async () => {
    const { cases, skipped } = await placeAt();
    const ofTomorrow = ['boundary-latest-of-tomorrow', 'boundary-added-tomorrow'];
    const ofManyArtists = ['', '-of-the-variant-form', '-of-added'].map(
      (of) => `boundary-default-page${of}`,
    );
    expect(skipped.map(({ name }) => name)).to.deep.equal([...ofTomorrow, ...ofManyArtists]);
    const dayBefore = await placeAt(Date.parse('2026-08-21T12:00:00Z'));
    expect(dayBefore.skipped.filter(({ name }) => ofTomorrow.includes(name))).to.deep.equal([]);
    expect(JSON.stringify([cases, dayBefore.cases])).to.not.match(/\{(days|limit|reach)/);
  });

  it('requests the window and page that reach the boundary, and names the artist', async () => {
    const placed = await placeAt();
    expect(askedBy(placed, 'boundary-growth-equal')).to.deep.equal([
      ['Growth of exactly the threshold: art_9xp7oe tiktok_followers', '/spikes?days=3'],
    ]);
    // Of 12 artists the last one is alone behind one page of 11.
    expect(askedBy(placed, 'boundary-page-before-the-last')).to.deep.equal([
      ['The last page has one artist: art_6yw0pn', '/artists?limit=11'],
    ]);
  });
});
