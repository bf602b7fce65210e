import type { Form, Route } from '../forms/form.ts';
import type { HeaderContract, HeaderContracts } from '../forms/form-contract.ts';

/** The headers of every form's responses: what the pipeline sends, told to partners. */
const text = (description: string, example: string, allowed?: readonly string[]): HeaderContract => ({
  description,
  required: true,
  schema: { type: 'string', ...(allowed && { enum: [...allowed] }) },
  example,
});

const always = (form: Form): HeaderContracts => ({
  'X-Request-Id': text(
    'Another one for every request, made by the service. Quote it to support.',
    '3f1c9a52-7d08-4b6e-9c41-0a5e8d27b6f3',
  ),
  'X-Envelope-Served': text('The form of this answer.', form.name, [form.name]),
  'Cache-Control': text(
    'Answers may be kept by you alone, and only to be asked about again; everything else may not be kept.',
    'private, no-cache',
    ['private, no-cache', 'no-store'],
  ),
  Vary: text('What an answer depends on, beside its URL.', 'Authorization, X-Envelope'),
  'X-Content-Type-Options': text('What is called JSON is JSON.', 'nosniff', ['nosniff']),
});

const challenge = { 'WWW-Authenticate': text('How to authenticate.', 'Bearer', ['Bearer']) };
const allow = { Allow: text('The methods there are.', 'GET', ['GET']) };

const retryAfter = {
  'Retry-After': {
    description: 'Whole seconds to wait before asking again.',
    required: true,
    schema: { type: 'integer' },
    example: 60,
  },
} as const satisfies HeaderContracts;

/** Every header that a form's contract names. */
export const allHeaders = (form: Form): HeaderContracts => {
  const { counted, read, answered, known } = form.contract.headers;
  return { ...always(form), ...counted, ...answered, ...read, ...known, ...challenge, ...allow, ...retryAfter };
};

/** The kinds of problem that pass with time, so that their refusal says how long to wait. */
const isPassing = (form: Form, status: number): readonly boolean[] =>
  Object.entries(form.problems)
    .filter(([kind, problem]) => problem.status === status && Object.hasOwn(form.contract.problems, kind))
    .map(([kind]) => kind === 'window-spent' || kind === 'day-spent' || kind === 'unavailable');

/** The headers of one response, by name. */
export const headerObjects = (form: Form, route: Route, status: number): HeaderContracts => {
  const { counted, read, answered, known } = form.contract.headers;
  const needsKey = route.access !== 'public';
  const passing = isPassing(form, status);
  const [name, wait] = ['Retry-After', retryAfter['Retry-After']] as const;
  return {
    ...always(form),
    ...(needsKey && status < 500 && status !== 401 && status !== 405 && counted),
    ...(needsKey && (status < 400 || status === 404 || status >= 500) && read),
    ...(needsKey && status < 400 && answered),
    ...known,
    ...(status === 401 && challenge),
    ...(status === 405 && allow),
    ...(needsKey && passing.includes(true) && { [name]: { ...wait, required: passing.every(Boolean) } }),
  };
};
