import { importBuilt } from '../built.ts';
import { generateArtist } from '../catalogue/artists.ts';
import { generateOwnHistory } from '../catalogue/histories.ts';

type Parsed<Model> = { readonly model: Model } | { readonly issue: { readonly message: string } };

const modelOf = <Model>(parsed: Parsed<Model>): Model => {
  if ('issue' in parsed) throw new Error(parsed.issue.message);
  return parsed.model;
};

/** The loader of the built catalogue over generated artists, without HTTP, with so many days of each artist's own series. */
export const openLoader = async (artists: number, days: number) => {
  const { parseArtist, parseSeries } = await importBuilt('adapters/stores/documents/catalogue-documents.js');
  const { createCatalogueLoader } = await importBuilt('src/catalogue/loader.js');
  const { createDisclosure } = await importBuilt('src/catalogue/disclosure.js');
  const { createSpikeFinder } = await importBuilt('src/catalogue/spikes.js');

  const read = (index: number) => {
    const document = generateArtist(index);
    const series = days === 0 ? [] : generateOwnHistory(document, days);
    return { artist: modelOf(parseArtist(document)), recent: series.map((one) => modelOf(parseSeries(one))) };
  };
  let listed = Array.from({ length: artists }, (_, index) => read(index));
  const labels = [{ name: 'Northern Sound', aliases: [] }];
  const parts = {
    histories: { read: async () => ({ series: [] }) },
    disclosure: createDisclosure(),
    spikes: createSpikeFinder({ floor: 1_000, thresholdPercent: 20 }),
  };
  const silent = () => {};
  const log = { info: silent, warn: silent, error: silent };
  return {
    ...createCatalogueLoader({ load: async () => ({ artists: listed, labels, faults: [] }) }, parts, log),
    /** Reads some artists again, as a refresh does that finds them changed. */
    change(isChanged: (index: number) => boolean) {
      listed = listed.map((one, index) => (isChanged(index) ? read(index) : one));
    },
  };
};
