import {
  type KeyRecord,
  type Organization,
  type Scope,
  scopes,
} from '../../../src/domain/caller.ts';
import { generateKey } from '../../../src/keys/generate-key.ts';
import { newKeyRecord } from '../../../src/keys/key-policy.ts';
import type { KeySource } from '../../../src/ports.ts';
import { type ComparedForm, comparedForms, otherForm } from '../../migration/mapping/forms.ts';

export const comparisonPartner = 'Comparison';

interface KeyTraits {
  readonly organization?: Partial<Organization>;
  readonly record?: Partial<KeyRecord>;
}

const read: readonly Scope[] = ['artists:read', 'spikes:read', 'signings:read'];
const unlimited = 1_000_000_000;
const past = Date.parse('2000-01-01T00:00:00Z');

const traits = {
  full: {},
  read: { record: { scopes: read } },
  editorial: { record: { scopes: [...read, 'editorial:read'] } },
  notes: { record: { scopes: [...read, 'signing-notes:read'] } },
  narrow: { record: { scopes: ['artists:read'] } },
  plain: {
    organization: { perMinute: undefined, perDay: undefined },
    record: { perHour: undefined },
  },
  tight: { organization: { perMinute: 2 }, record: { perHour: 2 } },
  daily: { organization: { perDay: 2 }, record: { perHour: 2 } },
  revoked: { record: { revokedAt: past } },
  expired: { record: { expiresAt: past } },
  expiring: { record: { expiresAt: Date.parse('9999-12-31T00:00:00Z') } },
  suspended: { organization: { suspendedAt: past } },
  sunset: { record: { sunset: '2030-01-01', deprecatedAt: past } },
  /** Pinned to the other form, with permission to choose this one in `X-Envelope`. */
  override: { record: { allowEnvelopeOverride: true } },
} satisfies Readonly<Record<string, KeyTraits>>;

export type KeyKind = keyof typeof traits | 'none' | 'unknown';
// all of them
export const keyKinds = [...Object.keys(traits), 'none', 'unknown'] as readonly KeyKind[];

interface CreatedKey {
  readonly text: string;
  readonly record: KeyRecord;
  readonly organization: Organization;
  readonly choosesForm: boolean;
}

const createKey = (form: ComparedForm, given: KeyTraits): CreatedKey => {
  const { id, hash, text } = generateKey();
  const organization: Organization = {
    id: `org_${id}`,
    name: comparisonPartner,
    perMinute: unlimited,
    perDay: unlimited,
    suspendedAt: undefined,
    ...given.organization,
  };
  const record = newKeyRecord({
    id,
    hash,
    organizationId: organization.id,
    partner: comparisonPartner,
    createdAt: past,
    form: given.record?.allowEnvelopeOverride ? otherForm[form] : form,
    scopes,
    perHour: unlimited,
    ...given.record,
  });
  return { text, record, organization, choosesForm: record.form !== form };
};

/** Creates a key of every kind for each form. The keys exist only in this process. */
export const createEphemeralKeys = () => {
  const created = new Map(
    comparedForms.flatMap((form) =>
      Object.entries(traits).map(
        ([kind, given]) => [`${form} ${kind}`, createKey(form, given)] as const,
      ),
    ),
  );
  const all = [...created.values()];
  const contents = {
    keys: all.map(({ record }) => record),
    organizations: all.map(({ organization }) => organization),
  };
  const source: KeySource = { load: async () => contents };
  const unknownKey = { text: generateKey().text };
  return {
    source,
    find: (form: ComparedForm, kind: KeyKind): Partial<CreatedKey> =>
      created.get(`${form} ${kind}`) ?? (kind === 'unknown' ? unknownKey : {}),
  };
};
