import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import type { QueryResult } from '../forms/form.ts';
import { scopedLru } from './request-cache.ts';

/** An answer that was given, and is the same for everybody who asks the same until the catalogue changes. */
export interface CachedAnswer {
  readonly answered: QueryResult;
  /** Its entity tag, made when somebody first wants to know. */
  tag?: string;
}

/** So many answers of one catalogue are kept, the ones asked for last. */
const mostAnswers = 500;

/**
 * Answers of the newest catalogue, by what was asked. What a name means (form, route, question, day, who sees what) is the
 * caller's to say; an answer that raises a problem is not kept.
 */
export const createAnswerCache = () => {
  const remembered = scopedLru<Catalogue, CachedAnswer>(mostAnswers);
  return (catalogue: Catalogue, name: string, ask: () => QueryResult): CachedAnswer =>
    remembered(catalogue, name, () => ({ answered: ask() }));
};
