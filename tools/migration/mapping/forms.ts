/**
 * The two forms that the mapping relates to each other. Other forms of the gateway are not
 * compared.
 */
export const comparedForms = ['current', 'variant'] as const;
export type ComparedForm = (typeof comparedForms)[number];

export const byForm = <Part>(
  partOf: (form: ComparedForm) => Part,
): Readonly<Record<ComparedForm, Part>> => ({
  current: partOf('current'),
  variant: partOf('variant'),
});

export const otherForm: Readonly<Record<ComparedForm, ComparedForm>> = {
  current: 'variant',
  variant: 'current',
};
