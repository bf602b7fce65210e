import { expect } from 'chai';
import { currentForm } from '../../adapters/forms/current/form.ts';
import type { KeyRoute } from '../../adapters/forms/form.ts';
import { createParsedQueryCache } from '../../adapters/http/parsed-query-cache.ts';
import { splitTarget } from '../../adapters/http/request-target.ts';
import { Problem } from '../../src/domain/problem.ts';

const routeAt = (path: string): KeyRoute => {
  const route = currentForm.routes.find((each) => each.path === path);
  if (route === undefined || route.access === 'public') throw new Error(`no route reads ${path}`);
  return route;
};

describe('what targets ask', () => {
  const artists = routeAt('/api/v1/artists');
  const artist = routeAt('/api/v1/artists/:id');

  it('is read once for each target', () => {
    const read = createParsedQueryCache();
    const first = read(artists, {}, splitTarget('/api/v1/artists?limit=3'));
    expect(read(artists, {}, splitTarget('/api/v1/artists?limit=3'))).to.equal(first);
    expect(read(artists, {}, splitTarget('/api/v1/artists?limit=4')).asked.question).to.not.equal(first.asked.question);
  });

  it('is told apart by the path too', () => {
    const read = createParsedQueryCache();
    const one = read(artist, { id: 'art_1' }, splitTarget('/api/v1/artists/art_1'));
    const other = read(artist, { id: 'art_2' }, splitTarget('/api/v1/artists/art_2'));
    expect([one, other].map(({ asked }) => asked.question)).to.deep.equal(['{"id":"art_1"}', '{"id":"art_2"}']);
  });

  it('is refused each time when it is wrong', () => {
    const read = createParsedQueryCache();
    const ask = () => read(artists, {}, splitTarget('/api/v1/artists?limit=0'));
    expect(ask).to.throw(Problem, 'limit must be');
    expect(ask).to.throw(Problem, 'limit must be');
  });

  it('is not remembered when the target is very long', () => {
    const read = createParsedQueryCache();
    const ask = () => read(artists, {}, splitTarget(`/api/v1/artists?limit=3&tier=${'x'.repeat(300)}`));
    expect(ask()).to.not.equal(ask());
  });
});
