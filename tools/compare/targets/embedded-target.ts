import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { PathError } from '../../../adapters/files/own-file.ts';
import { forms } from '../../../adapters/forms/forms.ts';
import { createApp } from '../../../adapters/http/app.ts';
import { formatPosition } from '../../../adapters/stores/documents/document-file.ts';
import {
  createCatalogueReaders,
  createEmbeddedCatalogue,
} from '../../../adapters/stores/embedded/catalogue.ts';
import { createEmbeddedQuotas } from '../../../adapters/stores/embedded/quotas.ts';
import { newestDay } from '../../../adapters/stores/embedded/rebase-dates.ts';
import type { SpikeSettings } from '../../../src/catalogue/movements.ts';
import type { Json } from '../../../src/domain/json.ts';
import { assembleGateway, type Gateway } from '../../../src/gateway.ts';
import type { CatalogueSource, Clock, HistorySource, KeySource } from '../../../src/ports.ts';
import { fixedClock } from '../../../src/runtime/clock.ts';
import { readConfig, version } from '../../../src/runtime/config.ts';
import { noLog } from '../../../src/runtime/no-log.ts';
import { StoreError } from '../../../src/runtime/store-error.ts';
import { otherForm } from '../../migration/mapping/forms.ts';
import { createLabelSearch } from '../checks/expected-labels.ts';
import type { IdPairs } from '../checks/pairing.ts';
import { readStoredCatalogue } from '../checks/stored-documents.ts';
import { createClient, createResponseCache } from './client.ts';
import { comparisonPartner, createEphemeralKeys } from './ephemeral-keys.ts';
import type { ComparisonTarget } from './target.ts';

export interface EmbeddedOptions {
  readonly folder: string;
  /** Epoch milliseconds; by default noon of the newest day in the folder. */
  readonly now?: number | undefined;
  readonly spikes: SpikeSettings;
  /** The request listener: the application, unless a test replaces it. */
  readonly listener?: (gateway: Gateway) => RequestListener;
}

const maxArtists = 12;

/** Reads and parses a catalogue folder once. Leaves out the documents that the store leaves out. */
const readCatalogueFolder = async (folder: string) => {
  const readers = createCatalogueReaders(folder);
  // With a clock at 0, no point is too old for spikes.
  const source = createEmbeddedCatalogue({
    folder,
    readers,
    clock: fixedClock(0),
    rebaseToToday: false,
  });
  const { faults } = await source.load();
  const leftOut = new Set(
    faults
      .filter(({ event }) => event === 'invalid document ignored')
      .map(({ document }) => document),
  );
  const readDocuments = async (read: typeof readers.artists): Promise<Json[]> => {
    const { documents } = await read();
    // The values come from JSON.parse, which returns nothing but JSON.
    return documents
      .filter(({ position }) => !leftOut.has(formatPosition(position)))
      .map(({ value }) => value as Json);
  };
  const [artists, series] = [
    await readDocuments(readers.artists),
    await readDocuments(readers.series),
  ];
  const labels = await readDocuments(readers.labels);
  /** Noon of the newest day, epoch milliseconds; `NaN` when the folder contains no day. */
  const newest = Date.parse(`${newestDay([artists, series])}T12:00:00Z`);
  return { source, artists, series, labels, newest, leftOut: leftOut.size };
};

/** Assembles a gateway with embedded stores and loads its keys and its catalogue. */
const openGateway = async (
  source: CatalogueSource & HistorySource,
  keys: KeySource,
  clock: Clock,
  spikes: SpikeSettings,
): Promise<Gateway> => {
  const gateway = assembleGateway({
    catalogue: source,
    histories: source,
    keys,
    quotas: createEmbeddedQuotas(clock),
    clock,
    log: noLog,
    // Loaded once: neither copy goes stale.
    settings: {
      ...readConfig({}),
      spikes,
      maxStalenessMs: Number.POSITIVE_INFINITY,
      keysMaxStalenessMs: Number.POSITIVE_INFINITY,
      storeTimeoutMs: 10_000,
    },
    version,
  });
  await Promise.all([gateway.keys.refresh(), gateway.catalogue.refresh()]);
  return gateway;
};

/**
 * How long an idle connection stays open, milliseconds: client and server share an event loop that
 * checks block for seconds, and after Node's default of 5 s the server would close a connection
 * under the client's next request.
 */
const keepAliveTimeout = 3_600_000;

const listenOnLoopback = async (listener: RequestListener) => {
  const server = createServer({ keepAliveTimeout }, listener).listen(0, '127.0.0.1');
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

/** All facts are known: the keys are created for the run, and the documents are in memory. */
const knowledgeOf = (
  { find }: ReturnType<typeof createEphemeralKeys>,
  idPairs: IdPairs,
  now: number,
): ComparisonTarget['knowledge'] => ({
  now: new Date(now).toISOString(),
  headers: {
    keyFacts(form, kind) {
      const { choosesForm, record } = find(form, kind);
      const { deprecatedAt, expiresAt = 0 } = record ?? {};
      const pinned = choosesForm ? otherForm[form] : form;
      return { pinned, deprecated: deprecatedAt !== undefined, expires: expiresAt > now };
    },
    allowsProxy: false,
    clock: { at: () => now, skewMs: 0 },
  },
  hasScope: (form, kind) => (scope) => find(form, kind).record?.scopes.includes(scope) === true,
  partner: comparisonPartner,
  idPairs,
});

/**
 * A gateway in this process that serves a catalogue folder, with a fixed clock. Rejects with a
 * `PathError` when the folder cannot be read, or contains no day.
 */
export const openEmbeddedTarget = async (options: EmbeddedOptions): Promise<ComparisonTarget> => {
  const {
    folder,
    spikes,
    listener = (gateway) => createApp(gateway, forms, () => undefined).callback(),
  } = options;
  const catalogue = await readCatalogueFolder(folder).catch((cause: unknown) => {
    throw cause instanceof StoreError ? new PathError(cause.message, { cause }) : cause;
  });
  const now = options.now ?? catalogue.newest;
  if (Number.isNaN(now))
    throw new PathError(`${folder}: the catalogue contains no day. Give the time with FIXED_NOW.`);
  const keys = createEphemeralKeys();
  const gateway = await openGateway(catalogue.source, keys.source, fixedClock(now), spikes);
  const server = await listenOnLoopback(listener(gateway));
  const stored = readStoredCatalogue(catalogue);
  const findLabel = createLabelSearch(catalogue.labels);
  const cache = createResponseCache(createClient(server.url, keys.find));
  return {
    name: folder,
    now: new Date(now).toISOString(),
    notes:
      catalogue.leftOut === 0
        ? []
        : [`${catalogue.leftOut} documents cannot be used and are left out.`],
    ...cache,
    forgetReplies: cache.forget,
    knownArtists: stored.knownArtists,
    maxArtists,
    dataMayChange: false,
    knowledge: knowledgeOf(keys, stored.idPairs, now),
    readStored: async () => ({ artists: stored.artists, findLabel, spikes }),
    close: server.close,
  };
};
