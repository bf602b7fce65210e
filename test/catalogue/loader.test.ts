import { expect } from 'chai';
import { createCatalogueLoader } from '../../src/catalogue/loader.ts';
import type { DocumentFault } from '../../src/domain/document-fault.ts';
import type { CatalogueContents } from '../../src/ports.ts';
import { buildCatalogueParts, buildContents } from '../support/builders.ts';
import { createMemoryLog } from '../support/log.ts';

/**
 * A loader over a source that returns these contents in order, and the last one repeatedly; each
 * load follows the one before.
 */
const createTestLoader = (...turns: readonly CatalogueContents[]) => {
  const rest = [...turns];
  const log = createMemoryLog();
  const load = async (): Promise<CatalogueContents> => {
    const contents = rest.length > 1 ? rest.shift() : rest[0];
    if (contents === undefined) throw new Error('no contents were given');
    return contents;
  };
  const loader = createCatalogueLoader({ load }, buildCatalogueParts(), log);
  let catalogue: Awaited<ReturnType<typeof loader.load>> | undefined;
  const next = async () => {
    catalogue = await loader.load(catalogue);
    return catalogue;
  };
  /** What there is after each of some loads. */
  const afterEachOf = async (loads: number, look: () => number): Promise<number[]> => {
    const seen: number[] = [];
    for (let load = 0; load < loads; load++) {
      await next();
      seen.push(look());
    }
    return seen;
  };
  return { next, afterEachOf, log, artists: () => catalogue?.snapshot.listed.length ?? 0 };
};

const rejection = (document: string): DocumentFault => ({
  event: 'invalid document ignored',
  collection: 'artists',
  document,
  reason: 'name: is missing',
});
const one = buildContents([{ id: 'a' }]);
const two = buildContents([{ id: 'a' }, { id: 'b' }]);
const none = buildContents();

describe('catalogue loader', () => {
  it('returns the same catalogue while the source returns the same contents', async () => {
    const { next } = createTestLoader(one);
    const catalogue = await next();
    expect(await next()).to.equal(catalogue);
  });

  it('builds a catalogue without artists, and logs that once', async () => {
    const { afterEachOf, artists, log } = createTestLoader(none, buildContents(), two);
    expect(await afterEachOf(4, artists)).to.deep.equal([0, 0, 2, 2]);
    const facts = { collection: 'artists', document: 'all', reason: 'there is no artist' };
    expect(log.entries).to.deep.equal([
      { level: 'error', event: 'collection empty, not ready', facts },
    ]);
  });

  it('logs at most 100 documents per load', async () => {
    const faults = Array.from({ length: 250 }, (_, line) => rejection(`line ${line}`));
    const { afterEachOf, log } = createTestLoader(buildContents([{ id: 'a' }], { faults }));
    expect(await afterEachOf(4, () => log.entries.length)).to.deep.equal([100, 200, 250, 250]);
  });

  it('logs each faulty or duplicate document once', async () => {
    const bad = { faults: [rejection('line 7')] };
    const { afterEachOf, log } = createTestLoader(
      buildContents([{ id: 'a' }], bad),
      buildContents([{ id: 'a' }, { id: 'a', documentId: 'again' }], bad),
      buildContents([{ id: 'a' }, { id: 'b' }], {
        faults: [rejection('line 7'), rejection('line 8')],
      }),
      one,
      buildContents([{ id: 'a' }], bad),
    );
    expect(await afterEachOf(6, () => log.entries.length)).to.deep.equal([1, 2, 3, 3, 4, 4]);
    const facts = { collection: 'artists', document: 'line 7', reason: 'name: is missing' };
    expect(log.entries[0]).to.deep.equal({
      level: 'warn',
      event: 'invalid document ignored',
      facts,
    });
    const documents = log.entries.map(({ facts }) => 'document' in facts && facts.document);
    expect(documents).to.deep.equal(['line 7', 'again', 'line 8', 'line 7']);
  });
});
