import { formNames, forms } from '../../../adapters/forms/forms.ts';
import type { FormName, KeyRecord } from '../../../src/domain/caller.ts';
import { type FormFacts, factsOfForm } from '../../../src/domain/form-facts.ts';
import { formatInstant } from '../../../src/domain/quantities.ts';
import { runningTrial } from '../../../src/keys/key-policy.ts';
import { pinError, pinWarnings, trialError } from '../../../src/keys/pinning.ts';
import { requestedMove } from '../../migration/evidence.ts';
import { type DefineCommand, example } from '../command.ts';
import { loadMove } from '../migration/report.ts';
import { readDuration } from '../option-parsers.ts';
import { formatWindows, policyOf, suspensionWarnings } from '../policy.ts';
import type { KeyRegistry } from '../resolve-subject.ts';
import { effectDelay } from '../settings.ts';
import { keyArgument, withChangeOptions } from '../shared-options.ts';
import { requireReason } from '../terminal/confirm.ts';
import { note, UsageError } from '../terminal/messages.ts';
import { changeKey, type KeyChange } from './change-key.ts';

/** Days of usage that a move is assessed by. */
const days = 30;

/** What a change of a key is planned on; `now` in epoch milliseconds. */
interface Plan {
  readonly key: KeyRecord;
  readonly now: number;
  readonly registry: KeyRegistry;
}

const newPolicy = (changed: KeyRecord, { registry, now }: Plan): readonly string[] => [
  `New limits: ${formatWindows(policyOf(changed, registry, now))}.`,
  ...suspensionWarnings(registry.ownerOf(changed)),
];

const planPin = (plan: Plan, facts: FormFacts): KeyChange => {
  const { key, now } = plan;
  const { name: form } = facts;
  const trial = runningTrial(key, now);
  if (key.form === form && trial === undefined) return { changed: key, done: [] };
  const changed = { ...key, form, trial: undefined };
  const moved =
    key.form === form
      ? `The trial of key ${key.id} has ended: gateways switch back to the ${form} form ${effectDelay()}.`
      : `Key ${key.id} moved to the ${form} form: gateways switch ${effectDelay()}.`;
  return { changed, done: [moved, ...newPolicy(changed, plan), ...pinWarnings(key, facts, now)] };
};

const planTrial = (plan: Plan, facts: FormFacts, lengthMs: number): KeyChange => {
  const { key, now } = plan;
  const { name: form } = facts;
  const refusal = trialError(key, facts, lengthMs);
  if (refusal !== undefined) throw new UsageError(refusal);
  const until = now + lengthMs;
  const changed = { ...key, trial: { form, until } };
  return {
    changed,
    done: [
      `Key ${key.id} is trying the ${form} form: gateways switch to it ${effectDelay()}, and back to the ${key.form} form at ${formatInstant(until)}.`,
      ...newPolicy(changed, plan),
      `To end it earlier: artist-gateway keys pin ${key.id} --back --reason TEXT`,
    ],
  };
};

const planBack = (plan: Plan): KeyChange => {
  const { key, now } = plan;
  if (runningTrial(key, now) === undefined)
    throw new Error(`Key ${key.id} is not in a trial: gateways answer in the ${key.form} form.`);
  return planPin(plan, factsOfForm(forms, key.form));
};

/** Options that do not fit together are refused before a store is opened. */
const checkOptions = (options: PinOptions): void => {
  if (options.form === undefined && !options.back)
    throw new UsageError('Give the form with --form FORM, or end a trial with --back.');
  requireReason(options);
};

interface PinOptions {
  readonly form?: FormName | undefined;
  readonly back?: boolean | undefined;
  readonly reason?: string | undefined;
}

export const pinCommand: DefineCommand = (command) =>
  withChangeOptions(
    command
      .argument(...keyArgument)
      .addOption(
        command.createOption('--form <form>', 'the form to move this key to').choices(formNames),
      )
      .option(
        '--for <duration>',
        'move it only for this long, 1 minute to 7 days (30m); then gateways move it back',
        readDuration,
      )
      .addOption(
        command.createOption('--back', 'end the trial of the key now').conflicts(['form', 'for']),
      ),
  )
    .description('move a key to another form, back, or for a limited time; its other settings stay')
    .addHelpText(
      ...example(
        'artist-gateway keys pin 3fK9sQ2xA --form current --for 30m --reason "trial, ticket 77"',
      ),
    )
    .action((id, options) => {
      checkOptions(options);
      const { form, for: lengthMs } = options;
      return changeKey(id, { ...options, action: 'keys pin' }, async (key, now, context) => {
        const { registry } = context;
        const plan = { key, now, registry };
        if (form === undefined) return planBack(plan);
        const facts = factsOfForm(forms, form);
        const refusal = pinError(key, facts, now);
        if (refusal !== undefined) throw new Error(refusal);
        const change =
          lengthMs === undefined ? planPin(plan, facts) : planTrial(plan, facts, lengthMs);
        if (change.changed === key) return change;
        if (key.form !== requestedMove.from || form !== requestedMove.to) return change;
        const { verdict, line } = await loadMove(context, {
          organization: registry.organization(key.organizationId),
          keys: [key],
          days,
          now: context.usageNow(),
        });
        if (!/^(ready|unknown)$/.test(verdict)) note(`Warning: ${line}.`);
        return change;
      });
    });
