import { type FormName, formNames, type KeyRecord } from '../domain/caller.ts';

/** A key whose text is known. */
interface DemoKey {
  readonly text: string;
  readonly key: KeyRecord;
}

const isUsable = ({ key }: DemoKey): boolean => key.revokedAt === undefined && key.expiresAt === undefined;

const describeForm = (form: FormName, keys: readonly DemoKey[], baseUrl: string): string[] => {
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

/** What a person who just started the gateway can type: a request in each form, and the other demo keys. */
export const describeDemoKeys = (keys: readonly DemoKey[], baseUrl: string): string =>
  formNames.flatMap((form) => describeForm(form, keys, baseUrl)).join('\n');
