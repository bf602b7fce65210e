import { forms } from '../../adapters/forms/forms.ts';
import { createFillIn, type SiteValues } from '../../adapters/reference/fill-in.ts';
import { createReference } from '../../adapters/reference/handler.ts';
import { readSite, type SiteFile } from '../../adapters/reference/site-files.ts';
import { siteFolder } from '../../src/runtime/folders.ts';

/** The values of a sandbox. */
export const siteValues: SiteValues = {
  baseUrl: 'http://127.0.0.1:3000',
  supportContact: undefined,
  sandboxUrl: 'http://127.0.0.1:3000',
  unknownKeyForm: forms[0].name,
};

/**
 * The partners' reference as `npm run build` made it, created once for all gateways of a test run,
 * since it is the same in each.
 */
export const testReference = createReference(forms, readSite(siteFolder), siteValues);

/** The texts of files by path, as a gateway with these values serves them. */
export const filledTexts = (
  files: readonly SiteFile[],
  values: Partial<SiteValues> = {},
): ReadonlyMap<string, string> => {
  const fillIn = createFillIn({ ...siteValues, ...values });
  return new Map(files.map(({ path, type, text }) => [path, fillIn(text, type)]));
};

const characters: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  amp: '&',
};

/** The text that a browser shows of HTML. */
export const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&([a-z0-9#]+);/g, (all, name: string) => characters[name] ?? all);
