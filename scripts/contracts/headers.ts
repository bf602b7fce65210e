import type { Form, Route } from '../../adapters/forms/form.ts';
import {
  type HeaderContracts,
  numberHeader,
  textHeader,
} from '../../adapters/forms/form-contract.ts';
import { helpLink } from '../../adapters/http/reference-links.ts';

/** How a form's data may be cached. Without an `ETag` a client cannot revalidate. */
const cachingRule = ({ conditional }: Form): string =>
  `\`private, no-cache\` on data: cache it privately and ${
    conditional ? 'revalidate it with `ETag`' : 'send the request again before you reuse it'
  }. \`no-store\` on everything else.`;

const servedForm = (...forms: [Form, ...Form[]]): HeaderContracts => {
  const names = forms.map(({ name }) => name);
  return {
    'X-Envelope-Served': textHeader('The form of this response.', forms[0].name, true, names),
  };
};

/** The headers that the pipeline adds to every response. */
const always = (form: Form): HeaderContracts => ({
  'X-Request-Id': textHeader(
    'A new id for every request, made by the service. Quote it to support.',
    '3f1c9a52-7d08-4b6e-9c41-0a5e8d27b6f3',
    true,
  ),
  ...servedForm(form),
  'Cache-Control': textHeader(cachingRule(form), 'private, no-cache', true, [
    'private, no-cache',
    'no-store',
  ]),
  Vary: textHeader(
    form.compressed
      ? 'The request headers that the response depends on. On data `Accept-Encoding` is one of them.'
      : 'The request headers that the response depends on.',
    form.compressed ? 'Authorization, X-Envelope, Accept-Encoding' : 'Authorization, X-Envelope',
    true,
  ),
  'X-Content-Type-Options': textHeader(
    'Browsers must not guess another content type.',
    'nosniff',
    true,
    ['nosniff'],
  ),
});

const encoding = {
  'Content-Encoding': textHeader(
    'Present when the body is compressed, for clients that accept it.',
    'gzip',
    false,
    ['gzip'],
  ),
};
const challenge = {
  'WWW-Authenticate': textHeader('The authentication scheme to use.', 'Bearer', true, ['Bearer']),
};
const allow = { Allow: textHeader('The supported methods.', 'GET', true, ['GET']) };

const help = ({ problems }: Form): HeaderContracts => ({
  Link: textHeader(
    'What the error code means, for people.',
    helpLink(problems['invalid-parameter'].code),
    true,
  ),
});
const retryAfter = { 'Retry-After': numberHeader('Seconds to wait before you retry.', 60, true) };

/** Every header in a form's contract, for `components.headers`. */
export const allHeaders = (form: Form): HeaderContracts => {
  const { counted, read, succeeded, known } = form.contract.headers;
  const ofRoutes = form.routes.map(({ contract }): HeaderContracts => contract.headers ?? {});
  return {
    ...Object.assign({}, ...ofRoutes),
    ...always(form),
    ...(form.compressed && encoding),
    ...counted,
    ...succeeded,
    ...read,
    ...known,
    ...challenge,
    ...allow,
    ...retryAfter,
    ...(form.helpLinks && help(form)),
  };
};

/** True if clients without a key of this form get the response, too. */
export const answersUnknownKeys = ({ access }: Route, status: number): boolean =>
  access === 'public' || status === 401 || status === 405;

/** The headers of a response. `unknownKeyForm` is `undefined` if it is this form. */
export const headerObjects = (
  form: Form,
  route: Route,
  status: number,
  unknownKeyForm: Form | undefined,
): HeaderContracts => {
  const { counted, read, succeeded, known } = form.contract.headers;
  const needsKey = route.access !== 'public';
  const temporary = Object.values(form.problems)
    .filter((problem) => problem.status === status && problem.text !== undefined)
    .map((problem) => problem.retryAfter === true);
  const wait = { ...retryAfter['Retry-After'], required: temporary.every(Boolean) };
  return {
    ...always(form),
    ...(needsKey && status < 500 && status !== 401 && status !== 405 && counted),
    ...(needsKey && (status < 400 || status === 404 || status >= 500) && read),
    ...(needsKey && status < 400 && succeeded),
    ...(status === 200 && route.contract.headers),
    ...(needsKey && status === 200 && form.compressed && encoding),
    ...known,
    ...(status === 401 && challenge),
    ...(unknownKeyForm && answersUnknownKeys(route, status) && servedForm(form, unknownKeyForm)),
    ...(status === 405 && allow),
    ...(status >= 400 && form.helpLinks && help(form)),
    ...(needsKey && temporary.includes(true) && { 'Retry-After': wait }),
  };
};
