import { forms } from '../../../adapters/forms/forms.ts';
import type { KeyRecord } from '../../../src/domain/caller.ts';
import { factsOfForm } from '../../../src/domain/form-facts.ts';
import type { ArtistIdentifiers } from '../../../src/domain/model.ts';
import type { UsageCount } from '../../../src/domain/usage.ts';
import { requestedMove as move } from '../../migration/evidence.ts';
import { exampleCalls } from '../../migration/example-calls.ts';
import type { KeyReport } from '../../migration/key-report.ts';
import type { MigrationReadiness } from '../../migration/readiness.ts';
import type { Context } from '../context.ts';
import { gatewaySettings } from '../settings.ts';
import { note } from '../terminal/messages.ts';
import { writeLetter } from './letter.ts';

/**
 * Loads what letters have in common, and returns a function that writes the one of a key from its
 * report and its counts.
 */
export const createLetterWriter = async ({ identifiers }: Pick<Context, 'identifiers'>) => {
  const { publicUrl, supportContact } = gatewaySettings();
  if (publicUrl === undefined)
    note('PUBLIC_URL is not set: the letter has https://api.example.org instead of your address.');
  let sample: ArtistIdentifiers | undefined;
  for await (sample of identifiers.readAll()) if (sample !== undefined) break;
  return (
    key: KeyRecord,
    report: KeyReport,
    { quota, days }: MigrationReadiness,
    counts: readonly UsageCount[],
  ): string => {
    const calls = exampleCalls({
      counts: counts.filter(({ keyId, form }) => keyId === key.id && form === move.from),
      move,
      sample,
      identifierOf: (form) => factsOfForm(forms, form).artistIdentifier,
    });
    const baseUrl = publicUrl ?? 'https://api.example.org';
    return writeLetter({ key, report, quota, days, calls, baseUrl, supportContact });
  };
};
