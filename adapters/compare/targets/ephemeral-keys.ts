import { randomBytes } from 'node:crypto';
import { type FormName, type KeyRecord, type Organization, type Scope, scopes } from '../../../src/domain/caller.ts';
import { keyHash, keyText } from '../../../src/keys/key-format.ts';
import type { KeySource } from '../../../src/ports.ts';
import type { KeyKind } from '../cases/cases.ts';

/** What a comparison's partner is called. */
export const partner = 'Comparison';

/** What makes a key of a kind what it is. */
interface Made {
  readonly scopes?: readonly Scope[];
  /** The organization's quota. */
  readonly quota?: Pick<Organization, 'perMinute' | 'perDay'>;
  readonly suspended?: true;
  readonly record?: Partial<KeyRecord>;
  /** Pinned to the other form, and allowed to look through this one. */
  readonly override?: true;
}

const read: readonly Scope[] = ['artists:read', 'spikes:read', 'signings:read'];
const long = 1_000_000_000;
const unlimited = { perMinute: long, perDay: long };
const past = Date.parse('2000-01-01T00:00:00Z');

const kinds: Readonly<Record<Exclude<KeyKind, 'none' | 'unknown'>, Made>> = {
  full: {},
  read: { scopes: read },
  editorial: { scopes: [...read, 'editorial:read'] },
  notes: { scopes: [...read, 'signing-notes:read'] },
  narrow: { scopes: ['artists:read'] },
  plain: { quota: { perMinute: undefined, perDay: undefined }, record: { perHour: undefined } },
  tight: { quota: { perMinute: 2, perDay: long }, record: { perHour: 2 } },
  daily: { quota: { perMinute: long, perDay: 2 }, record: { perHour: 2 } },
  revoked: { record: { revokedAt: past } },
  expired: { record: { expiresAt: past } },
  suspended: { suspended: true },
  sunset: { record: { sunset: '2030-01-01', deprecatedAt: past } },
  override: { override: true },
};

const otherForm: Readonly<Record<FormName, FormName>> = { current: 'variant', variant: 'current' };

/** The scopes of a key of a kind; a stranger has none. */
export const scopesOf = (kind: KeyKind): ReadonlySet<Scope> =>
  new Set(kind === 'none' || kind === 'unknown' ? [] : (kinds[kind].scopes ?? scopes));

/** The form a key of a kind is pinned to, when it serves a form. */
export const pinnedFormOf = (kind: KeyKind, form: FormName): FormName => (kind === 'override' ? otherForm[form] : form);

const secret = (): string => randomBytes(24).toString('hex').slice(0, 43);

export interface EphemeralKeys {
  readonly source: KeySource;
  /** The text of a key; `undefined` for none. */
  textOf(form: FormName, kind: KeyKind): string | undefined;
}

interface MadeUpKey {
  readonly text: string;
  readonly key: KeyRecord;
  readonly organization: Organization;
}

const makeKey = (form: FormName, kind: string, made: Made): MadeUpKey => {
  const id = `${form}${kind}`;
  const text = keyText(id, secret());
  const organization: Organization = {
    id: `org_${id}`,
    name: partner,
    ...unlimited,
    ...made.quota,
    suspendedAt: made.suspended && past,
  };
  const key: KeyRecord = {
    id,
    hash: keyHash(text),
    organizationId: organization.id,
    partner,
    form: made.override ? otherForm[form] : form,
    scopes: made.scopes ?? scopes,
    perHour: long,
    allowEnvelopeOverride: made.override ?? false,
    sunset: undefined,
    deprecatedAt: undefined,
    createdAt: past,
    expiresAt: undefined,
    revokedAt: undefined,
    ...made.record,
  };
  return { text, key, organization };
};

/** A key of every kind for each form, made up for one run and known to nobody else. */
export const createEphemeralKeys = (): EphemeralKeys => {
  const made = new Map<string, MadeUpKey>();
  for (const form of ['current', 'variant'] as const) {
    for (const [kind, one] of Object.entries(kinds)) made.set(`${form} ${kind}`, makeKey(form, kind, one));
  }
  const keys = [...made.values()];
  return {
    source: {
      load: async () => ({
        keys: keys.map(({ key }) => key),
        organizations: keys.map(({ organization }) => organization),
      }),
    },
    textOf: (form, kind) => (kind === 'unknown' ? keyText('nobody', secret()) : made.get(`${form} ${kind}`)?.text),
  };
};
