import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmbeddedCatalogue } from '../../../adapters/stores/embedded/catalogue.ts';
import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import type { SpikeSettings } from '../../../src/catalogue/movements.ts';
import type { Artist } from '../../../src/domain/model.ts';
import type { RecentPoints } from '../../../src/ports.ts';
import { fixedClock } from '../../../src/runtime/clock.ts';
import { root } from '../architecture.ts';
import { createMemoryLog } from '../log.ts';
import type { SourceChange } from './faulty.ts';

/** The file and those that import it, directly or not. */
const importersOf = (file: string, texts: ReadonlyMap<string, string>): ReadonlySet<string> => {
  const found = new Set([file]); // it grows while it is visited
  for (const name of found)
    for (const [other, text] of texts) if (text.includes(`from './${name}'`)) found.add(other);
  return found;
};

/**
 * A folder with the bug's file and those that import it, which import everything else from where it
 * is; and where a file is.
 */
const copyWith = ({ file, from, to }: SourceChange) => {
  const source = join(root, 'src/catalogue');
  const texts = new Map(
    readdirSync(source).map((name) => [name, readFileSync(join(source, name), 'utf8')]),
  );
  if (texts.get(file)?.split(from).length !== 2)
    throw new Error(`${file} does not have once: ${from}`);
  const copied = importersOf(file, texts);
  const folder = mkdtempSync(join(tmpdir(), 'planted-'));
  const pathOf = (name: string) => join(copied.has(name) ? folder : source, name);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  for (const name of copied) {
    const text = texts.get(name) ?? '';
    const planted = name === file ? text.replace(from, () => to) : text;
    const imports = planted.replaceAll("from '../", `from '${root}/src/`);
    writeFileSync(
      pathOf(name),
      imports.replaceAll(/from '\.\/([^']+)'/g, (_, other) => `from '${pathOf(other)}'`),
    );
  }
  return { folder, pathOf };
};

/**
 * How to load a catalogue of a folder with the bug; the clock bounds the points that spikes are
 * found in.
 */
export const importPlanted = async (bug: SourceChange) => {
  const { folder: copy, pathOf } = copyWith(bug);
  try {
    const { createCatalogueLoader }: typeof import('../../../src/catalogue/loader.ts') =
      await import(pathOf('loader.ts'));
    const { createDisclosure }: typeof import('../../../src/catalogue/redaction.ts') = await import(
      pathOf('redaction.ts')
    );
    const { createSpikeFinder }: typeof import('../../../src/catalogue/spikes.ts') = await import(
      pathOf('spikes.ts')
    );
    const { recentPointsOf }: typeof import('../../../src/catalogue/movements.ts') = await import(
      pathOf('movements.ts')
    );
    return (
      folder: string,
      { now, spikes }: { readonly now: number; readonly spikes: SpikeSettings },
    ): Promise<Catalogue> => {
      const source = createEmbeddedCatalogue({
        folder,
        clock: fixedClock(now),
        rebaseToToday: false,
      });
      /** Recent points as every source makes them, with the planted function. */
      const recentOf = async (artist: Artist): Promise<RecentPoints[]> => {
        const { series } = await source.read(artist);
        return series
          .filter(({ songId }) => songId === undefined)
          .map((own) => recentPointsOf(own));
      };
      const load = async () => {
        const contents = await source.load();
        const artists = contents.artists.map(async (listed) => ({
          ...listed,
          recent: await recentOf(listed.artist),
        }));
        return { ...contents, artists: await Promise.all(artists) };
      };
      const parts = {
        histories: source,
        disclosure: createDisclosure(),
        spikes: createSpikeFinder(spikes),
      };
      return createCatalogueLoader({ load }, parts, createMemoryLog()).load(undefined);
    };
  } finally {
    rmSync(copy, { recursive: true });
  }
};
