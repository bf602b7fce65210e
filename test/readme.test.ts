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

  it('says truthfully which lines of Node and which servers the tests and workflows use', () => {
    const read = (path: string): string => readFileSync(join(root, path), 'utf8');
    const [, lines = ''] = /line: \[(.+)\]/.exec(read('.github/workflows/ci.yml')) ?? [];
    const [, jongodb = ''] = /jongodb[^"]+": "([\d.]+)"/.exec(read('test/support/mongodb/package.json')) ?? [];
    const [, secantus = ''] = /SecantusDB==(\S+)/.exec(read('test/support/python/requirements.txt')) ?? [];
    const [, mongod = ''] = /mongo:([\d.]+)/.exec(read('.github/workflows/database.yml')) ?? [];
    const [, floor = ''] = /">=([\d.]+)"/.exec(read('package.json')) ?? [];
    for (const version of [lines, jongodb, secantus, mongod, floor]) expect(version).to.not.equal('');
    expect(readme).to.include(`| Node | ${floor} | ${lines.replaceAll("'", '')} |`);
    expect(readme)
      .to.include(`| MongoDB | jongodb ${jongodb},`)
      .and.include(`| SecantusDB ${secantus}, \`mongod\` ${mongod} |`);
  });
});
