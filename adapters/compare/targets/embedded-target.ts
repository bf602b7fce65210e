import type { RequestListener } from 'node:http';
import type { SpikeSettings } from '../../../src/catalogue/spikes.ts';
import { dayOf } from '../../../src/domain/day.ts';
import type { Gateway } from '../../../src/gateway.ts';
import { fixedClock } from '../../../src/runtime/clock.ts';
import { forms } from '../../forms/forms.ts';
import { createApp } from '../../http/app.ts';
import { keyKinds } from '../cases/cases.ts';
import type { ComparisonKnowledge } from '../checks/comparison.ts';
import { createIdPairs } from '../checks/pairing.ts';
import { readStoredCatalogue, type StoredCatalogue } from '../checks/stored-documents.ts';
import { createClient, createResponseCache } from './client.ts';
import { listenOnLoopback, openGateway, readCatalogueFolder } from './embedded-gateway.ts';
import { comparisonPartner, createEphemeralKeys, pinnedFormOf, scopesOf } from './ephemeral-keys.ts';
import type { OpenTarget } from './target.ts';

export interface EmbeddedOptions {
  readonly folder: string;
  /** Epoch milliseconds; by default noon of the newest day in the folder. */
  readonly now?: number | undefined;
  readonly spikes: SpikeSettings;
  /** The request listener: the application, unless a test replaces it. */
  readonly listener?: (gateway: Gateway) => RequestListener;
}

const maxArtists = 12;

/** All facts are known: the keys are created for the run, and the documents are in memory. */
const knowledgeOf = (stored: StoredCatalogue): ComparisonKnowledge => ({
  hasFixedClock: true,
  headers: {
    keyFacts: (form, kind) => ({ pinned: pinnedFormOf(kind, form), deprecated: kind === 'sunset' }),
    allowsProxy: false,
  },
  hasScope: (_form, kind) => {
    const scopes = scopesOf(kind);
    return (scope) => scopes.has(scope);
  },
  partner: comparisonPartner,
  idPairs: createIdPairs(stored.knownArtists),
  stored,
});

/** A gateway in this process that serves a catalogue folder, with a fixed clock. Rejects when the folder contains no day. */
export const openEmbeddedTarget = async (options: EmbeddedOptions): Promise<OpenTarget> => {
  const { folder, spikes, listener = (gateway) => createApp(gateway, forms, () => undefined).callback() } = options;
  const catalogue = await readCatalogueFolder(folder);
  const now = options.now ?? catalogue.newest;
  if (Number.isNaN(now)) throw new Error(`${folder}: the catalogue contains no day. Give the time with --now.`);
  const keys = createEphemeralKeys();
  const gateway = await openGateway({
    source: catalogue.source,
    keySource: keys.source,
    clock: fixedClock(now),
    spikes,
  });
  const server = await listenOnLoopback(listener(gateway));
  const client = createClient(server.url, { textOf: keys.textOf, choosesForm: (_form, kind) => kind === 'override' });
  const stored = readStoredCatalogue(catalogue);
  return {
    target: {
      send: client.send,
      cache: createResponseCache(client.send),
      today: dayOf(now),
      knownArtists: stored.knownArtists,
      keyKinds,
      maxArtists,
      dataMayChange: false,
      knowledge: knowledgeOf(stored),
    },
    name: folder,
    now: new Date(now).toISOString(),
    notes: catalogue.leftOut === 0 ? [] : [`${catalogue.leftOut} documents cannot be used and are left out.`],
    async close() {
      client.close();
      await server.close();
    },
  };
};
