import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { pathsBelow, readSource, root } from './support/architecture.ts';

type Arrows = ReadonlyMap<string, ReadonlySet<string>>;

const moduleOf = (path: string): string => path.split('/')[1]?.replace(/\.ts$/, '') ?? path;

/** The rooms that each room imports. */
const importArrows = (): Arrows => {
  const arrows = new Map<string, Set<string>>();
  for (const { path, imports } of ['src', 'adapters', 'tools']
    .flatMap(pathsBelow)
    .map(readSource)) {
    const rooms = imports
      .filter((imported) => /^(src|adapters|tools)\//.test(imported))
      .map(moduleOf);
    const room = moduleOf(path);
    arrows.set(
      room,
      new Set([...(arrows.get(room) ?? []), ...rooms.filter((other) => other !== room)]),
    );
  }
  return arrows;
};

/** The arrows of the Mermaid picture: `room["text"] --> room & room["text"]`. */
const drawnArrows = (): Arrows => {
  const guide = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const [, drawing = ''] = /```mermaid\n(.+?)```/s.exec(guide) ?? [];
  const picture = drawing.replaceAll(/^ *end$/gm, '');
  const lines = [...picture.matchAll(/^ +(\w+)(?:\[[^\]]+\])?(?: --> (.+))?$/gm)];
  return new Map(
    lines.map(([, room = '', to = '']) => [
      room,
      new Set([...to.replaceAll(/\[[^\]]+\]/g, '').matchAll(/\w+/g)].map(([name]) => name)),
    ]),
  );
};

/** Every room that a way of arrows leads to. */
const reachedFrom = (room: string, arrows: Arrows): ReadonlySet<string> => {
  const reached = new Set<string>();
  const visit = (from: string): void => {
    for (const to of arrows.get(from) ?? []) {
      if (reached.has(to)) continue;
      reached.add(to);
      visit(to);
    }
  };
  visit(room);
  return reached;
};

describe('the picture in docs/architecture.md', () => {
  const [imports, drawn] = [importArrows(), drawnArrows()];
  const pairs = (arrows: Arrows) =>
    [...arrows].flatMap(([from, to]) => [...to].map((one) => [from, one] as const));

  it('has a way of arrows for every import from one room to another', () => {
    const missing = pairs(imports).filter(([from, to]) => !reachedFrom(from, drawn).has(to));
    expect(missing.map((pair) => pair.join(' → '))).to.deep.equal([]);
    expect([...reachedFrom('cli', drawn), 'cli']).to.have.members([...imports.keys()]);
  });

  it('has no arrow without an import, and no circle', () => {
    const unfounded = pairs(drawn).filter(([from, to]) => !imports.get(from)?.has(to));
    expect(unfounded.map((pair) => pair.join(' → '))).to.deep.equal([]);
    expect([...drawn.keys()].filter((room) => reachedFrom(room, drawn).has(room))).to.deep.equal(
      [],
    );
  });

  it('and the recipes of contributing.md name files that exist', () => {
    const guides = ['architecture', 'contributing'].map((name) =>
      readFileSync(join(root, `docs/${name}.md`), 'utf8'),
    );
    const paths = ['src', 'adapters', 'tools', 'test', 'partners'].flatMap(pathsBelow);
    const named = [...guides.join('\n').matchAll(/`([\w/-]+(?:\.\w+)?\.ts)`/g)];
    const missing = named
      .map(([, name = '']) => name)
      .filter((name) => !paths.some((path) => path.endsWith(`/${name}`) || path === name))
      .filter((name) => !/\/NAME\//.test(name));
    expect(missing).to.deep.equal([]);
  });
});
