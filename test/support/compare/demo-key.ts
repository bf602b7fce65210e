import { readFileSync } from 'node:fs';

/** The text of a demo key of the example catalogue. The QA keys have practically unlimited quotas. */
export const demoKey = (id: string): string => {
  const keys: readonly { readonly _id: string; readonly demo_key: string }[] = JSON.parse(
    readFileSync(new URL('../../../fixtures/catalogue/api_keys.json', import.meta.url), 'utf8'),
  );
  return keys.find(({ _id }) => _id === id)?.demo_key ?? '';
};
