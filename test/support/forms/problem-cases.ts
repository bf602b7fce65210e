import type { ComparedForm } from '../../../src/crosswalk/forms.ts';
import type { Scope } from '../../../src/domain/caller.ts';
import type { CatalogueSource, HistorySource, KeySource, QuotaStore } from '../../../src/ports.ts';
import { createTestGateway, type TestGateway } from '../gateway.ts';
import type { ErrorName } from './form-expectations.ts';
import { keys, unissuedKey } from './form-keys.ts';

/** A situation in which every route that needs a key answers the same error. */
export interface ProblemCase {
  readonly name: string;
  readonly open: () => Promise<TestGateway>;
  /** The text of the key that a request in this form for this scope sends. */
  readonly key: (form: ComparedForm, scope: Scope) => string | undefined;
  readonly error: ErrorName;
  /** The form of the answer, when the gateway cannot know the key's own. */
  readonly served?: ComparedForm;
}

const failToAnswer = async (): Promise<never> => {
  throw new Error('store is down');
};

export const deadQuotas: QuotaStore = { consume: failToAnswer, refund: failToAnswer, read: failToAnswer };
export const deadKeys: KeySource = { load: failToAnswer };
export const deadCatalogue: CatalogueSource & HistorySource = { load: failToAnswer, read: failToAnswer };

const openDefault = (): Promise<TestGateway> => createTestGateway();

/** Opens a gateway whose sources are this old (milliseconds), but for the one that is refreshed. */
const openAfter = async (milliseconds: number, refreshed: 'keys' | 'catalogue'): Promise<TestGateway> => {
  const opened = await openDefault();
  opened.clock.advance(milliseconds);
  await opened.gateway[refreshed].refresh();
  return opened;
};

const full = (form: ComparedForm): string => keys[form].full.text;

const keyWithout = (form: ComparedForm, scope: Scope): string => {
  if (scope === 'spikes:read') return keys[form].noSpikes.text;
  return scope === 'signings:read' ? keys[form].noSignings.text : keys[form].noArtists.text;
};

export const problemCases: readonly ProblemCase[] = [
  { name: 'no key', open: openDefault, key: () => undefined, error: 'unauthorized', served: 'current' },
  { name: 'a bad key', open: openDefault, key: () => 'aik_bad', error: 'unauthorized', served: 'current' },
  {
    name: 'an unknown key',
    open: openDefault,
    key: () => unissuedKey,
    error: 'unauthorized',
    served: 'current',
  },
  { name: 'a revoked key', open: openDefault, key: (form) => keys[form].revoked.text, error: 'unauthorized' },
  { name: 'an expired key', open: openDefault, key: (form) => keys[form].expired.text, error: 'unauthorized' },
  {
    name: 'a key of a suspended organization',
    open: openDefault,
    key: (form) => keys[form].suspended.text,
    error: 'unauthorized',
  },
  { name: 'a key without the scope', open: openDefault, key: keyWithout, error: 'scope' },
  {
    name: 'a quota store that fails',
    open: () => createTestGateway({ quotas: deadQuotas }),
    key: full,
    error: 'unavailable',
  },
  {
    name: 'a catalogue that was never loaded',
    open: () => createTestGateway({ source: deadCatalogue }),
    key: full,
    error: 'unavailable',
  },
  { name: 'a catalogue that is too old', open: () => openAfter(900_001, 'keys'), key: full, error: 'unavailable' },
  {
    name: 'keys that were never loaded',
    open: () => createTestGateway({ keys: deadKeys }),
    key: full,
    error: 'unavailable',
    served: 'current',
  },
  { name: 'keys that are too old', open: () => openAfter(300_001, 'catalogue'), key: full, error: 'unavailable' },
];
