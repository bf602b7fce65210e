import type { SpikeSettings } from '../../../src/catalogue/movements.ts';
import { byForm, type ComparedForm } from '../../../src/crosswalk/forms.ts';
import { type Json, valueAt } from '../../../src/crosswalk/json.ts';
import type { Scope } from '../../../src/domain/caller.ts';

/** Members that show that a key has a scope. Without them the key may lack the scope, or there is nothing to show. */
const scopeEvidence: readonly (readonly [ComparedForm, Scope, string])[] = [
  ['current', 'editorial:read', 'editorial'],
  ['current', 'signing-notes:read', 'signing.note'],
  ['variant', 'editorial:read', 'scouting_report'],
];

type SeenScopes = Readonly<Record<ComparedForm, ReadonlySet<Scope>>>;

export const seenScopes = (items: Readonly<Record<ComparedForm, readonly Json[]>>): SeenScopes =>
  byForm((form) => {
    const seen = scopeEvidence.filter(
      ([one, , member]) => one === form && items[form].some((item) => valueAt(item, member) !== undefined),
    );
    return new Set(seen.map(([, scope]) => scope));
  });

export const notesOn = (seen: SeenScopes): string[] =>
  scopeEvidence
    .filter(([form, scope]) => !seen[form].has(scope))
    .map(
      ([form, scope, member]) =>
        `${member} was not seen in the ${form} form: its key may lack ${scope}, or nobody has one.`,
    );

export const noteOnSpikes = ({ floor, thresholdPercent }: SpikeSettings): string =>
  `Spikes are judged by SPIKE_FLOOR=${floor} and SPIKE_THRESHOLD_PERCENT=${thresholdPercent}: set both as the gateway has them.`;
