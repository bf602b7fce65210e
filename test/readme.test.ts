import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { root } from './support/architecture.ts';

const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** The pictures that the README shows, each with its alternative text; of a pair for light and dark, the light one has it. */
const pictures = [
  ...[...readme.matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)].map(([, text = '', path = '']) => ({ path, text })),
  ...[...readme.matchAll(/<img src="([^"]+)" alt="([^"]*)">/g)].map(([, path = '', text = '']) => ({ path, text })),
];
const darkPictures = [...readme.matchAll(/srcset="([^"]+)"/g)].map(([, path = '']) => path);

describe('the README', () => {
  it('has at most 150 lines', () => {
    expect(readme.trimEnd().split('\n')).to.have.lengthOf.at.most(150);
  });

  it('shows every picture of docs/images, each below 150 KB', () => {
    const shown = [...pictures.map(({ path }) => path), ...darkPictures];
    expect(shown).to.have.members(readdirSync(join(root, 'docs/images')).map((name) => `docs/images/${name}`));
    for (const path of shown) expect(statSync(join(root, path)).size, path).to.be.below(150_000);
  });

  it('says what each picture shows', () => {
    for (const { path, text } of pictures) expect(text, path).to.have.length.above(40);
  });

  it('links only files that exist', () => {
    const linked = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = '']) => path);
    expect(linked.filter((path) => !existsSync(join(root, path)))).to.deep.equal([]);
  });
});
