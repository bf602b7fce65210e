import { expect } from 'chai';
import { createCatalogueLoader } from '../../src/catalogue/loader.ts';
import type { CatalogueContents, RejectedDocument } from '../../src/ports.ts';
import { buildCatalogueParts, buildContents } from '../support/builders.ts';
import { catchError } from '../support/catch-error.ts';
import { createMemoryLog } from '../support/log.ts';

/** A loader over a source that returns these contents in order, and the last one repeatedly. */
const createTestLoader = (...turns: readonly (CatalogueContents | Error)[]) => {
  const rest = [...turns];
  const log = createMemoryLog();
  const load = async (): Promise<CatalogueContents> => {
    const contents = rest.length > 1 ? rest.shift() : rest[0];
    if (contents instanceof Error || contents === undefined) throw contents;
    return contents;
  };
  return { next: createCatalogueLoader({ load }, buildCatalogueParts(), log), log };
};

const rejection = (document: string): RejectedDocument => ({
  collection: 'artists',
  document,
  reason: 'name: is missing',
});
const one = buildContents([{ id: 'a' }]);
const two = buildContents([{ id: 'a' }, { id: 'b' }]);
const none = buildContents();

describe('catalogue loader', () => {
  it('builds a catalogue from the contents of the source, even if the first load has none', async () => {
    const { next, log } = createTestLoader(none, two);
    const empty = await next(undefined);
    expect(empty.snapshot.listed).to.have.lengthOf(0);
    expect((await next(empty)).snapshot.listed).to.have.lengthOf(2);
    expect(log.entries).to.deep.equal([]);
  });

  it('returns the same catalogue while the source returns the same contents', async () => {
    const { next } = createTestLoader(one);
    const catalogue = await next(undefined);
    expect(await next(catalogue)).to.equal(catalogue);
  });

  it('rejects with the failure of the source', async () => {
    const failure = new Error('down');
    expect(await catchError(() => createTestLoader(failure).next(undefined))).to.equal(failure);
  });

  it('keeps the last catalogue while the collection is empty, and logs it at every load', async () => {
    const { next, log } = createTestLoader(two, none, none, buildContents(), one);
    const catalogue = await next(undefined);
    for (let turn = 0; turn < 3; turn++) expect(await next(catalogue)).to.equal(catalogue);
    expect(log.entries.map(({ level, facts }) => [level, facts])).to.deep.equal(
      Array.from({ length: 3 }, () => ['error', { kept: 2 }]),
    );
    expect((await next(catalogue)).snapshot.listed).to.have.lengthOf(1);
    expect(log.entries).to.have.lengthOf(3);
  });

  it('logs the rejected documents when they leave no artist', async () => {
    const { next, log } = createTestLoader(one, buildContents([], { rejected: [rejection('line 1')] }));
    const catalogue = await next(undefined);
    for (let turn = 0; turn < 2; turn++) expect(await next(catalogue)).to.equal(catalogue);
    expect(log.entries.filter(({ level }) => level === 'warn').map(({ facts }) => facts)).to.deep.equal([
      rejection('line 1'),
    ]);
  });

  it('logs each rejected or duplicate document once, on the first load that leaves it out', async () => {
    const bad = { rejected: [rejection('line 7')] };
    const { next, log } = createTestLoader(
      buildContents([{ id: 'a' }], bad),
      buildContents([{ id: 'a' }, { id: 'a', documentId: 'again' }], bad),
      buildContents([{ id: 'a' }, { id: 'b' }], { rejected: [rejection('line 7'), rejection('line 8')] }),
      one,
      buildContents([{ id: 'a' }], bad),
    );
    let catalogue = await next(undefined);
    const reported: number[] = [log.entries.length];
    for (let turn = 0; turn < 5; turn++) {
      catalogue = await next(catalogue);
      reported.push(log.entries.length);
    }
    expect(reported).to.deep.equal([1, 2, 3, 3, 4, 4]);
    expect(log.entries[0]).to.deep.equal({ level: 'warn', event: 'document left out', facts: rejection('line 7') });
    expect(log.entries.map(({ facts }) => ('document' in facts ? facts.document : undefined))).to.deep.equal([
      'line 7',
      'again',
      'line 8',
      'line 7',
    ]);
  });
});
