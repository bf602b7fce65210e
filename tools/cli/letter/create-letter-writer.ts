import { forms } from '../../../adapters/forms/forms.ts';
import { readGatewaySettings } from '../../../adapters/stores/databases.ts';
import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import { createDisclosure } from '../../../src/catalogue/disclosure.ts';
import { createCatalogueLoader } from '../../../src/catalogue/loader.ts';
import { createSpikeFinder } from '../../../src/catalogue/spikes.ts';
import type { KeyRecord } from '../../../src/domain/caller.ts';
import { dayOf } from '../../../src/domain/day.ts';
import { factsOfForm } from '../../../src/domain/form-facts.ts';
import type { CatalogueSource } from '../../../src/ports.ts';
import type { Config } from '../../../src/runtime/config.ts';
import { noLog } from '../../../src/runtime/no-log.ts';
import { requestedMove } from '../../migration/evidence.ts';
import type { KeyReport } from '../../migration/key-report.ts';
import type { MigrationReadiness } from '../../migration/readiness.ts';
import type { Context } from '../context.ts';
import { note } from '../terminal/messages.ts';
import { writeLetter } from './letter.ts';
import { findSample, measureCall } from './measure-calls.ts';

/** The catalogue as a gateway answers from it; a letter asks for no history. */
const loadCatalogue = (source: CatalogueSource, spikes: Config['spikes']): Promise<Catalogue> =>
  createCatalogueLoader(
    source,
    {
      histories: { read: () => Promise.reject(new Error('A letter has no history.')) },
      disclosure: createDisclosure(),
      spikes: createSpikeFinder(spikes),
    },
    noLog,
  ).load(undefined);

/** What letters to all keys have in common. */
interface LetterSettings {
  readonly catalogue: Catalogue;
  /** Epoch milliseconds, by the gateway's clock. */
  readonly now: number;
  readonly baseUrl: string;
  readonly supportContact: string | undefined;
}

/** Asks both forms for the calls of a key, and writes its letter. */
export const writeLetterTo = async (
  key: KeyRecord,
  report: KeyReport,
  { quota, days }: MigrationReadiness,
  { catalogue, now, baseUrl, supportContact }: LetterSettings,
): Promise<string> => {
  const viewer = { scopes: new Set(key.scopes), today: dayOf(now) };
  const { listed } = catalogue.snapshot;
  const { artistIdentifier: given } = factsOfForm(forms, requestedMove.from);
  const { artistIdentifier: taken } = factsOfForm(forms, requestedMove.to);
  const calls = [];
  for (const call of report.calls) {
    const sample = await findSample(call, catalogue, viewer);
    const found = listed.find(({ artist }) => artist[given] === sample) ?? listed[0];
    const identifier = (name: typeof given): string =>
      encodeURIComponent(found?.artist[name] ?? 'example');
    const pair = { fromId: identifier(given), toId: identifier(taken) };
    calls.push(await measureCall(call, pair, catalogue, viewer));
  }
  const facts = { key, report, quota, days, calls, artists: listed.length };
  return writeLetter({ ...facts, baseUrl, supportContact });
};

/** Stands for the address of the gateway: no host has this name (RFC 2606). */
const noAddress = 'https://your-gateway.invalid';

/**
 * Loads what letters have in common, and returns a function that writes the one of a key from its
 * report.
 */
export const createLetterWriter = async ({ database, now }: Pick<Context, 'database' | 'now'>) => {
  const { publicUrl, supportContact, spikes } = readGatewaySettings();
  if (publicUrl === undefined)
    note(`PUBLIC_URL is not set: the letter has ${noAddress} instead of your address.`);
  const catalogue = await loadCatalogue(database.catalogue, spikes);
  const baseUrl = publicUrl ?? noAddress;
  return (key: KeyRecord, report: KeyReport, readiness: MigrationReadiness): Promise<string> =>
    writeLetterTo(key, report, readiness, { catalogue, now: now(), baseUrl, supportContact });
};
