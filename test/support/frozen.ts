import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Form } from '../../adapters/forms/form.ts';
import { forms } from '../../adapters/forms/forms.ts';
import { contractOf } from './contract.ts';

/** The path of a form's checked-in contract, which clients were built on. */
const fileOf = (form: Form): string => {
  const name = form === forms[0] ? 'openapi.json' : `openapi.${form.name}.json`;
  return fileURLToPath(new URL(`../../contracts/${name}`, import.meta.url));
};

export const contractText = (form: Form): string => `${JSON.stringify(contractOf(form), null, 2)}\n`;

export const readFrozenContract = (form: Form): string => readFileSync(fileOf(form), 'utf8');

export const freezeContract = (form: Form): void => writeFileSync(fileOf(form), contractText(form));
