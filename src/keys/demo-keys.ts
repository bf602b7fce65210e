import type { FormName, KeyRecord } from '../domain/caller.ts';

interface DescribedKey {
  readonly text: string;
  readonly key: KeyRecord;
}

const isUsable = ({ key }: DescribedKey): boolean =>
  key.revokedAt === undefined && key.expiresAt === undefined;

const describeForm = (form: FormName, keys: readonly DescribedKey[], baseUrl: string): string[] => {
  const ofForm = keys.filter(({ key }) => key.form === form);
  const [first] = ofForm.filter(isUsable);
  if (first === undefined) return [];
  return [
    `The ${form} form:`,
    `  curl -i -H 'Authorization: Bearer ${first.text}' '${baseUrl}/api/v1/artists?limit=2'`,
    ...ofForm.map(({ text, key }) => `    ${text}  ${key.partner}`),
    '',
  ];
};

/**
 * Formats the startup banner of the demo catalogue: for each form a `curl` command to copy, and the
 * form's demo keys.
 */
export const describeDemoKeys = (keys: readonly DescribedKey[], baseUrl: string): string =>
  [...new Set(keys.map(({ key }) => key.form))]
    .flatMap((form) => describeForm(form, keys, baseUrl))
    .join('\n');
