import type { FormName, Scope } from '../../../src/domain/caller.ts';
import type { CatalogueSource, HistorySource, KeySource, QuotaStore } from '../../../src/ports.ts';
import { createTestGateway, type TestGateway } from '../gateway.ts';
import type { RefusalName } from './expected-errors.ts';
import { keySource, keys, strangersKey } from './form-keys.ts';

/** A state of the world in which every question that needs a key is refused, the same way on every route. */
export interface ProblemCase {
  readonly name: string;
  readonly open: () => Promise<TestGateway>;
  /** The text of the key that asks in a form for something that needs this scope. */
  readonly key: (form: FormName, scope: Scope) => string | undefined;
  readonly refusal: RefusalName;
  /** Set when there is no telling whose key it is, and with it in which form to answer. */
  readonly served?: FormName;
}

const down = async (): Promise<never> => {
  throw new Error('store is down');
};

export const deadQuotas: QuotaStore = { consume: down, refund: down, read: down };
export const deadKeys: KeySource = { load: down };
export const deadCatalogue: CatalogueSource & HistorySource = { load: down, read: down };

const openDefault = (): Promise<TestGateway> => createTestGateway({ keys: keySource });

/** Both are allowed to be old for a while; afterwards only what was refreshed is fresh. */
const openAfter = async (milliseconds: number, refreshed: 'keys' | 'catalogue'): Promise<TestGateway> => {
  const opened = await openDefault();
  opened.clock.advance(milliseconds);
  await opened.gateway[refreshed].refresh();
  return opened;
};

const full = (form: FormName): string => keys[form].full.text;

const keyWithout = (form: FormName, scope: Scope): string => {
  if (scope === 'spikes:read') return keys[form].noSpikes.text;
  return scope === 'signings:read' ? keys[form].noSignings.text : keys[form].noArtists.text;
};

export const problemCases: readonly ProblemCase[] = [
  { name: 'no key', open: openDefault, key: () => undefined, refusal: 'unauthorized', served: 'current' },
  { name: 'a bad key', open: openDefault, key: () => 'aik_bad', refusal: 'unauthorized', served: 'current' },
  {
    name: 'a key nobody issued',
    open: openDefault,
    key: () => strangersKey,
    refusal: 'unauthorized',
    served: 'current',
  },
  { name: 'a revoked key', open: openDefault, key: (form) => keys[form].revoked.text, refusal: 'unauthorized' },
  { name: 'an expired key', open: openDefault, key: (form) => keys[form].expired.text, refusal: 'unauthorized' },
  {
    name: 'a key of a suspended organization',
    open: openDefault,
    key: (form) => keys[form].suspended.text,
    refusal: 'unauthorized',
  },
  { name: 'a key without the scope', open: openDefault, key: keyWithout, refusal: 'scope' },
  {
    name: 'a quota store that fails',
    open: () => createTestGateway({ keys: keySource, quotas: deadQuotas }),
    key: full,
    refusal: 'unavailable',
  },
  {
    name: 'a catalogue that was never loaded',
    open: () => createTestGateway({ keys: keySource, source: deadCatalogue }),
    key: full,
    refusal: 'unavailable',
  },
  { name: 'a catalogue that is too old', open: () => openAfter(900_001, 'keys'), key: full, refusal: 'unavailable' },
  {
    name: 'keys that were never loaded',
    open: () => createTestGateway({ keys: deadKeys }),
    key: full,
    refusal: 'unavailable',
    served: 'current',
  },
  { name: 'keys that are too old', open: () => openAfter(300_001, 'catalogue'), key: full, refusal: 'unavailable' },
];
