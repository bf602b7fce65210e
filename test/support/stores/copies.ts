import { labelRules, parseArtist, parseSeries } from '../../../adapters/stores/documents/catalogue-documents.ts';
import { createCollectionReader } from '../../../adapters/stores/documents/collection-reader.ts';
import { createInterner } from '../../../adapters/stores/documents/intern.ts';
import { createKeyReader, type KeyCollections } from '../../../adapters/stores/documents/key-reader.ts';
import { mapParsed } from '../../../adapters/stores/documents/parse-result.ts';
import type { TrackedCatalogue, TrackedDocument } from '../../../adapters/stores/documents/tracked-document.ts';
import type { ResumableSource } from '../../../adapters/stores/state/kept-source.ts';
import type { DocumentFault } from '../../../src/domain/document-fault.ts';
import type { ListedArtist } from '../../../src/ports.ts';
import { runYielding } from '../../../src/runtime/cooperative.ts';
import { buildArtist } from '../builders.ts';
import { readFixtures } from '../documents.ts';
import { modelOf } from './stored-documents.ts';

const named = (documents: readonly Record<string, unknown>[]) =>
  documents.map((value) => ({ value, name: () => String(value['_id']) }));

const fault: DocumentFault = {
  event: 'member left out',
  collection: 'artists',
  document: 'doc',
  reason: 'photo_url: Invalid URL',
};

/** The example catalogue as a source tracks it, with a document of each kind that can occur. */
export const trackedFixtures = async (): Promise<TrackedCatalogue> => {
  const { artists, history, labels } = readFixtures();
  const intern = createInterner();
  const series = history.map((document) => modelOf(parseSeries(document)));
  const readable = artists.map((document): TrackedDocument => {
    const artist = modelOf(mapParsed(parseArtist(document), intern));
    const recent = series.filter(({ artistId, songId }) => artistId === artist.id && songId === undefined);
    const [key, revision] = [artist.documentId, artist.updatedAt];
    return { key, revision, listed: { artist, recent }, faults: [], keepsRecent: false };
  });
  const bare = {
    artist: buildArtist({ name: 'tab\t, \u2028 and \ud800 are texts' }),
    recent: [],
    content: 'photo_url',
  };
  const others: TrackedDocument[] = [
    { key: 'bare', revision: 'no date', listed: bare, faults: [fault], keepsRecent: true },
    { key: 'unreadable', revision: 'undefined', listed: undefined, faults: [fault], keepsRecent: false },
  ];
  return {
    artists: new Map([...readable, ...others].map((document) => [document.key, document])),
    labels: await runYielding(createCollectionReader(labelRules)(named(labels), true)),
    faults: [{ ...fault, collection: 'history', document: 'all' }],
    confirmations: new Map([['history', '1787000000000']]),
  };
};

const plain = ({ artist, recent, ...rest }: ListedArtist): ListedArtist => ({ artist, recent, ...rest });

/** A catalogue with the points of its artists decoded, to be compared. */
export const plainCatalogue = (catalogue: TrackedCatalogue): TrackedCatalogue => ({
  ...catalogue,
  artists: new Map(
    [...catalogue.artists].map(([key, { listed, ...rest }]) => [key, { ...rest, listed: listed && plain(listed) }]),
  ),
});

/** The example keys as a source reads them, with documents that cannot be read. */
export const keyFixtures = (formNames: readonly string[]): Promise<KeyCollections> => {
  const { api_keys, organizations } = readFixtures();
  const broken = { _id: 'broken1', hash: '0'.repeat(64), form: 'current', organization_id: 'org_qa', partner: 5 };
  const read = createKeyReader(formNames);
  return runYielding(read(named([...api_keys, broken]), named([...organizations, { _id: 'org_broken' }])));
};

export interface TestResumable extends ResumableSource<{ readonly number: number }, number> {
  /** Replaces the contents; `undefined`: loads fail. */
  answer(number: number | undefined): void;
  /** The state it resumed. */
  resumed(): number | undefined;
}

/** A source of a single number. */
export const createTestResumable = (): TestResumable => {
  let contents: { readonly number: number } | undefined = { number: 1 };
  let resumed: number | undefined;
  return {
    answer(number) {
      contents = number === undefined ? undefined : { number };
    },
    resumed: () => resumed,
    async load() {
      if (contents === undefined) throw new Error('away');
      return contents;
    },
    state: () => contents?.number ?? 0,
    resume(state, known) {
      resumed = state;
      if (contents?.number === known.number) contents = known;
    },
  };
};
