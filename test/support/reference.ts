import { forms } from '../../adapters/forms/forms.ts';
import { createReference } from '../../adapters/reference/handler.ts';
import { docsFolder, exchangesFolder } from '../../src/runtime/config.ts';

/** The partners' reference, made once for all gateways of a test run: it says the same in each. */
export const testReference = createReference(forms, {
  publicUrl: undefined,
  localUrl: 'http://127.0.0.1:3000',
  exchangesFolder,
  docsFolder,
});
