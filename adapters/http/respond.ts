import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { visibility } from '../../src/catalogue/disclosure.ts';
import type { Caller } from '../../src/domain/caller.ts';
import { dayOf } from '../../src/domain/day.ts';
import type { Log } from '../../src/ports.ts';
import type { ParsedQuery } from '../forms/form.ts';
import { createBodyCache } from '../rendering/body-cache.ts';
import { gzipBody, identityBody } from '../rendering/content-encoding.ts';
import { renderEnvelope } from '../rendering/render-envelope.ts';
import { createAnswerCache } from './answer-cache.ts';
import { matchesIfNoneMatch, weakETag } from './etag.ts';
import type { RequestContext } from './request-context.ts';
import { responseHeaders, toIso, vary } from './response-headers.ts';
import type { Reply } from './send.ts';

/** Asks a catalogue in the name of a caller. Rejects with the catalogue's problems. */
export type Respond = (
  exchange: RequestContext,
  caller: Caller,
  catalogue: Catalogue,
  asked: ParsedQuery,
) => Promise<Reply>;

/** Of an encoded answer. One that is sent as it is suits everybody, so that its `Vary` need not say more. */
const gzipHeaders = { 'Content-Encoding': 'gzip', Vary: `${vary}, Accept-Encoding` };

/**
 * The last step of the pipeline: asks the catalogue and presents what it answers, unless the client has it already. What was
 * answered and written down before is taken from memory.
 *
 * @param version of the software: a new one may render the same data otherwise, so it is part of every `ETag`
 */
export const createRespond = (version: string, log: Log): Respond => {
  const memory = createBodyCache(log);
  const answers = createAnswerCache();

  return async (exchange, caller, catalogue, asked) => {
    const { form, now, requestId, ifNoneMatch, acceptsGzip, route } = exchange;
    const asker = { scopes: caller.scopes, today: dayOf(now) };
    const sees = visibility(caller.scopes);
    const name = `${form.name} ${route?.path} ${asker.today} ${sees} ${asked.question}`;
    const known = answers(catalogue, name, () => asked.query(catalogue, asker));
    const headers = responseHeaders(exchange);
    headers['Cache-Control'] = 'private, no-cache';
    if (form.conditional) {
      known.tag ??= weakETag(version, route?.path ?? '', asked.question, sees, known.answered.identity());
      headers['ETag'] = known.tag;
      if (matchesIfNoneMatch(known.tag, ifNoneMatch)) return { status: 304, headers, body: undefined };
    }
    const frame = { requestId, generatedAt: toIso(now), partner: caller.key.partner };
    const text = await renderEnvelope(known.answered.present(frame), memory);
    const compressed = form.compressed && acceptsGzip() ? gzipBody(text) : undefined;
    if (compressed === undefined) return { status: 200, headers, body: identityBody(text) };
    return { status: 200, headers: Object.assign(headers, gzipHeaders), body: compressed };
  };
};
