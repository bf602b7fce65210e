import { expect } from 'chai';
import { createPathReader } from '../../adapters/compare/checks/json-paths.ts';

const read = createPathReader([
  { pattern: 'id' },
  { pattern: 'genres[]' },
  { pattern: 'metrics.*', keys: ['streams', 'likes'] },
  { pattern: 'songs[].history.*[].value', keys: ['streams'] },
]);

const flatten = (value: Parameters<typeof read>[0]) =>
  read(value).map(({ path, pattern, at, value: found }) => [path, pattern, at.join(' '), found]);

describe('createPathReader', () => {
  it('flattens a value into paths with the declared path of each', () => {
    expect(flatten({ id: 'a', genres: ['x', 'y'], metrics: { likes: 2 } })).to.deep.equal([
      ['id', 'id', '', 'a'],
      ['genres[0]', 'genres[]', '0', 'x'],
      ['genres[1]', 'genres[]', '1', 'y'],
      ['metrics.likes', 'metrics.*', 'likes', 2],
    ]);
  });

  it('reads maps inside lists', () => {
    expect(flatten({ songs: [{}, { history: { streams: [{ value: 1 }, { value: 2 }] } }] })).to.deep.equal([
      ['songs[1].history.streams[0].value', 'songs[].history.*[].value', '1 streams 0', 1],
      ['songs[1].history.streams[1].value', 'songs[].history.*[].value', '1 streams 1', 2],
    ]);
  });

  it('distinguishes an empty list or map from an absent one', () => {
    expect(flatten({ genres: [], metrics: {} })).to.deep.equal([
      ['genres', 'genres[]', '', []],
      ['metrics', 'metrics.*', '', {}],
    ]);
    expect(flatten({})).to.deep.equal([]);
  });

  it('returns no pattern for an undeclared member, an undeclared key of a map, and a value of another shape', () => {
    expect(flatten({ extra: 1, metrics: { secret: 2 }, genres: 'x', songs: null })).to.deep.equal([
      ['extra', undefined, '', 1],
      ['metrics.secret', undefined, '', 2],
      ['genres', undefined, '', 'x'],
      ['songs', undefined, '', null],
    ]);
  });
});
