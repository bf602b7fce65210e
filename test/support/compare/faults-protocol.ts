import type { Form, KeyRoute } from '../../../adapters/forms/form.ts';
import type { Fault } from './faulty.ts';

const ofForm =
  (name: Form['name'], change: (form: Form) => Partial<Form>) =>
  (form: Form): Form =>
    form.name === name ? { ...form, ...change(form) } : form;

/** A route of one form at another path. */
const atPath = (form: Form, from: string, path: string): KeyRoute[] =>
  form.routes.flatMap((one) => (one.path === from && one.access !== 'public' ? [{ ...one, path }] : []));

/** Faults in problems, headers, quotas and paths. */
export const protocolFaults: readonly Fault[] = [
  {
    group: 'protocol',
    name: 'the variant form says 403',
    forms: ofForm('variant', ({ problems }) => ({
      problems: { ...problems, 'insufficient-scope': { status: 403, code: 'insufficient_scope' } },
    })),
  },
  {
    group: 'protocol',
    name: 'the current form calls a spent day rate_limited',
    forms: ofForm('current', ({ problems }) => ({
      problems: { ...problems, 'day-spent': { status: 429, code: 'rate_limited' } },
    })),
  },
  {
    group: 'protocol',
    name: 'an unknown detail is a bad parameter',
    forms: ofForm('current', ({ problems }) => ({
      problems: { ...problems, 'not-found': problems['invalid-parameter'] },
    })),
  },
  {
    group: 'protocol',
    name: 'the variant form sends an ETag',
    forms: ofForm('variant', () => ({ conditional: true })),
  },
  { group: 'protocol', name: 'the current form sends none', forms: ofForm('current', () => ({ conditional: false })) },
  {
    group: 'protocol',
    name: 'the current form has the variant form’s notices',
    forms: ofForm('current', () => ({ notices: () => ({ Deprecation: '@0' }) })),
  },
  {
    group: 'protocol',
    name: 'the variant form does not announce a sunset',
    forms: ofForm('variant', () => ({ notices: () => ({}) })),
  },
  {
    group: 'protocol',
    name: 'the hour of the variant form has 1000 requests',
    forms: ofForm('variant', ({ allowances }) => ({
      allowances: (caller) => allowances(caller).map((one) => ({ ...one, limit: caller.key.perHour ?? 1000 })),
    })),
  },
  {
    group: 'protocol',
    name: 'the current form counts no day',
    forms: ofForm('current', ({ allowances }) => ({ allowances: (caller) => allowances(caller).slice(0, 1) })),
  },
  {
    group: 'protocol',
    name: 'the variant form has /added',
    forms: ofForm('variant', (form) => ({
      routes: [...form.routes, ...atPath(form, '/api/v1/artists', '/api/v1/added')],
    })),
  },
  {
    group: 'protocol',
    name: 'the variant form wraps its errors',
    forms: ofForm('variant', () => ({ presentProblem: (code, message) => ({ error: { code, message } }) })),
  },
];
