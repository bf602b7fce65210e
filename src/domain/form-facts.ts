import type { FormName, Scope } from './caller.ts';

/**
 * Facts that the core and the operator's commands need about a form. Every form declares them; no
 * code tests its name.
 */
export interface FormFacts {
  readonly name: FormName;
  /** The scopes that every key of this form needs, in the order of `scopes`. */
  readonly requiredScopes: readonly Scope[];
  /** The scopes of a new key of this form, unless the operator lists them. */
  readonly defaultScopes: readonly Scope[];
  /** True if its responses announce a key's deprecation and sunset. */
  readonly announcesSunset: boolean;
  /** Whose requests its quotas count together. */
  readonly quotaSubject: 'organization' | 'key';
  /** Which identifier of an artist it shows. */
  readonly artistIdentifier: 'id' | 'documentId';
}

/** Finds a form, or its facts, by name. Throws if there is none. */
export const factsOfForm = <Facts extends FormFacts>(
  forms: readonly Facts[],
  name: FormName,
): Facts => {
  const facts = forms.find((form) => form.name === name);
  if (facts === undefined) throw new Error(`No form is called ${name}.`);
  return facts;
};
