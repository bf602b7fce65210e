import type { Caller } from '../src/caller.ts';
import type { Catalogue } from '../src/catalogue.ts';
import { dayOf } from '../src/day.ts';
import { visibility } from '../src/disclosure.ts';
import type { Log } from '../src/ports.ts';
import { createAnswers } from './answers.ts';
import { gzipBody, plainBody } from './coding.ts';
import { isKnownTag, weakTag } from './conditional.ts';
import { type Exchange, headersOf, toIso, vary } from './exchange.ts';
import type { Asked } from './form.ts';
import { createMemory } from './memory.ts';
import { renderEnvelope } from './render.ts';
import type { Reply } from './send.ts';

/** Asks a catalogue in the name of a caller. Rejects with the catalogue's problems. */
export type Reader = (exchange: Exchange, caller: Caller, catalogue: Catalogue, asked: Asked) => Promise<Reply>;

/** Of an encoded answer. One that is sent as it is suits everybody, so that its `Vary` need not say more. */
const gzipHeaders = { 'Content-Encoding': 'gzip', Vary: `${vary}, Accept-Encoding` };

/**
 * The last step of the pipeline: asks the catalogue and presents what it answers, unless the client has it already. What was
 * answered and written down before is taken from memory.
 *
 * @param version of the software: a new one may render the same data otherwise, so it is part of every `ETag`
 */
export const createReader = (version: string, log: Log): Reader => {
  const memory = createMemory(log);
  const answers = createAnswers();

  return async (exchange, caller, catalogue, asked) => {
    const { form, now, requestId, ifNoneMatch, acceptsGzip, route } = exchange;
    exchange.adjusted = asked.adjusted;
    const asker = { scopes: caller.scopes, today: dayOf(now) };
    const sees = visibility(caller.scopes);
    const name = `${form.name} ${route?.path} ${asker.today} ${sees} ${asked.question}`;
    const known = answers(catalogue, name, () => asked.answer(catalogue, asker));
    const headers = headersOf(exchange);
    headers['Cache-Control'] = 'private, no-cache';
    if (form.conditional) {
      known.tag ??= weakTag(version, route?.path ?? '', asked.question, sees, known.answered.identity());
      headers['ETag'] = known.tag;
      if (isKnownTag(known.tag, ifNoneMatch)) return { status: 304, headers, body: undefined };
    }
    const frame = { requestId, generatedAt: toIso(now), partner: caller.key.partner };
    const text = await renderEnvelope(known.answered.present(frame), memory);
    const compressed = form.compressed && acceptsGzip() ? gzipBody(text) : undefined;
    if (compressed === undefined) return { status: 200, headers, body: plainBody(text) };
    return { status: 200, headers: Object.assign(headers, gzipHeaders), body: compressed };
  };
};
