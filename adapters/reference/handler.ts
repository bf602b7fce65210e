import { hash, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Form } from '../forms/form.ts';
import type { PageContext, ReferenceHandler } from '../http/app.ts';
import { matchesIfNoneMatch } from '../http/etag.ts';
import { contractPath } from '../http/reference-links.ts';
import { rejectionReply } from '../http/rejection.ts';
import { httpRejections } from '../http/request-checks.ts';
import { acceptsGzip } from '../http/request-context.ts';
import { isTooLong, splitTarget } from '../http/request-target.ts';
import { noStore } from '../http/response-headers.ts';
import type { Reply } from '../http/send.ts';
import { renderValue } from '../rendering/body.ts';
import { createFillIn, type SiteValues } from './fill-in.ts';
import { adapterName, type SiteFile } from './site-files.ts';

/** Pages load only their own style and script. */
const pagePolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A file ready to send, compressed once. Each encoding has its own `ETag`. */
const staticPage = (text: string, type: string, formName: string) => {
  const bytes = Buffer.from(text);
  const digest = hash('sha256', bytes, 'base64url').slice(0, 27);
  return {
    plain: { bytes, tag: `"${digest}"` },
    gzip: { bytes: gzipSync(bytes), tag: `"${digest}-gzip"` },
    type: `${type}; charset=utf-8`,
    headers: {
      'X-Envelope-Served': formName,
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': type === 'text/html' ? pagePolicy : "default-src 'none'",
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'public, max-age=300',
      Vary: 'Accept-Encoding',
    },
  };
};

type StaticPage = Readonly<ReturnType<typeof staticPage>>;

const replyWith = (page: StaticPage, requestId: string, context: PageContext): Reply => {
  const encoded = acceptsGzip(context);
  const { bytes, tag } = encoded ? page.gzip : page.plain;
  const headers = { ...page.headers, ETag: tag, 'X-Request-Id': requestId };
  if (matchesIfNoneMatch(tag, context.req.headers['if-none-match']))
    return { status: 304, headers, body: undefined };
  return {
    status: 200,
    headers: {
      ...headers,
      ...(encoded && { 'Content-Encoding': 'gzip' }),
      'Content-Type': page.type,
    },
    body: { chunks: [bytes], length: bytes.length },
  };
};

const ownHeaders = ({ name }: Form, requestId: string) => ({
  'X-Request-Id': requestId,
  'X-Envelope-Served': name,
  'X-Content-Type-Options': 'nosniff',
});

/**
 * Redirects a browser from the root to the reference. Relative, so that it also works below a path
 * of a reverse proxy.
 */
const redirectToDocs = (form: Form, requestId: string): Reply => {
  const caching = { 'Content-Length': '0', 'Cache-Control': 'public, max-age=300' };
  return {
    status: 302,
    headers: { ...ownHeaders(form, requestId), Location: 'docs', ...caching },
    body: undefined,
  };
};

/** The reference belongs to no form, so the first form renders the error. */
const refuseMethod = (form: Form, requestId: string): Reply => {
  const { status, code } = form.problems['method-not-allowed'];
  return {
    status,
    headers: { ...ownHeaders(form, requestId), ...noStore, Allow: 'GET, HEAD' },
    body: renderValue(
      form.presentProblem(code, 'Only GET and HEAD are supported here.', requestId),
    ),
  };
};

/**
 * Creates the handler of the partners' reference: the files that `npm run build` made, with the
 * values of this gateway. It needs no key and counts against no quota.
 */
export const createReference = (
  forms: readonly [Form, ...Form[]],
  files: readonly SiteFile[],
  values: SiteValues,
): ReferenceHandler => {
  const adapter = files.find(({ name }) => name === adapterName);
  const filled = adapter && createFillIn(values)(adapter.text, adapter.type);
  const fillIn = createFillIn({ ...values, adapterDigest: filled && hash('sha256', filled) });
  const pages = new Map(
    files.map(({ path, type, text }) => {
      const form = forms.find((each) => contractPath(each, forms) === path) ?? forms[0];
      return [path, staticPage(fillIn(text, type), type, form.name)] as const;
    }),
  );

  return (context) => {
    const { method, url = '' } = context.req;
    const target = splitTarget(url);
    const page = pages.get(target.path);
    if (page === undefined && target.path !== '/') return undefined;
    return async () => {
      const requestId = randomUUID();
      if (isTooLong(target)) return rejectionReply(httpRejections.query, forms[0], requestId);
      if (method !== 'GET' && method !== 'HEAD') return refuseMethod(forms[0], requestId);
      return page === undefined
        ? redirectToDocs(forms[0], requestId)
        : replyWith(page, requestId, context);
    };
  };
};
