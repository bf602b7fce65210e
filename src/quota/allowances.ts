import type { Form } from '../../adapters/forms/form.ts';
import type { Allowance, KeyRecord, Organization } from '../domain/caller.ts';
import { newKeyRecord } from '../keys/key-policy.ts';

/** What requests are counted against, as the forms declare it. */
export interface Allowances {
  /** For a key: what its form declares, with the numbers of the key's and the organization's records. */
  of(key: KeyRecord, organization: Organization): readonly Allowance[];
  /** What an organization's keys share. */
  sharedBy(organization: Organization): readonly Allowance[];
}

export const createAllowances = (forms: readonly Pick<Form, 'name' | 'allowances'>[]): Allowances => {
  const of = (key: KeyRecord, organization: Organization): readonly Allowance[] =>
    forms
      .filter(({ name }) => name === key.form)
      .flatMap(({ allowances }) => allowances({ key, organization, scopes: new Set(key.scopes) }))
      .map(({ window, limit, subject }) => ({ window, limit, subject }));
  return {
    of,
    sharedBy(organization) {
      // Forms tell it of a caller, so they are asked for one whose key nobody issued.
      const nobodys = { id: '', hash: '', organizationId: organization.id, partner: '', scopes: [], createdAt: 0 };
      return forms
        .flatMap(({ name }) => of(newKeyRecord({ ...nobodys, form: name }), organization))
        .filter(({ subject }) => subject === `organization:${organization.id}`);
    },
  };
};

/** The allowances of every form there is. Loads them only now: it is much, and most commands need nothing of it. */
export const loadAllowances = async (): Promise<Allowances> =>
  createAllowances((await import('../../adapters/forms/forms.ts')).forms);
