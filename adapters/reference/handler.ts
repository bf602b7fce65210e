import { randomUUID } from 'node:crypto';
import type { Form } from '../forms/form.ts';
import type { ReferenceHandler } from '../http/app.ts';
import { matchesIfNoneMatch } from '../http/etag.ts';
import { isTooLong } from '../http/request-checks.ts';
import { splitTarget } from '../http/request-target.ts';
import type { Reply } from '../http/send.ts';
import { renderValue } from '../rendering/render-envelope.ts';
import { createPages, type ReferenceMaterial, type StaticPage } from './pages.ts';

const replyWith = ({ headers, bytes }: StaticPage, requestId: string, ifNoneMatch: string | undefined): Reply => {
  const { 'Content-Type': type = '', ETag = '', ...rest } = headers;
  const unchanged = { ...rest, ETag, 'X-Request-Id': requestId };
  return matchesIfNoneMatch(ETag, ifNoneMatch)
    ? { status: 304, headers: unchanged, body: undefined }
    : { status: 200, headers: { ...unchanged, 'Content-Type': type }, body: { chunks: [bytes], length: bytes.length } };
};

/** The reference belongs to no form, so the first form renders the error. */
const refuseMethod = ({ name, problems, presentProblem }: Form, requestId: string): Reply => {
  const { status, code } = problems['method-not-allowed'];
  return {
    status,
    headers: {
      'X-Request-Id': requestId,
      'X-Envelope-Served': name,
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
      Allow: 'GET',
    },
    body: renderValue(presentProblem(code, 'Only GET is supported.', requestId)),
  };
};

/**
 * The partners' reference: the contracts and the pages made from them. They need no key and count against no quota. The
 * pages are self-contained: a browser fetches nothing from another host.
 */
export const createReference = (forms: readonly [Form, ...Form[]], material: ReferenceMaterial): ReferenceHandler => {
  const pages = createPages(forms, material);
  return ({ method, url = '', headers }) => {
    const target = splitTarget(url);
    const page = isTooLong(target) ? undefined : pages.get(target.path);
    if (page === undefined) return undefined;
    const requestId = randomUUID();
    return method === 'GET' ? replyWith(page, requestId, headers['if-none-match']) : refuseMethod(forms[0], requestId);
  };
};
