import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { forms } from '../../../adapters/forms/forms.ts';
import type { FormName, KeyRecord, Organization } from '../../../src/domain/caller.ts';
import { dayOf } from '../../../src/domain/day.ts';
import { factsOfForm } from '../../../src/domain/form-facts.ts';
import { minuteMs } from '../../../src/domain/time.ts';
import { runningTrial } from '../../../src/keys/key-policy.ts';
import { quotedWord } from '../terminal/shell-word.ts';

const limit = z.number().nullish().catch(undefined);

/** Members of records of the audit log that decide what a key or an organization may do. */
const savedMembers = z.object({
  form: z.string().nullish().catch(undefined),
  scopes: z.array(z.string()).nullish().catch(undefined),
  allow_envelope_override: z.boolean().nullish().catch(undefined),
  quota: z
    .object({ per_hour: limit, per_minute: limit, per_day: limit })
    .nullish()
    .catch(undefined),
  sunset: z.string().nullish().catch(undefined),
  trial: z
    .object({ form: z.string(), until: z.iso.datetime().transform((at) => Date.parse(at)) })
    .nullish()
    .catch(undefined),
});

/** What decides about access beside an end; an organization has limits only. */
interface Settings {
  readonly form?: string | undefined;
  readonly scopes: readonly string[];
  readonly allow_envelope_override: boolean;
  /** `undefined`: the form's default. */
  readonly quota: Readonly<Record<'perHour' | 'perMinute' | 'perDay', number | undefined>>;
  readonly sunset?: string | undefined;
  /** The form of a trial that runs; when it ends is not compared, since it ends by itself. */
  readonly trial?: FormName | undefined;
  /** Epoch milliseconds. */
  readonly trialUntil?: number | undefined;
}

const fromLog = (members: Readonly<Record<string, unknown>>, now: number): Settings => {
  const { form, scopes, quota, sunset, trial, ...saved } = savedMembers.parse(members);
  return {
    form: form ?? undefined,
    scopes: (scopes ?? []).toSorted(),
    allow_envelope_override: saved.allow_envelope_override ?? false,
    quota: {
      perHour: quota?.per_hour ?? undefined,
      perMinute: quota?.per_minute ?? undefined,
      perDay: quota?.per_day ?? undefined,
    },
    sunset: sunset ?? undefined,
    ...(trial && now < trial.until && { trial: trial.form, trialUntil: trial.until }),
  };
};

const ofKey = (key: KeyRecord, now: number): Settings => ({
  form: key.form,
  scopes: key.scopes.toSorted(),
  allow_envelope_override: key.allowEnvelopeOverride,
  quota: { perHour: key.perHour, perMinute: undefined, perDay: undefined },
  sunset: key.sunset,
  trial: runningTrial(key, now)?.form,
});

const ofOrganization = ({ perMinute, perDay }: Organization): Settings => ({
  scopes: [],
  allow_envelope_override: false,
  quota: { perHour: undefined, perMinute, perDay },
});

/** A text as one word of a shell, in quotes if it needs them. */
const word = (text: string): string => (/^[\w,:.-]+$/.test(text) ? text : quotedWord(text));

/** The options of `keys pin` for a trial, or for none. */
const trialOptions = ({ trial, trialUntil = 0 }: Settings, now: number): string =>
  trial === undefined
    ? '--back'
    : `--form ${word(trial)} --for ${Math.ceil((trialUntil - now) / minuteMs)}m`;

type Setting = readonly [
  name: keyof Settings,
  title: string,
  command: (saved: Settings, id: string, now: number) => string,
];

/** Each setting of a key in words, and the command that sets it to its saved value. */
const keySettings: readonly [form: Setting, scopes: Setting, trial: Setting, ...Setting[]] = [
  ['form', 'form', ({ form = '' }, id) => `keys pin ${id} --form ${word(form)}`],
  ['scopes', 'scopes', ({ scopes }, id) => `keys set ${id} --scopes ${word(scopes.join(','))}`],
  ['trial', 'trial', (saved, id, now) => `keys pin ${id} ${trialOptions(saved, now)}`],
  [
    'allow_envelope_override',
    'envelope override',
    (saved, id) =>
      `keys set ${id} --${saved.allow_envelope_override ? '' : 'no-'}allow-envelope-override`,
  ],
  [
    'quota',
    'quota',
    ({ quota }, id) => `keys set ${id} --per-hour ${quota.perHour ?? 'default'} --yes`,
  ],
  [
    'sunset',
    'sunset',
    ({ sunset }, id) =>
      `keys sunset ${id} ${sunset === undefined ? '--off' : `--on ${word(sunset)}`}`,
  ],
];

const organizationSettings: readonly Setting[] = [
  [
    'quota',
    'quotas',
    ({ quota: { perMinute = 'default', perDay = 'default' } }, id) =>
      `organizations set ${id} --per-minute ${perMinute} --per-day ${perDay} --yes`,
  ],
];

/** The members that the log has of a key or an organization, after its last record. */
export interface SavedMembers {
  readonly id: string;
  /** Whether the log has its creation: a member that no record names has its default. */
  readonly isIssued: boolean;
  readonly members: Readonly<Record<string, unknown>>;
}

/** A setting that is not as in the log, and the command that makes it so. */
interface ChangedSetting {
  readonly found: string;
  readonly command: string;
}

/** A command that makes something as it was, with its reason. */
export const restoring = (command: string): string =>
  `artist-gateway ${command} --reason 'as before the restore'`;

const compare = (
  { id, isIssued, members }: SavedMembers,
  stored: Settings,
  settings: readonly Setting[],
  now: number,
): readonly ChangedSetting[] => {
  const saved = fromLog(members, now);
  return settings
    .filter(([name]) => isIssued || Object.hasOwn(members, name))
    .filter(([name]) => !isDeepStrictEqual(saved[name], stored[name]))
    .map(([, title, command]) => ({
      found: `other ${title} than before`,
      command: restoring(command(saved, id, now)),
    }));
};

/**
 * The settings of a key that are not as in the log, at an instant (epoch milliseconds), each after
 * what its command needs. Where the form is another, it alone, since it decides which others the
 * key takes, after the scopes that it requires. Not the key's own quota in a form that counts for
 * organizations, nor a sunset that is not announced, or over.
 */
export const compareKey = (
  saved: SavedMembers,
  key: KeyRecord,
  now: number,
): readonly ChangedSetting[] => {
  const stored = ofKey(key, now);
  const { form: savedForm, sunset, trial: savedTrial } = fromLog(saved.members, now);
  const [form, scopes, trial, ...others] = keySettings;
  const required = forms.find(({ name }) => name === savedForm)?.requiredScopes ?? [];
  const isRefused = required.some((scope) => !key.scopes.includes(scope));
  const first = compare(saved, stored, isRefused ? [scopes, form] : [form], now);
  if (first.length > 0) return first;
  const { announcesSunset, quotaSubject } = factsOfForm(forms, key.form);
  const isOver = sunset !== undefined && sunset <= dayOf(now);
  const isTaken = (name: keyof Settings): boolean =>
    name === 'quota' ? quotaSubject === 'key' : name !== 'sunset' || (announcesSunset && !isOver);
  // a trial that runs refuses scopes that its form does not take; one that begins needs them
  const inOrder = savedTrial === undefined ? [trial, scopes] : [scopes, trial];
  return compare(
    saved,
    stored,
    [...inOrder, ...others].filter(([name]) => isTaken(name)),
    now,
  );
};

/** The same of an organization. */
export const compareOrganization = (
  saved: SavedMembers,
  organization: Organization,
  now: number,
): readonly ChangedSetting[] =>
  compare(saved, ofOrganization(organization), organizationSettings, now);

/** The command that creates an organization as the log has it. */
export const creationOf = ({ id, members }: SavedMembers): string => {
  const { name } = members;
  const shown = typeof name === 'string' ? quotedWord(name) : '…';
  const { quota } = fromLog(members, 0);
  const limits = [
    ...(quota.perMinute === undefined ? [] : [` --per-minute ${quota.perMinute}`]),
    ...(quota.perDay === undefined ? [] : [` --per-day ${quota.perDay}`]),
  ];
  return `artist-gateway organizations set ${id} --name ${shown}${limits.join('')}`;
};
