import { expect } from 'chai';
import { currentForm } from '../../adapters/forms/current/form.ts';
import type { KeyRoute } from '../../adapters/forms/form.ts';
import { createParsedQueryCache } from '../../adapters/http/request-cache.ts';
import { splitTarget } from '../../adapters/http/request-target.ts';
import { Problem } from '../../src/domain/problem.ts';

const routeAt = (path: string): KeyRoute => {
  const route = currentForm.routes.find((each) => each.path === path);
  if (route === undefined || route.access === 'public') throw new Error(`no route reads ${path}`);
  return route;
};

describe('parsed queries', () => {
  const artists = routeAt('/api/v1/artists');
  const artist = routeAt('/api/v1/artists/:id');

  it('are parsed once for each target', () => {
    const parse = createParsedQueryCache();
    const first = parse(artists, {}, splitTarget('/api/v1/artists?limit=3'));
    expect(parse(artists, {}, splitTarget('/api/v1/artists?limit=3'))).to.equal(first);
    expect(parse(artists, {}, splitTarget('/api/v1/artists?limit=4')).asked.question).to.not.equal(
      first.asked.question,
    );
  });

  it('differ by the path of the target too', () => {
    const parse = createParsedQueryCache();
    const one = parse(artist, { id: 'art_1' }, splitTarget('/api/v1/artists/art_1'));
    const other = parse(artist, { id: 'art_2' }, splitTarget('/api/v1/artists/art_2'));
    expect([one, other].map(({ asked }) => asked.question)).to.deep.equal(['{"id":"art_1"}', '{"id":"art_2"}']);
  });

  it('raise the same problem each time when a parameter is wrong', () => {
    const parse = createParsedQueryCache();
    const ask = () => parse(artists, {}, splitTarget('/api/v1/artists?limit=0'));
    expect(ask).to.throw(Problem, 'limit must be');
    expect(ask).to.throw(Problem, 'limit must be');
  });

  it('are not cached for a target of more than 300 characters', () => {
    const parse = createParsedQueryCache();
    const ask = () => parse(artists, {}, splitTarget(`/api/v1/artists?limit=3&tier=${'x'.repeat(300)}`));
    expect(ask()).to.not.equal(ask());
  });
});
