import { expect } from 'chai';
import { createLeafReader } from '../../adapters/compare/checks/json-paths.ts';

const read = createLeafReader([
  { pattern: 'id' },
  { pattern: 'genres[]' },
  { pattern: 'metrics.*', keys: ['streams', 'likes'] },
  { pattern: 'songs[].history.*[].value', keys: ['streams'] },
]);

const told = (value: Parameters<typeof read>[0]) =>
  read(value).map(({ path, pattern, at, value: leaf }) => [path, pattern, at.join(' '), leaf]);

describe('leaves of an answer', () => {
  it('are told with the declared path they belong to', () => {
    expect(told({ id: 'a', genres: ['x', 'y'], metrics: { likes: 2 } })).to.deep.equal([
      ['id', 'id', '', 'a'],
      ['genres[0]', 'genres[]', '0', 'x'],
      ['genres[1]', 'genres[]', '1', 'y'],
      ['metrics.likes', 'metrics.*', 'likes', 2],
    ]);
  });

  it('go through maps inside lists', () => {
    expect(told({ songs: [{}, { history: { streams: [{ value: 1 }, { value: 2 }] } }] })).to.deep.equal([
      ['songs[1].history.streams[0].value', 'songs[].history.*[].value', '1 streams 0', 1],
      ['songs[1].history.streams[1].value', 'songs[].history.*[].value', '1 streams 1', 2],
    ]);
  });

  it('tell an empty list and an empty map from one that is not there', () => {
    expect(told({ genres: [], metrics: {} })).to.deep.equal([
      ['genres', 'genres[]', '', []],
      ['metrics', 'metrics.*', '', {}],
    ]);
    expect(told({})).to.deep.equal([]);
  });

  it('are in no row when nobody declared them: a member, a key of a map, or another shape', () => {
    expect(told({ extra: 1, metrics: { secret: 2 }, genres: 'x', songs: null })).to.deep.equal([
      ['extra', undefined, '', 1],
      ['metrics.secret', undefined, '', 2],
      ['genres', undefined, '', 'x'],
      ['songs', undefined, '', null],
    ]);
  });
});
