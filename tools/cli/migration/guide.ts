import { forms } from '../../../adapters/forms/forms.ts';
import { withUsableUrls } from '../../../adapters/stores/load-stores.ts';
import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import { createCatalogueLoader } from '../../../src/catalogue/loader.ts';
import { createRedaction } from '../../../src/catalogue/redaction.ts';
import { createSpikeFinder } from '../../../src/catalogue/spikes.ts';
import type { KeyRecord } from '../../../src/domain/caller.ts';
import { dayOf } from '../../../src/domain/day.ts';
import { factsOfForm } from '../../../src/domain/form-facts.ts';
import { inactiveReason } from '../../../src/keys/key-policy.ts';
import type { CatalogueSource } from '../../../src/ports.ts';
import { type Config, readConfig } from '../../../src/runtime/config.ts';
import { noLog } from '../../../src/runtime/no-log.ts';
import type { MoveAssessment } from '../../migration/assess.ts';
import { requestedMove } from '../../migration/evidence.ts';
import type { KeyReport } from '../../migration/key-report.ts';
import { type DefineCommand, example } from '../command.ts';
import { withContext } from '../context.ts';
import { readUsageDays } from '../option-parsers.ts';
import { keyArgument } from '../shared-options.ts';
import { note } from '../terminal/messages.ts';
import { guideHtml } from './guide-html.ts';
import { findSample, measureCall } from './measure-calls.ts';
import { loadMove } from './report.ts';
import { writeGuide } from './write-guide.ts';

const loadCatalogue = (source: CatalogueSource, spikes: Config['spikes']): Promise<Catalogue> =>
  createCatalogueLoader(
    source,
    {
      histories: { read: () => Promise.reject(new Error('A guide has no history.')) },
      redaction: createRedaction(),
      spikes: createSpikeFinder(spikes),
    },
    noLog,
  ).load(undefined);

interface GuideSettings {
  readonly catalogue: Catalogue;
  /** Epoch milliseconds, by the gateway's clock. */
  readonly now: number;
  readonly baseUrl: string;
  readonly supportContact: string | undefined;
}

export const writeGuideOf = async (
  key: KeyRecord,
  report: KeyReport,
  { quota, days }: MoveAssessment,
  { catalogue, now, baseUrl, supportContact }: GuideSettings,
): Promise<string> => {
  const viewer = { scopes: new Set(key.scopes), today: dayOf(now) };
  const { listed } = catalogue.snapshot;
  const { artistIdentifier: own } = factsOfForm(forms, requestedMove.from);
  const { artistIdentifier: other } = factsOfForm(forms, requestedMove.to);
  const calls = [];
  for (const call of report.calls) {
    const sample = await findSample(call, catalogue, viewer);
    const found = listed.find(({ artist }) => artist[own] === sample) ?? listed[0];
    const identifier = (name: typeof own): string =>
      encodeURIComponent(found?.artist[name] ?? 'example');
    const pair = { fromId: identifier(own), toId: identifier(other) };
    calls.push(await measureCall(call, pair, catalogue, viewer));
  }
  const facts = { key, report, quota, days, calls, artists: listed.length };
  return writeGuide({ ...facts, baseUrl, supportContact });
};

/** Stands for the address of the gateway: no host has this name (RFC 2606). */
const noAddress = 'https://your-gateway.invalid';

const guideError = (key: KeyRecord, now: number): string | undefined => {
  const has = `Key ${key.id} has the ${key.form} form already`;
  const reason = inactiveReason(key, now) ?? (key.form === requestedMove.to ? has : undefined);
  const successor = key.replacedBy === undefined ? '' : ` Key ${key.replacedBy} replaces it.`;
  return reason && `${reason}: there is no guide to write.${successor}`;
};

export const guideCommand: DefineCommand = (command) =>
  command
    .argument(...keyArgument)
    .option('--days <count>', 'UTC days of usage to use, including today', readUsageDays, 30)
    .option('--html', 'print one HTML page')
    .description('write the migration guide for the partner of a key, in Markdown')
    .addHelpText(...example('artist-gateway migration guide 3fK9sQ2xA > acme-radio.md'))
    .action((id, { days, html }) =>
      withContext(async (context) => {
        const registry = await context.loadRegistry();
        const key = registry.key(id);
        const now = context.usageNow();
        const refusal = guideError(key, now);
        if (refusal !== undefined) throw new Error(refusal);
        const organization = registry.organization(key.organizationId);
        const move = await loadMove(context, { organization, keys: [key], days, now });
        const { publicUrl, supportContact, spikes } = withUsableUrls(readConfig());
        if (publicUrl === undefined)
          note(`PUBLIC_URL is not set: the guide has ${noAddress} instead of your address.`);
        const settings = {
          catalogue: await loadCatalogue(context.database.catalogue, spikes),
          now: context.now(),
          baseUrl: publicUrl ?? noAddress,
          supportContact,
        };
        for (const report of move.keys) {
          const text = await writeGuideOf(key, report, move, settings);
          process.stdout.write(html ? guideHtml(text, `For ${key.partner}`) : text);
        }
      }),
    );
