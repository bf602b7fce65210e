import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { SpikeSettings } from '../../../src/catalogue/spikes.ts';
import type { Json } from '../../../src/crosswalk/json.ts';
import { assembleGateway, type Gateway } from '../../../src/gateway.ts';
import type { CatalogueSource, Clock, HistorySource, KeySource, Log } from '../../../src/ports.ts';
import { fixedClock } from '../../../src/runtime/clock.ts';
import { readConfig, version } from '../../../src/runtime/config.ts';
import { formatPosition } from '../../stores/documents/document-file.ts';
import { createCatalogueReaders, createEmbeddedCatalogue } from '../../stores/embedded/catalogue.ts';
import { createEmbeddedQuotas } from '../../stores/embedded/quota.ts';
import { newestDay } from '../../stores/embedded/rebase-dates.ts';
import type { StoredDocuments } from '../checks/stored-documents.ts';

/** A catalogue folder: its documents as they are in the files, and the store that serves them. */
export interface CatalogueFolder extends StoredDocuments {
  readonly source: CatalogueSource & HistorySource;
  /** Noon of the newest day in it, epoch milliseconds; `NaN` when there is no day. */
  readonly newest: number;
  /** Number of invalid documents, which are left out. */
  readonly leftOut: number;
}

/** Reads and parses a catalogue folder once. Leaves out the documents that the store leaves out. */
export const readCatalogueFolder = async (folder: string): Promise<CatalogueFolder> => {
  const readers = createCatalogueReaders(folder);
  // The clock bounds the age of the points that spikes are found in: with 0, all points.
  const source = createEmbeddedCatalogue({ folder, readers, clock: fixedClock(0), rebaseToToday: false });
  const { faults } = await source.load();
  const leftOut = faults.filter(({ event }) => event === 'document left out');
  const leftOutNames = new Set(leftOut.map(({ document }) => document));
  const readDocuments = async (read: typeof readers.artists): Promise<Json[]> => {
    const { documents } = await read();
    // The values come from JSON.parse, which returns nothing but JSON.
    return documents
      .filter(({ position }) => leftOutNames.size === 0 || !leftOutNames.has(formatPosition(position())))
      .map(({ value }) => value as Json);
  };
  const [artists, series] = [await readDocuments(readers.artists), await readDocuments(readers.series)];
  const newest = Date.parse(`${newestDay([artists, series])}T12:00:00Z`);
  return { source, artists, series, newest, leftOut: leftOut.length };
};

const noLog: Log = { info: () => {}, warn: () => {}, error: () => {} };

export interface EmbeddedParts {
  readonly source: CatalogueSource & HistorySource;
  readonly keySource: KeySource;
  readonly clock: Clock;
  readonly spikes: SpikeSettings;
}

/** Assembles a gateway with embedded stores and loads its keys and its catalogue. */
export const openGateway = async ({ source, keySource, clock, spikes }: EmbeddedParts): Promise<Gateway> => {
  const gateway = assembleGateway({
    catalogue: source,
    histories: source,
    keys: keySource,
    quotas: createEmbeddedQuotas(clock),
    clock,
    log: noLog,
    settings: { ...readConfig({}), spikes, maxStalenessMs: Number.POSITIVE_INFINITY, storeTimeoutMs: 10_000 },
    version,
  });
  await Promise.all([gateway.keys.refresh(), gateway.catalogue.refresh()]);
  return gateway;
};

export interface LoopbackServer {
  readonly url: URL;
  close(): Promise<void>;
}

/** Listens on a free loopback port. */
export const listenOnLoopback = async (listener: RequestListener): Promise<LoopbackServer> => {
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
