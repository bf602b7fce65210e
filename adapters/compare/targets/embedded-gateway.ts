import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createDisclosure } from '../../../src/catalogue/disclosure.ts';
import { createCatalogueLoader } from '../../../src/catalogue/loader.ts';
import { createSpikeFinder } from '../../../src/catalogue/spikes.ts';
import type { Json } from '../../../src/crosswalk/json.ts';
import { buildKeyDirectory } from '../../../src/keys/authenticate.ts';
import type { CatalogueSource, Clock, HistorySource, KeySource, Log } from '../../../src/ports.ts';
import { fixedClock } from '../../../src/runtime/clock.ts';
import { version } from '../../../src/runtime/config.ts';
import { createFollower } from '../../../src/runtime/follower.ts';
import type { Gateway } from '../../http/pipeline.ts';
import { createEmbeddedCatalogue } from '../../stores/embedded/catalogue.ts';
import { createFileReader } from '../../stores/embedded/files.ts';
import { createEmbeddedQuotas } from '../../stores/embedded/quota.ts';
import { newestDay } from '../../stores/embedded/rebase-dates.ts';
import type { StoredDocuments } from '../checks/stored-documents.ts';

/** The documents of a catalogue folder, as they stand in its files. */
export interface CatalogueFolder extends StoredDocuments {
  /** Noon of the newest day in it, epoch milliseconds. */
  readonly newest: number;
  /** How many documents cannot be used and are left out. */
  readonly leftOut: number;
}

const readJson = async (folder: string, collection: string, optional: boolean, rejected: ReadonlySet<string>) => {
  const { documents } = await createFileReader(folder, collection, { optional })();
  const kept = documents.filter(({ place }) => !rejected.has(place));
  // The values come from JSON.parse, which gives nothing but JSON.
  return kept.map(({ value }) => value as Json);
};

const noLog: Log = { info: () => {}, warn: () => {}, error: () => {} };

/** Reads the documents that stores use: those that cannot be used are left out, as they are there. */
export const readCatalogueFolder = async (folder: string): Promise<CatalogueFolder> => {
  const source = createEmbeddedCatalogue({ folder, clock: fixedClock(0), endsToday: false });
  const { rejected } = await source.load();
  const places = new Set(rejected.map(({ document }) => document));
  const artists = await readJson(folder, 'artists', false, places);
  const series = await readJson(folder, 'history', true, places);
  return { artists, series, newest: Date.parse(`${newestDay([artists, series])}T12:00:00Z`), leftOut: rejected.length };
};

/** A gateway over a folder or another source, with keys of its own and a clock that stands. */
export const openGateway = async (
  source: CatalogueSource & HistorySource,
  keySource: KeySource,
  clock: Clock,
): Promise<Gateway> => {
  const following = { intervalMs: 60_000, maxStalenessMs: Number.POSITIVE_INFINITY, clock, log: noLog };
  const keys = createFollower({
    ...following,
    name: 'keys',
    load: async () => buildKeyDirectory(await keySource.load()),
  });
  const parts = {
    histories: source,
    disclosure: createDisclosure(),
    spikes: createSpikeFinder({ floor: 1000, thresholdPercent: 20 }),
  };
  const catalogue = createFollower({
    ...following,
    name: 'catalogue',
    load: createCatalogueLoader(source, parts, noLog),
  });
  await Promise.all([keys.refresh(), catalogue.refresh()]);
  return {
    clock,
    log: noLog,
    keys,
    catalogue,
    quotas: createEmbeddedQuotas(clock),
    storeTimeoutMs: 10_000,
    bodyCacheBytes: 96 * 1024 * 1024,
    version,
  };
};

export interface Listening {
  readonly url: URL;
  close(): Promise<void>;
}

/** Listens on a free loopback port. */
export const listenOnLoopback = async (listener: RequestListener): Promise<Listening> => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
