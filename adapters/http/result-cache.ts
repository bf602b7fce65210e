import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { visibility } from '../../src/catalogue/redaction.ts';
import type { Caller } from '../../src/domain/caller.ts';
import { dayOf } from '../../src/domain/day.ts';
import { windowEnd } from '../../src/quota/quota.ts';
import { scopedLru } from '../../src/runtime/memo.ts';
import type { Form, KeyRoute, ParsedQuery, RouteResult } from '../forms/form.ts';
import { weakETag } from './etag.ts';

/** A route's result and, in a form with tags, the tag of its data. */
export interface TaggedResult extends RouteResult {
  readonly tag: string | undefined;
}

/** Results cached for each catalogue. */
const maxResults = 2_000;

/** What a result depends on, in addition to the catalogue. */
interface ResultFacts {
  readonly form: Form;
  readonly route: KeyRoute;
  readonly parsed: ParsedQuery;
  readonly caller: Caller;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Creates the function that runs a query on a catalogue. Problems are not cached. Returns a promise
 * while the catalogue searches.
 *
 * @param version the gateway's version, a part of every tag
 */
export const createResultCache = (version: string) => {
  // Without it every request, also for a 304, filters the shortlist and makes its tag.
  // Bound: 2,000; key: catalogue, form, route, day, visibility, query; lifetime: the catalogue,
  // until dropped (LRU).
  const results = scopedLru<Catalogue, TaggedResult | Promise<TaggedResult>>(maxResults);
  return (
    catalogue: Catalogue,
    { form, route, parsed, caller, now }: ResultFacts,
  ): TaggedResult | Promise<TaggedResult> => {
    const visible = visibility(caller.scopes);
    const { cacheKey } = parsed;
    const withTag = (result: RouteResult): TaggedResult => ({
      ...result,
      tag: form.conditional
        ? weakETag(version, route.path, cacheKey, visible, result.identity())
        : undefined,
    });
    const make = () => {
      const result = parsed.runOn(catalogue, { scopes: caller.scopes, today: dayOf(now) });
      return result instanceof Promise ? result.then(withTag) : withTag(result);
    };
    const day = windowEnd('day', now);
    return results(catalogue, make, `${form.name} ${route.path} ${day} ${visible} ${cacheKey}`);
  };
};
