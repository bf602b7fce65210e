import { randomBytes } from 'node:crypto';
import { type ComparedForm, comparedForms, otherForm } from '../../../src/crosswalk/forms.ts';
import { type KeyRecord, type Organization, type Scope, scopes } from '../../../src/domain/caller.ts';
import { keyHash, keyText } from '../../../src/keys/key-format.ts';
import type { KeySource } from '../../../src/ports.ts';
import type { KeyKind } from '../cases/cases.ts';

/** The partner name of the ephemeral keys. */
export const comparisonPartner = 'Comparison';

/** How keys of a kind differ from those with all scopes and unlimited quotas. */
interface KeyTraits {
  readonly scopes?: readonly Scope[];
  readonly organization?: Partial<Organization>;
  readonly record?: Partial<KeyRecord>;
  /** Pinned to the other form, with permission to choose this one in `X-Envelope`. */
  readonly override?: true;
}

const read: readonly Scope[] = ['artists:read', 'spikes:read', 'signings:read'];
const unlimited = 1_000_000_000;
const past = Date.parse('2000-01-01T00:00:00Z');

const traits: Readonly<Record<Exclude<KeyKind, 'none' | 'unknown'>, KeyTraits>> = {
  full: {},
  read: { scopes: read },
  editorial: { scopes: [...read, 'editorial:read'] },
  notes: { scopes: [...read, 'signing-notes:read'] },
  narrow: { scopes: ['artists:read'] },
  plain: { organization: { perMinute: undefined, perDay: undefined }, record: { perHour: undefined } },
  tight: { organization: { perMinute: 2 }, record: { perHour: 2 } },
  daily: { organization: { perDay: 2 }, record: { perHour: 2 } },
  revoked: { record: { revokedAt: past } },
  expired: { record: { expiresAt: past } },
  expiring: { record: { expiresAt: Date.parse('9999-12-31T00:00:00Z') } },
  suspended: { organization: { suspendedAt: past } },
  sunset: { record: { sunset: '2030-01-01', deprecatedAt: past } },
  override: { override: true },
};

/** The scopes of a key of a kind; none where no caller is identified. */
export const scopesOf = (kind: KeyKind): ReadonlySet<Scope> =>
  new Set(kind === 'none' || kind === 'unknown' ? [] : (traits[kind].scopes ?? scopes));

/** The form that a key of a kind is pinned to when it is used for a form. */
export const pinnedFormOf = (kind: KeyKind, form: ComparedForm): ComparedForm =>
  kind === 'override' ? otherForm[form] : form;

const createSecret = (): string => randomBytes(24).toString('hex').slice(0, 43);

const createKey = (form: ComparedForm, kind: string, given: KeyTraits) => {
  const id = `${form}${kind}`;
  const text = keyText(id, createSecret());
  const organization: Organization = {
    id: `org_${id}`,
    name: comparisonPartner,
    perMinute: unlimited,
    perDay: unlimited,
    suspendedAt: undefined,
    ...given.organization,
  };
  const key: KeyRecord = {
    id,
    hash: keyHash(text),
    organizationId: organization.id,
    partner: comparisonPartner,
    form: given.override ? otherForm[form] : form,
    scopes: given.scopes ?? scopes,
    perHour: unlimited,
    allowEnvelopeOverride: given.override ?? false,
    sunset: undefined,
    deprecatedAt: undefined,
    createdAt: past,
    expiresAt: undefined,
    revokedAt: undefined,
    replacedBy: undefined,
    ...given.record,
  };
  return { text, key, organization };
};

/** Creates a key of every kind for each form. The keys exist only in this process. */
export const createEphemeralKeys = () => {
  const created = new Map(
    comparedForms.flatMap((form) =>
      Object.entries(traits).map(([kind, given]) => [`${form} ${kind}`, createKey(form, kind, given)] as const),
    ),
  );
  const all = [...created.values()];
  const contents = { keys: all.map(({ key }) => key), organizations: all.map(({ organization }) => organization) };
  const source: KeySource = { load: async () => contents };
  return {
    source,
    /** The text of a key; `undefined` for `none`. */
    textOf: (form: ComparedForm, kind: KeyKind): string | undefined =>
      kind === 'unknown' ? keyText('nobody', createSecret()) : created.get(`${form} ${kind}`)?.text,
  };
};
