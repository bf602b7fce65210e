import type { Catalogue } from '../src/catalogue.ts';
import type { Answered } from './form.ts';
import { createRemembered } from './remembered.ts';

/** An answer that was given, and is the same for everybody who asks the same until the catalogue changes. */
export interface KnownAnswer {
  readonly answered: Answered;
  /** Its entity tag, made when somebody first wants to know. */
  tag?: string;
}

/** So many answers of one catalogue are kept, the ones asked for last. */
const mostAnswers = 500;

/**
 * Answers of the newest catalogue, by what was asked. What a name means (form, route, question, day, who sees what) is the
 * caller's to say; an answer that raises a problem is not kept.
 */
export const createAnswers = () => {
  const remembered = createRemembered<Catalogue, KnownAnswer>(mostAnswers);
  return (catalogue: Catalogue, name: string, ask: () => Answered): KnownAnswer =>
    remembered(catalogue, name, () => ({ answered: ask() }));
};
