import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { visibility } from '../../src/catalogue/disclosure.ts';
import type { Caller } from '../../src/domain/caller.ts';
import { dayOf } from '../../src/domain/day.ts';
import type { Gateway } from '../../src/gateway.ts';
import { windowEnd } from '../../src/quota/quota.ts';
import type { ParsedQuery } from '../forms/form.ts';
import { createBodyCache } from '../rendering/body-cache.ts';
import { gzipBody, identityBody } from '../rendering/content-encoding.ts';
import { renderEnvelope } from '../rendering/render-envelope.ts';
import { matchesIfNoneMatch, weakETag } from './etag.ts';
import { createAnswerCache } from './request-cache.ts';
import type { RequestContext } from './request-context.ts';
import { responseHeaders, toIso, vary } from './response-headers.ts';
import type { Reply } from './send.ts';

/**
 * The `Vary` of every answer that a form may compress, whether or not this client accepts it:
 * caches must keep both apart.
 */
const varyWithEncoding = `${vary}, Accept-Encoding`;

/**
 * The last step of the pipeline: queries the catalogue, compares the `ETag`, renders the answer and
 * encodes it. Rejects with the catalogue's problems.
 */
export const createRespond = ({ version, settings, clock, log }: Gateway) => {
  const bodies = createBodyCache({
    maxBytes: settings.bodyCacheBytes,
    incompleteMs: settings.catalogueRefreshMs,
    clock,
    log,
  });
  const answers = createAnswerCache();

  return async (
    request: RequestContext,
    caller: Caller,
    catalogue: Catalogue,
    asked: ParsedQuery,
  ): Promise<Reply> => {
    const { form, now, requestId, ifNoneMatch, acceptsGzip, isGone, route } = request;
    const visible = visibility(caller.scopes);
    const cacheKey = `${form.name} ${route?.path} ${windowEnd('day', now)} ${visible} ${asked.question}`;
    const found = answers(catalogue, cacheKey, () =>
      asked.query(catalogue, { scopes: caller.scopes, today: dayOf(now) }),
    );
    const cached = found instanceof Promise ? await found : found;
    const { answered } = cached;
    const headers = responseHeaders(request);
    headers['Cache-Control'] = 'private, no-cache';
    if (form.compressed) headers['Vary'] = varyWithEncoding;
    if (form.conditional) {
      cached.tag ??= weakETag(
        version,
        route?.path ?? '',
        asked.question,
        visible,
        answered.identity(),
      );
      headers['ETag'] = cached.tag;
      if (matchesIfNoneMatch(cached.tag, ifNoneMatch))
        return { status: 304, headers, body: undefined };
    }
    // nothing is read or rendered for a client that has gone: sending fails before its first byte
    if (isGone()) return { status: 200, headers, body: undefined };
    const meta = { requestId, generatedAt: toIso(now), partner: caller.key.partner };
    const reader = { organizationId: caller.organization.id, isGone };
    const text = await renderEnvelope(answered.present(meta), bodies, reader);
    if (!text.complete) delete headers['ETag'];
    const compressed = form.compressed && acceptsGzip() ? gzipBody(text) : undefined;
    if (compressed === undefined) return { status: 200, headers, body: identityBody(text) };
    headers['Content-Encoding'] = 'gzip';
    return { status: 200, headers, body: compressed };
  };
};
