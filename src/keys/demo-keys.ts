import type { FormName, KeyRecord } from '../domain/caller.ts';

interface DescribedKey {
  readonly text: string;
  readonly key: KeyRecord;
}

const isUsable = ({ key }: DescribedKey): boolean =>
  key.revokedAt === undefined && key.expiresAt === undefined;

const describeForm = (form: FormName, keys: readonly DescribedKey[], baseUrl: string): string[] => {
  const first = keys.find((one) => one.key.form === form && isUsable(one));
  if (first === undefined) return [];
  return [
    `The ${form} form:`,
    `  curl -i -H 'Authorization: Bearer ${first.text}' '${baseUrl}/api/v1/artists?limit=2'`,
  ];
};

/**
 * Formats the startup banner of the demo catalogue: for each form a `curl` command to copy, and
 * where the other demo keys are. Without a demo key there is no banner.
 */
export const describeDemoKeys = (keys: readonly DescribedKey[], baseUrl: string): string => {
  const forms = [...new Set(keys.map(({ key }) => key.form))];
  const commands = forms.flatMap((form) => describeForm(form, keys, baseUrl));
  if (commands.length === 0) return '';
  const others = `A demo key for every other answer: ${baseUrl}/docs, "Try every answer"`;
  return [...commands, others].join('\n');
};
