import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { visibility } from '../../src/catalogue/redaction.ts';
import type { Caller } from '../../src/domain/caller.ts';
import { dayOf } from '../../src/domain/day.ts';
import { windowEnd } from '../../src/quota/quota.ts';
import { scopedLru } from '../../src/runtime/memo.ts';
import type { Form, KeyRoute, ParsedQuery, RouteResult } from '../forms/form.ts';
import { weakETag } from './etag.ts';

/** A catalogue's answer and, in a form with tags, the tag of its data. */
export interface TaggedResult extends RouteResult {
  readonly tag: string | undefined;
}

/** Answers cached for each catalogue. */
const maxAnswers = 2_000;

/** What an answer depends on, in addition to the catalogue. */
interface AnswerFacts {
  readonly form: Form;
  readonly route: KeyRoute;
  readonly parsed: ParsedQuery;
  readonly caller: Caller;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Creates the function that answers from a catalogue. An answer that raises a problem is not
 * cached. Returns a promise while the catalogue searches.
 *
 * @param version the gateway's version, a part of every tag
 */
export const createAnswerCache = (version: string) => {
  // Without it every request, also for a 304, filters the shortlist and makes its tag.
  // Bound: 2,000; key: catalogue, form, route, day, visibility, query; lifetime: the catalogue,
  // until dropped (LRU).
  const answers = scopedLru<Catalogue, TaggedResult | Promise<TaggedResult>>(maxAnswers);
  return (
    catalogue: Catalogue,
    { form, route, parsed, caller, now }: AnswerFacts,
  ): TaggedResult | Promise<TaggedResult> => {
    const visible = visibility(caller.scopes);
    const { cacheKey } = parsed;
    const withTag = (answer: RouteResult): TaggedResult => ({
      ...answer,
      tag: form.conditional
        ? weakETag(version, route.path, cacheKey, visible, answer.identity())
        : undefined,
    });
    const make = () => {
      const answer = parsed.runOn(catalogue, { scopes: caller.scopes, today: dayOf(now) });
      return answer instanceof Promise ? answer.then(withTag) : withTag(answer);
    };
    const day = windowEnd('day', now);
    return answers(catalogue, make, `${form.name} ${route.path} ${day} ${visible} ${cacheKey}`);
  };
};
