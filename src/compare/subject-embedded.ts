import type { RequestListener } from 'node:http';
import { createEmbeddedCatalogue } from '../../adapters/embedded/catalogue.ts';
import type { Gateway } from '../../adapters/http.ts';
import { createApp } from '../app.ts';
import { fixedClock } from '../clock.ts';
import { dayOf } from '../day.ts';
import { keyKinds } from './cases.ts';
import { createClient } from './client.ts';
import type { Knowledge } from './comparison.ts';
import { listenOnLoopback, openGateway, readCatalogueFolder } from './embedded.ts';
import { createGround } from './grounding.ts';
import { createIdentities } from './identities.ts';
import { makeUpKeys, partner, pinnedFormOf, scopesOf } from './made-up-keys.ts';
import { createMemory } from './memory.ts';
import type { OpenSubject } from './open-subject.ts';
import { readStored, type Stored } from './stored.ts';

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
  identities: createIdentities(stored.known),
  ground: createGround(stored),
});

/** The gateway in this process over a folder, both forms of it, with a clock that stands. */
export const openEmbeddedSubject = async (options: EmbeddedOptions): Promise<OpenSubject> => {
  const { folder, listener = (gateway) => createApp(gateway, () => undefined).callback() } = options;
  const documents = await readCatalogueFolder(folder);
  const now = options.now ?? documents.newest;
  if (Number.isNaN(now)) throw new Error(`${folder}: no day is in the catalogue: say with --now when it is.`);
  const clock = fixedClock(now);
  const keys = makeUpKeys();
  const source = createEmbeddedCatalogue({ folder, clock, endsToday: false });
  const listening = await listenOnLoopback(listener(await openGateway(source, keys.source, clock)));
  const client = createClient(listening.url, {
    textOf: keys.textOf,
    choosesForm: (_form, kind) => kind === 'override',
  });
  const stored = readStored(documents);
  return {
    subject: {
      ask: client.ask,
      memory: createMemory(client.ask),
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
