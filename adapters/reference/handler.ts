import { randomUUID } from 'node:crypto';
import type { Form } from '../forms/form.ts';
import type { PageContext, ReferenceHandler } from '../http/app.ts';
import { matchesIfNoneMatch } from '../http/etag.ts';
import { rejectionReply } from '../http/rejection.ts';
import { httpRejections } from '../http/request-checks.ts';
import { acceptsGzip } from '../http/request-context.ts';
import { isTooLong, splitTarget } from '../http/request-target.ts';
import { noStore } from '../http/response-headers.ts';
import type { Reply } from '../http/send.ts';
import { contractPath } from '../openapi/document.ts';
import { renderValue } from '../rendering/body.ts';
import { clientFiles } from './client-code.ts';
import type { ReferenceMaterial } from './form-reference.ts';
import type { StaticPage } from './pages.ts';

/** Every path of the reference but the root, which leads to it: known before the pages are made. */
export const pagePaths = (
  forms: readonly Form[],
  material: ReferenceMaterial,
): ReadonlySet<string> =>
  new Set([
    '/docs',
    '/docs.md',
    '/docs/migration',
    '/docs/migration.md',
    '/docs/changes',
    '/docs/changes.md',
    '/docs/changes.atom',
    '/llms.txt',
    ...forms.map((form) => contractPath(form, forms)),
    ...clientFiles(material.clientsFolder).map(({ path }) => path),
  ]);

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
 * Sends a browser from the root to the reference; relative, so that it also works below a path of a
 * reverse proxy.
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
 * Creates the partners' reference: the contracts and the pages made from them. Its pages are made
 * once, in steps, with code that is loaded then: 200 ms that no start waits for. They are
 * self-contained: a browser fetches nothing from another host.
 */
export const createReference = (forms: readonly [Form, ...Form[]], material: ReferenceMaterial) => {
  const paths = pagePaths(forms, material);
  let pages: Promise<ReadonlyMap<string, StaticPage>> | undefined;
  const prepare = (): Promise<ReadonlyMap<string, StaticPage>> => {
    pages ??= import('./pages.ts')
      .then(({ createPages }) => createPages(forms, material))
      .catch((failure: unknown) => {
        pages = undefined; // they are made anew for the next request
        throw failure;
      });
    return pages;
  };

  const reply = async (context: PageContext): Promise<Reply> => {
    const { method, url = '' } = context.req;
    const target = splitTarget(url);
    const requestId = randomUUID();
    if (isTooLong(target)) return rejectionReply(httpRejections.query, forms[0], requestId);
    if (method !== 'GET' && method !== 'HEAD') return refuseMethod(forms[0], requestId);
    const page = target.path === '/' ? undefined : (await prepare()).get(target.path);
    return page === undefined
      ? redirectToDocs(forms[0], requestId)
      : replyWith(page, requestId, context);
  };

  return {
    /** Makes the pages, unless a request has begun to. Rejects when a file is missing. */
    prepare,
    /** Needs no key and counts against no quota. GET and HEAD are answered alike. */
    handle(context: PageContext): ReturnType<ReferenceHandler> {
      const { path } = splitTarget(context.req.url ?? '');
      return path === '/' || paths.has(path) ? () => reply(context) : undefined;
    },
  };
};

export type Reference = ReturnType<typeof createReference>;
