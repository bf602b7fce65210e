import { randomUUID } from 'node:crypto';
import type { Form } from '../forms/form.ts';
import { matchesIfNoneMatch } from '../http/etag.ts';
import { isTooLong } from '../http/request-checks.ts';
import { splitTarget } from '../http/request-target.ts';
import type { Reply } from '../http/send.ts';
import { renderValue } from '../rendering/render-envelope.ts';
import { createPages, type ReferenceMaterial, type StaticPage } from './pages.ts';

/** As much of a request as the reference looks at. */
export interface ReferenceRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: { readonly 'if-none-match'?: string | undefined };
}

/** Answers what is asked of the reference; `undefined` for everything else. */
export type Reference = (request: ReferenceRequest) => Reply | undefined;

const show = ({ headers, bytes }: StaticPage, requestId: string, ifNoneMatch: string | undefined): Reply => {
  const { 'Content-Type': type = '', ETag = '', ...rest } = headers;
  const unchanged = { ...rest, ETag, 'X-Request-Id': requestId };
  return matchesIfNoneMatch(ETag, ifNoneMatch)
    ? { status: 304, headers: unchanged, body: undefined }
    : { status: 200, headers: { ...unchanged, 'Content-Type': type }, body: { chunks: [bytes], length: bytes.length } };
};

/** The reference belongs to no form, so the first one says what is wrong. */
const refuse = ({ name, problems, presentProblem }: Form, requestId: string): Reply => {
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
 * The partners' reference: the contracts and the pages made from them. They need no key, spend nothing, and come with all
 * that a browser needs to show them: nothing is fetched from another host.
 */
export const createReference = (forms: readonly [Form, ...Form[]], material: ReferenceMaterial): Reference => {
  const leaves = createPages(forms, material);
  return ({ method, url = '', headers }) => {
    const target = splitTarget(url);
    const leaf = isTooLong(target) ? undefined : leaves.get(target.path);
    if (leaf === undefined) return undefined;
    const requestId = randomUUID();
    return method === 'GET' ? show(leaf, requestId, headers['if-none-match']) : refuse(forms[0], requestId);
  };
};
