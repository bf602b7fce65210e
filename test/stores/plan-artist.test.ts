import { expect } from 'chai';
import { planArtist } from '../../adapters/import/plan-artist.ts';

const now = Date.parse('2026-08-23T00:00:00Z');
const input = { _id: 'd', id: 'a', name: 'A', updated_at: '2026-08-22T00:00:00Z' };
const stored = { ...input, updated_at: new Date('2026-08-22T00:00:00Z') };

describe('planArtist', () => {
  it('creates an artist that is not stored, as the file has it', () => {
    expect(planArtist(input, undefined, true, now)).to.deep.equal({ kind: 'created', document: stored });
  });

  it('leaves an artist unchanged when its members and series are equal, in any order', () => {
    const { name, ...rest } = stored;
    expect(planArtist(input, { name, ...rest }, false, now)).to.deep.equal({ kind: 'unchanged' });
  });

  it('changes an artist that differs, and moves its `updated_at` forward', () => {
    const plan = planArtist({ ...input, name: 'B' }, stored, false, now);
    const document = { id: 'a', name: 'B', updated_at: new Date(now) };
    expect(plan).to.deep.include({ kind: 'changed', _id: 'd', document });
  });

  it("takes the file's `updated_at` when it is later than the stored one", () => {
    const updated_at = '2026-08-22T08:00:00+02:00';
    const plan = planArtist({ ...input, updated_at }, stored, false, now);
    expect(plan).to.have.deep.nested.property('document.updated_at', new Date('2026-08-22T06:00:00Z'));
  });

  it('ignores an earlier `updated_at` in the file, because an import may have moved the stored one', () => {
    expect(planArtist(input, { ...stored, updated_at: new Date(now) }, false, now)).to.deep.equal({
      kind: 'unchanged',
    });
  });

  it('touches an artist whose series differ, or whose series an import left unfinished', () => {
    const begunAt = new Date(stored.updated_at.getTime() + 1);
    const touched = { kind: 'touched', _id: 'd', begunAt, updatedAt: new Date(now) };
    expect(planArtist(input, stored, true, now)).to.deep.equal(touched);
    expect(planArtist(input, { ...stored, series_unfinished: true }, false, now)).to.deep.equal(touched);
    expect(planArtist(undefined, stored, true, now)).to.deep.equal(touched);
  });

  it('moves `updated_at` forward even when the stored one is ahead of the clock', () => {
    const ahead = { ...stored, updated_at: new Date(now + 5) };
    expect(planArtist(input, ahead, true, now)).to.deep.include({
      begunAt: new Date(now + 6),
      updatedAt: new Date(now + 7),
    });
  });
});
