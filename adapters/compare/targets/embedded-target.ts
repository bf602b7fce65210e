import type { RequestListener } from 'node:http';
import { dayOf } from '../../../src/domain/day.ts';
import type { Gateway } from '../../../src/gateway.ts';
import { fixedClock } from '../../../src/runtime/clock.ts';
import { forms } from '../../forms/forms.ts';
import { createApp } from '../../http/app.ts';
import { createEmbeddedCatalogue } from '../../stores/embedded/catalogue.ts';
import { keyKinds } from '../cases/cases.ts';
import type { Knowledge } from '../checks/comparison.ts';
import { createStoredDataCheck } from '../checks/stored-data-check.ts';
import { readStored, type Stored } from '../checks/stored-documents.ts';
import { createClient } from './client.ts';
import { listenOnLoopback, openGateway, readCatalogueFolder } from './embedded-gateway.ts';
import { createEphemeralKeys, partner, pinnedFormOf, scopesOf } from './ephemeral-keys.ts';
import { createIdPairs } from './id-pairs.ts';
import { createResponseCache } from './response-cache.ts';
import type { OpenTarget } from './target.ts';

export interface EmbeddedOptions {
  readonly folder: string;
  /** Epoch milliseconds; by default noon of the newest day in the folder. */
  readonly now?: number | undefined;
  /** How requests are answered: by the application, unless a test brings something else. */
  readonly listener?: (gateway: Gateway) => RequestListener;
}

/** How many artists are asked for one by one. */
const samples = 12;

/** All is known here: the keys are made up, and the documents are at hand. */
const knowledgeOf = (stored: Stored): Knowledge => ({
  clockStands: true,
  allowsProxy: false,
  sees: (_form, kind) => {
    const scopes = scopesOf(kind);
    return (scope) => scopes.has(scope);
  },
  keyFacts: (form, kind) => ({ pinned: pinnedFormOf(kind, form), deprecated: kind === 'sunset' }),
  partner,
  identities: createIdPairs(stored.known),
  ground: createStoredDataCheck(stored),
});

/** The gateway in this process over a folder, both forms of it, with a clock that stands. */
export const openEmbeddedTarget = async (options: EmbeddedOptions): Promise<OpenTarget> => {
  const { folder, listener = (gateway) => createApp(gateway, forms, () => undefined).callback() } = options;
  const documents = await readCatalogueFolder(folder);
  const now = options.now ?? documents.newest;
  if (Number.isNaN(now)) throw new Error(`${folder}: no day is in the catalogue: say with --now when it is.`);
  const clock = fixedClock(now);
  const keys = createEphemeralKeys();
  const source = createEmbeddedCatalogue({ folder, clock, rebaseToToday: false });
  const listening = await listenOnLoopback(listener(await openGateway(source, keys.source, clock)));
  const client = createClient(listening.url, {
    textOf: keys.textOf,
    choosesForm: (_form, kind) => kind === 'override',
  });
  const stored = readStored(documents);
  return {
    subject: {
      ask: client.ask,
      memory: createResponseCache(client.ask),
      today: dayOf(now),
      known: stored.known,
      keys: new Set(keyKinds),
      samples,
      changes: false,
      knowledge: knowledgeOf(stored),
    },
    name: folder,
    now: new Date(now).toISOString(),
    notes: documents.leftOut === 0 ? [] : [`${documents.leftOut} documents cannot be used and are left out.`],
    async close() {
      client.close();
      await listening.close();
    },
  };
};
