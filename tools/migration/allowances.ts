import type {
  Allowance,
  Caller,
  FormName,
  KeyRecord,
  Organization,
} from '../../src/domain/caller.ts';
import { newKeyRecord } from '../../src/keys/key-policy.ts';

/**
 * The quotas of keys for reports and commands. Requests are charged what their form declares: see
 * `src/quota/quota.ts`.
 */
export interface Allowances {
  of(key: KeyRecord, organization: Organization): readonly Allowance[];
  sharedBy(organization: Organization): readonly Allowance[];
}

interface FormAllowances {
  readonly name: FormName;
  readonly allowances: (caller: Caller) => readonly Allowance[];
}

export const createAllowances = (forms: readonly FormAllowances[]): Allowances => {
  const of = (key: KeyRecord, organization: Organization): readonly Allowance[] =>
    forms
      .filter(({ name }) => name === key.form)
      .flatMap(({ allowances }) => allowances({ key, organization, scopes: new Set(key.scopes) }))
      .map(({ window, limit, subject }) => ({ window, limit, subject }));
  return {
    of,
    sharedBy(organization) {
      // Forms declare allowances for a caller, so this asks for a caller with an empty key.
      const emptyKey = {
        id: '',
        hash: '',
        organizationId: organization.id,
        partner: '',
        scopes: [],
        createdAt: 0,
      };
      return forms
        .flatMap(({ name }) => of(newKeyRecord({ ...emptyKey, form: name }), organization))
        .filter(({ subject }) => subject === `organization:${organization.id}`);
    },
  };
};
