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

describe('parsed query cache', () => {
  const artists = routeAt('/api/v1/artists');
  const artist = routeAt('/api/v1/artists/:id');

  it('parses each target once', () => {
    const read = createParsedQueryCache();
    const first = read(artists, {}, splitTarget('/api/v1/artists?limit=3'));
    expect(read(artists, {}, splitTarget('/api/v1/artists?limit=3'))).to.equal(first);
    expect(read(artists, {}, splitTarget('/api/v1/artists?limit=4')).asked.question).to.not.equal(first.asked.question);
  });

  it('keeps targets with different paths apart', () => {
    const read = createParsedQueryCache();
    const one = read(artist, { id: 'art_1' }, splitTarget('/api/v1/artists/art_1'));
    const other = read(artist, { id: 'art_2' }, splitTarget('/api/v1/artists/art_2'));
    expect([one, other].map(({ asked }) => asked.question)).to.deep.equal(['{"id":"art_1"}', '{"id":"art_2"}']);
  });

  it('throws for an invalid target each time', () => {
    const read = createParsedQueryCache();
    const ask = () => read(artists, {}, splitTarget('/api/v1/artists?limit=0'));
    expect(ask).to.throw(Problem, 'limit must be');
    expect(ask).to.throw(Problem, 'limit must be');
  });

  it('does not cache a target of more than 300 characters', () => {
    const read = createParsedQueryCache();
    const ask = () => read(artists, {}, splitTarget(`/api/v1/artists?limit=3&tier=${'x'.repeat(300)}`));
    expect(ask()).to.not.equal(ask());
  });
});
