import { currentForm } from './current/form.ts';
import type { Form } from './form.ts';
import { variantForm } from './variant/form.ts';

/** Every form. The first form serves requests that fail before a form is chosen. */
export const forms = [currentForm, variantForm] as const satisfies readonly Form[];

export const formNames: readonly string[] = forms.map(({ name }) => name);
