import { expect } from 'chai';
import { planArtist } from '../../adapters/stores/import/plan-artist.ts';

const now = Date.parse('2026-08-23T00:00:00Z');
const file = { _id: 'd', id: 'a', name: 'A', updated_at: '2026-08-22T00:00:00Z' };
const stored = { ...file, updated_at: new Date('2026-08-22T00:00:00Z') };

describe('what an import does to an artist', () => {
  it('is to create one that is not stored, as the file has it', () => {
    expect(planArtist(file, undefined, true, now)).to.deep.equal({ kind: 'created', document: stored });
  });

  it('is nothing when it says the same, in whatever order, and its series do too', () => {
    const { name, ...rest } = stored;
    expect(planArtist(file, { name, ...rest }, false, now)).to.deep.equal({ kind: 'unchanged' });
  });

  it('is to change one that says something else, and to move its instant forward', () => {
    const plan = planArtist({ ...file, name: 'B' }, stored, false, now);
    const document = { id: 'a', name: 'B', updated_at: new Date(now) };
    expect(plan).to.deep.include({ kind: 'changed', _id: 'd', document });
  });

  it("takes the file's instant when that is later", () => {
    const updated_at = '2026-08-22T08:00:00+02:00';
    const plan = planArtist({ ...file, updated_at }, stored, false, now);
    expect(plan).to.have.deep.nested.property('document.updated_at', new Date('2026-08-22T06:00:00Z'));
  });

  it('takes no notice of an instant that is earlier: an import has moved it', () => {
    expect(planArtist(file, { ...stored, updated_at: new Date(now) }, false, now)).to.deep.equal({ kind: 'unchanged' });
  });

  it('is to touch one whose series differ, or whose series an import left unfinished', () => {
    const touched = { kind: 'touched', _id: 'd', updatedAt: new Date(now) };
    expect(planArtist(file, stored, true, now)).to.deep.equal(touched);
    expect(planArtist(file, { ...stored, series_unfinished: true }, false, now)).to.deep.equal(touched);
    expect(planArtist(undefined, stored, true, now)).to.deep.equal(touched);
  });

  it('moves the instant forward though the stored one lies ahead of the clock', () => {
    const ahead = { ...stored, updated_at: new Date(now + 5) };
    expect(planArtist(file, ahead, true, now)).to.deep.include({ updatedAt: new Date(now + 6) });
  });
});
