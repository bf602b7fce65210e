import { forms } from '../../adapters/forms/forms.ts';
import { createReference } from '../../adapters/reference/handler.ts';
import { clientsFolder, docsFolder, exchangesFolder, version } from '../../src/runtime/config.ts';

/** What the reference of a sandbox is made from. */
export const referenceOptions = {
  baseUrl: 'http://127.0.0.1:3000',
  supportContact: undefined,
  sandboxUrl: 'http://127.0.0.1:3000',
  exchangesFolder,
  docsFolder,
  clientsFolder,
  version,
};

/**
 * The partners' reference, created once for all gateways of a test run, since it is the same in
 * each.
 */
export const testReference = createReference(forms, referenceOptions).handle;

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
