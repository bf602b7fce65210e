import type { Form, KeyRoute } from '../../../adapters/forms/form.ts';
import { faultsOf } from './faulty.ts';

const ofForm = (name: Form['name'], change: (form: Form) => Partial<Form>) => ({
  forms: (form: Form): Form => (form.name === name ? { ...form, ...change(form) } : form),
});

/** A route of one form at another path. */
const atPath = (form: Form, from: string, path: string): KeyRoute[] =>
  form.routes.flatMap((one) => (one.path === from && one.access !== 'public' ? [{ ...one, path }] : []));

/** Faults in problems, headers, quotas and paths. */
export const protocolFaults = faultsOf('protocol', {
  'the variant form says 403': ofForm('variant', ({ problems }) => ({
    problems: { ...problems, 'insufficient-scope': { status: 403, code: 'insufficient_scope' } },
  })),
  'the current form calls a spent day rate_limited': ofForm('current', ({ problems }) => ({
    problems: { ...problems, 'day-spent': { status: 429, code: 'rate_limited' } },
  })),
  'an unknown detail is a bad parameter': ofForm('current', ({ problems }) => ({
    problems: { ...problems, 'not-found': problems['invalid-parameter'] },
  })),
  'the variant form sends an ETag': ofForm('variant', () => ({ conditional: true })),
  'the current form sends none': ofForm('current', () => ({ conditional: false })),
  'the current form has the variant form’s notices': ofForm('current', () => ({
    notices: () => ({ Deprecation: '@0' }),
  })),
  'the variant form does not announce a sunset': ofForm('variant', () => ({ notices: () => ({}) })),
  'the hour of the variant form has 1000 requests': ofForm('variant', ({ allowances }) => ({
    allowances: (caller) => allowances(caller).map((one) => ({ ...one, limit: caller.key.perHour ?? 1000 })),
  })),
  'the current form counts no day': ofForm('current', ({ allowances }) => ({
    allowances: (caller) => allowances(caller).slice(0, 1),
  })),
  'the variant form has /added': ofForm('variant', (form) => ({
    routes: [...form.routes, ...atPath(form, '/api/v1/artists', '/api/v1/added')],
  })),
  'the variant form wraps its errors': ofForm('variant', () => ({
    presentProblem: (code, message) => ({ error: { code, message } }),
  })),
});
