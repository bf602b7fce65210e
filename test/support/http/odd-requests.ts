import fc from 'fast-check';
import { forms } from '../../../adapters/forms/forms.ts';
import type { ComparedForm } from '../../../src/crosswalk/forms.ts';
import { formExpectations } from '../forms/form-expectations.ts';
import { keys, unissuedKey } from '../forms/form-keys.ts';
import { operationsOf } from './contract-requests.ts';

/** A request, and the facts that a test checks it against. */
export interface OddRequest {
  readonly bytes: Buffer;
  /** Its target; `undefined` when bytes of it were changed at random. */
  readonly target: string | undefined;
  readonly isHead: boolean;
}

/** Parameter names of either contract, and names that resemble one. */
const names = [
  ...new Set(forms.flatMap((form) => operationsOf(form).flatMap(({ query }) => query.map(({ name }) => name)))),
  ...['LIMIT', 'limit[]', 'name[$ne]', '__proto__', 'constructor', '', '_method', 'api_key', 'callback'],
];

/** Values that some parameter accepts, and values that none does. */
const values = [
  ...['1', '5', '50', '100', '200', '0', '-1', '1e3', '0x10', '007', '99999999999999999999', 'NaN', ''],
  ...['watch', 'breaking', 'true', 'FALSE', 'maybe', 'history', 'basic', '2026-08-01', '2026-02-30', '9999-12-31'],
  ...['art_7rf1ly', 'legacy:0007', 'echo', 'é', '%', '%zz', '%ff', '%00', '%ED%A0%80', '\u{1f3b5}', '{"$gt":""}', '.*'],
  ...['a&b=c', '../../etc/passwd', "' OR 1=1 --", '<script>', '\u202e', 'null', '[]', '+', ';', '=', '#', '?'],
];

const inQuery = (text: string): string => text.replace(/[^\x21-\x7e]/gu, encodeURIComponent).replace(/#/g, '%23');

const value = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...values) },
  { weight: 1, arbitrary: fc.integer().map(String) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 150 }).map((text) => text.replace(/\p{Cs}/gu, '')) },
);

const pair = fc
  .tuple(
    fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...names) }, fc.string({ maxLength: 12 })),
    value,
    fc.boolean(),
  )
  .map(([name, text, isEscaped]) => `${inQuery(name)}=${isEscaped ? encodeURIComponent(text) : inQuery(text)}`);

/** Valid queries of each form, so that enough requests pass the check of their parameters. */
const validQueries: Readonly<Record<ComparedForm, readonly string[]>> = {
  current: [
    ...['?limit=5', '?limit=100&tier=breaking', '?name=echo', '?added_since=2026-08-01&limit=3', '?include=history'],
    ...['?id=art_7rf1ly', '?tier=nope', '?days=3', '?days=30', '?name=%F0%9D%94%90&include=history&limit=1'],
  ],
  variant: [
    ...['?limit=5', '?limit=200&tier=breaking', '?signed=TRUE&new=30', '?fields=basic', '?days=30', '?id=nobody'],
    ...['?id=legacy:0007', '?new=0', '?fields=all&limit=1000'],
  ],
};

const query = (form: ComparedForm) =>
  fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...validQueries[form]) },
    { weight: 4, arbitrary: fc.constant('') },
    { weight: 12, arbitrary: fc.array(pair, { minLength: 1, maxLength: 6 }).map((pairs) => `?${pairs.join('&')}`) },
    { weight: 1, arbitrary: fc.array(pair, { minLength: 30, maxLength: 60 }).map((pairs) => `?${pairs.join('&')}`) },
  );

const routes = [...new Set([...formExpectations.current.routes, ...formExpectations.variant.routes])];
const segment = fc.oneof(fc.constantFrom('art_7rf1ly', 'art_3wz4gc', 'legacy:0007', 'nobody'), value.map(inQuery));

const path = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .tuple(fc.constantFrom(...routes), segment)
      .map(([route, id]) => route.replace(':id', () => id.replace(/[?#]/g, ''))),
  },
  { weight: 1, arbitrary: segment.map((text) => `/api/v1/${text.replace(/[?#]/g, '')}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('/', '*', '/api/v1', '//api/v1/artists', '/API/V1/artists', '/../api/v1/health'),
  },
);

const method = fc.oneof(
  { weight: 14, arbitrary: fc.constant('GET') },
  fc.constantFrom('HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'PROPFIND', 'FOO', 'get'),
);

const authorization = (form: ComparedForm): fc.Arbitrary<string[]> => {
  const { full, override, noSpikes, revoked, expired, suspended } = keys[form];
  const texts = [override, noSpikes, revoked, expired, suspended].map(({ text }) => text);
  const none: string[] = [];
  const bearer = (text: string): string[] => [`Authorization: Bearer ${text}`];
  return fc.oneof(
    { weight: 9, arbitrary: fc.constant(bearer(full.text)) },
    { weight: 3, arbitrary: fc.constantFrom(...texts, unissuedKey, 'aik_bad', full.text.slice(1)).map(bearer) },
    fc.constantFrom(
      none,
      ['Authorization:'],
      [`Authorization: Basic ${full.text}`],
      [...bearer(full.text), 'Authorization: x'],
    ),
  );
};

const token = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,20}$/);
const fieldText = fc.stringMatching(/^[ -~\x80-\xff]{0,60}$/);

const header = fc.oneof(
  fc.constantFrom(
    'X-Envelope: current',
    'X-Envelope: variant',
    'X-Envelope: x',
    'X-Request-Id: x',
    'Expect: 100-continue',
  ),
  fc.constantFrom('If-None-Match: *', 'If-None-Match: W/"x", "y"', 'Accept: text/html', 'Cookie: a=b', 'Origin: null'),
  fc.constantFrom('Content-Length: 0', 'Content-Length: 4', 'Connection: close', 'Upgrade: h2c', 'Range: bytes=0-1'),
  fc.tuple(token, fieldText).map(([name, text]) => `X-${name}: ${text}`),
);

const host = fc.oneof(
  { weight: 20, arbitrary: fc.constant(['Host: gateway.test']) },
  fc.constantFrom([], ['Host: a', 'Host: b'], ['Host:'], ['Host: a b']),
);

/** Changes of single bytes, as a broken proxy or an attacker might make them. */
const changes = fc.array(fc.tuple(fc.nat(400), fc.nat(255), fc.constantFrom(0, 1)), { minLength: 1, maxLength: 4 });

const change = (bytes: Buffer, [at, byte, removed]: readonly [number, number, number]): Buffer =>
  Buffer.concat([bytes.subarray(0, at), Buffer.from([byte]), bytes.subarray(at + removed)]);

/** Requests of a client of one form, from valid to hostile. */
export const oddRequests = (form: ComparedForm): fc.Arbitrary<OddRequest> =>
  fc
    .record({
      method,
      path,
      query: query(form),
      host,
      authorization: authorization(form),
      headers: fc.array(header, { maxLength: 4 }),
      changed: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, changes),
    })
    .map(({ method: verb, path: at, query: search, host: hosts, authorization: key, headers, changed }) => {
      const fields = [...hosts, ...key, ...headers].map((field) => `${field}\r\n`).join('');
      const target = at + search;
      const bytes = Buffer.from(`${verb} ${target} HTTP/1.1\r\n${fields}\r\n`, 'latin1');
      return changed === undefined
        ? { bytes, target, isHead: verb === 'HEAD' }
        : { bytes: changed.reduce(change, bytes), target: undefined, isHead: verb === 'HEAD' };
    });
